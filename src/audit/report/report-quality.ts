import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import { labelScores } from '../../domain/statistics/agreement/label-scores.ts'
import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { rateOf, sharesOf, tally } from '../../domain/statistics/clustered-rates.ts'
import {
  brierScore,
  calibrateLevels,
  expectedCalibrationError,
  type Forecast,
  MIN_REVIEWS_A_LEVEL,
  type ReviewOutcome,
} from '../../domain/statistics/shares/calibration.ts'
import type { JudgeEvidence, JudgeQuality } from '../../schemas/audit/report.ts'
import { CITATION_STATUSES, CONFIDENCE_LEVELS, type ConfidenceLevel, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { type Reviewed, reviewedOf } from './report-corrected.ts'
import { clusterOfTask, type TrialRow } from './report-rows.ts'

/** How well one judge does against human reviews of its trials. */
export function judgeQuality(
  judge: string,
  trials: readonly TrialRow[],
  labels: readonly string[],
  settings: BootstrapSettings,
): JudgeQuality {
  const reviewed = reviewedOf(trials)
  const random = reviewed.filter(isRandom)
  const other = reviewed.length - random.length
  const confusion = labels.map((human) =>
    labels.map((label) => reviewed.filter((one) => one.review.human === human && one.judge === label).length),
  )
  const correct = tally(reviewed, ({ trial }) => clusterOfTask(trial), [isCorrect])
  const forecasts = forecastsOf(random)
  const ece = expectedCalibrationError(forecasts)
  return {
    judge,
    n: reviewed.length,
    accuracy: rateOf(correct, 0, settings),
    labels: labelScores(labels, confusion).map((score) => ({
      label: score.label,
      n_human: score.n_reference,
      n_judge: score.n_judged,
      n_both: score.n_hit,
      precision: score.precision.value,
      recall: score.recall.value,
      f1: score.f1.value,
    })),
    confusion,
    calibration: calibrateLevels(CONFIDENCE_LEVELS, random.flatMap(outcomeOf)).map(
      ({ level, n_reviews, value, ci95, reason }) => ({ level, n: n_reviews, value, ci95, reason }),
    ),
    forecasts: forecasts.length,
    ece: ece.value,
    brier: brierScore(forecasts).value,
    reason: ece.value === null ? 'too_few_reviews' : null,
    warnings: notesOf([
      [
        other > 0,
        `${other} of ${count(reviewed.length, 'reviewed trial')} ${other === 1 ? 'is' : 'are'} no random sample: accuracy and the scores are those of the reviewed trials, and calibration, ece and brier leave them out`,
      ],
    ]),
  }
}

/** A random sample: each with one chance. Where chances differ, the level’s share of right answers would need weights. */
const isRandom = ({ review }: Reviewed): boolean => review.samplings.some(({ design }) => design === 'random')
const isCorrect = ({ judge, review }: Reviewed): boolean => judge === review.human

const outcomeOf = (one: Reviewed): ReviewOutcome<ConfidenceLevel>[] =>
  one.trial.confidence === null ? [] : [{ level: one.trial.confidence, correct: isCorrect(one) }]

/**
 * What the calibration would have said of each review, had it not known the reviews of its task, or of its run where it names none: scored on the reviews that made it,
 * a calibration is always good.
 */
function forecastsOf(random: readonly Reviewed[]): Forecast[] {
  const all = random.filter(({ trial }) => trial.confidence !== null)
  const folds = [...Map.groupBy(all, ({ trial }) => clusterOfTask(trial) ?? '').values()]
  const totals = countLevels(all)
  return folds.flatMap((fold) => {
    const own = countLevels(fold)
    return fold.flatMap((one) => {
      const level = CONFIDENCE_LEVELS.indexOf(one.trial.confidence ?? 'low')
      const n = (totals.n[level] ?? 0) - (own.n[level] ?? 0)
      const right = (totals.right[level] ?? 0) - (own.right[level] ?? 0)
      if (n < MIN_REVIEWS_A_LEVEL) return []
      return [{ confidence: (right + 0.5) / (n + 1), correct: isCorrect(one) }]
    })
  })
}

function countLevels(reviewed: readonly Reviewed[]) {
  const n = CONFIDENCE_LEVELS.map(() => 0)
  const right = CONFIDENCE_LEVELS.map(() => 0)
  for (const one of reviewed) {
    if (one.trial.confidence === null) continue
    const level = CONFIDENCE_LEVELS.indexOf(one.trial.confidence)
    n[level] = (n[level] ?? 0) + 1
    if (isCorrect(one)) right[level] = (right[level] ?? 0) + 1
  }
  return { n, right }
}

/** How the grades of one judge ended, and what checking their citations came to. Citations of one task are no independent ones. */
export function judgeEvidence(judge: string, trials: readonly TrialRow[], settings: BootstrapSettings): JudgeEvidence {
  const grades = trials.filter(({ status }) => status !== 'cancelled')
  const citations = trials.flatMap(({ task, run, citations: own }) => own.map((status) => ({ task, run, status })))
  const isStatus = (row: { readonly status: string }, status: string) => row.status === status
  return {
    judge,
    grades: sharesOf(grades, GRADE_STATUSES, isStatus, clusterOfTask, settings),
    citations: sharesOf(citations, CITATION_STATUSES, isStatus, clusterOfTask, settings),
  }
}
