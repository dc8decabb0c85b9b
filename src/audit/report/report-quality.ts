import { count } from '../../domain/count.ts'
import { notesOf } from '../../domain/notes.ts'
import { rateOf, sharesOf, tally } from '../../domain/statistics/clustered-rates.ts'
import { ratio } from '../../domain/statistics/estimate.ts'
import { brierScore, expectedCalibrationError, type Forecast } from '../../domain/statistics/shares/calibration.ts'
import type { JudgeEvidence, JudgeQuality } from '../../schemas/audit/report.ts'
import { CITATION_STATUSES, CONFIDENCE_LEVELS, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { type Reviewed, reviewedOf } from './report-corrected.ts'
import { clusterOfTask, type TrialRow } from './report-rows.ts'

/** Measures one judge against human reviews of its trials. */
export function judgeQuality(judge: string, trials: readonly TrialRow[], labels: readonly string[]): JudgeQuality {
  const reviewed = reviewedOf(trials)
  const random = reviewed.filter(isRandom)
  const other = reviewed.length - random.length
  const confusion = labels.map((human) =>
    labels.map((label) => reviewed.filter((one) => one.review.human === human && one.judge === label).length),
  )
  const forecasts = forecastsOf(random)
  const ece = expectedCalibrationError(forecasts)
  return {
    judge,
    n: reviewed.length,
    accuracy: shareRight(reviewed),
    labels: labelScores(labels, confusion),
    confusion,
    calibration: CONFIDENCE_LEVELS.map((level) => {
      const { n, value, ci95, reason } = shareRight(random.filter(({ trial }) => trial.confidence === level))
      return n < MIN_REVIEWS_A_LEVEL
        ? { level, n, value: null, ci95: null, reason: 'too_few_reviews' as const }
        : { level, n, value, ci95, reason }
    }),
    forecasts: forecasts.length,
    ece: ece.value,
    brier: brierScore(forecasts).value,
    reason: ece.value === null ? 'too_few_reviews' : null,
    warnings: notesOf({
      [`${other} of ${count(reviewed.length, 'reviewed trial')} ${other === 1 ? 'is' : 'are'} no random sample: accuracy and the scores are those of the reviewed trials, and calibration, ece and brier leave them out`]:
        other > 0,
    }),
  }
}

/** Fewest reviews of a level for a confidence: with 30, a 95% interval is still up to ±0.18 wide. */
const MIN_REVIEWS_A_LEVEL = 30

/** Tells whether a review is of a random sample, in which each trial had one chance: other chances would need weights. */
const isRandom = ({ review }: Reviewed): boolean => review.samplings.some(({ design }) => design === 'random')
const isCorrect = ({ judge, review }: Reviewed): boolean => judge === review.human

const shareRight = (reviewed: readonly Reviewed[]) =>
  rateOf(tally(reviewed, ({ trial }) => clusterOfTask(trial), [isCorrect]))

/**
 * Computes precision, recall and F1 = 2·both / (judge + human) of each label (van Rijsbergen, Information Retrieval, 1979, chapter 7); null
 * for a division by zero: a label that the judge never gave has no precision, rather than 0.
 *
 * @param confusion rows are the humans, columns the judge, in the order of the labels.
 */
export function labelScores(
  labels: readonly string[],
  confusion: readonly (readonly number[])[],
): JudgeQuality['labels'] {
  return labels.map((label, place) => {
    const n_human = (confusion[place] ?? []).reduce((sum, n) => sum + n, 0)
    const n_judge = confusion.reduce((sum, row) => sum + (row[place] ?? 0), 0)
    const n_both = confusion[place]?.[place] ?? 0
    const over = (whole: number, part = n_both) => ratio(part, whole, 'no_cases').value
    const scores = { precision: over(n_judge), recall: over(n_human), f1: over(n_judge + n_human, 2 * n_both) }
    return { label, n_human, n_judge, n_both, ...scores }
  })
}

/**
 * Forecasts each review by the reviews of its level from other tasks, or other runs where no task is named, as the mean of Beta(½ + right,
 * ½ + wrong): a calibration scored on its own reviews would always look good.
 */
function forecastsOf(random: readonly Reviewed[]): Forecast[] {
  return CONFIDENCE_LEVELS.flatMap((level) => {
    const own = random.filter(({ trial }) => trial.confidence === level)
    const right = own.filter(isCorrect).length
    return [...Map.groupBy(own, ({ trial }) => clusterOfTask(trial)).values()].flatMap((task) => {
      const n = own.length - task.length
      if (n < MIN_REVIEWS_A_LEVEL) return []
      const confidence = (right - task.filter(isCorrect).length + 0.5) / (n + 1)
      return task.map((one) => ({ confidence, correct: isCorrect(one) }))
    })
  })
}

/** Returns the shares of the statuses of the judge's grades and of their citations; citations of one task are not independent. */
export function judgeEvidence(judge: string, trials: readonly TrialRow[]): JudgeEvidence {
  const grades = trials.filter(({ status }) => status !== 'cancelled')
  const citations = trials.flatMap(({ task, run, citations: own }) => own.map((status) => ({ task, run, status })))
  const isStatus = (row: { readonly status: string }, status: string) => row.status === status
  return {
    judge,
    grades: sharesOf(grades, GRADE_STATUSES, isStatus, clusterOfTask),
    citations: sharesOf(citations, CITATION_STATUSES, isStatus, clusterOfTask),
  }
}
