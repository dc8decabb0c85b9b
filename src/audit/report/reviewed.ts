import { mostFrequent } from '../../domain/statistics/coefficients.ts'
import { chooseEstimator, correctedShares } from '../../domain/statistics/corrected-shares.ts'
import { ratio } from '../../domain/statistics/intervals.ts'
import type { Forecast } from '../../domain/statistics/rates.ts'
import { brierScore, expectedCalibrationError, rateOf, sharesOf, tally } from '../../domain/statistics/rates.ts'
import { count, notesOf } from '../../domain/words.ts'
import type { Corrected, JudgeEvidence, JudgeQuality } from '../../schemas/report.ts'
import { SAMPLING_DESIGNS, type SamplingDesign } from '../../schemas/review.ts'
import { CITATION_STATUSES, CONFIDENCE_LEVELS, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { clusterOfTask, countPairs, type GroupOptions, type TrialReview, type TrialRow } from './rows.ts'

/** Lists the reviewed trials with a label of the judge. */
const reviewedOf = (trials: readonly TrialRow[]) =>
  trials.flatMap((trial) => {
    const { label: judge, review } = trial
    return judge !== null && review !== null ? [{ trial, judge, review }] : []
  })

type Reviewed = ReturnType<typeof reviewedOf>[number]

export type Correction = ReturnType<typeof correctGroup>

/** Corrects the judge's shares by the reviews of one design: one weight a review, so that no corrected share of a claim contradicts those of the labels. */
export function correctGroup(trials: readonly TrialRow[], labels: readonly string[], { clusterOf }: GroupOptions) {
  const reviewed = reviewedOf(trials)
  const lost = trials.filter((trial) => trial.review !== null).length - reviewed.length
  const design = mainDesign(reviewed)
  const used = reviewed.filter(({ review }) => weightOf(review, design) !== undefined)
  const graded = trials.flatMap((trial) =>
    trial.label === null ? [] : [{ judge: trial.label, count: 1, cluster: clusterOf(trial) }],
  )
  const isTwice = design === 'disagreement' && used.some(({ review }) => review.samplings.filter(isChance).length > 1)
  const overlap = design === 'random' ? overlapOf(used, graded.length) : isTwice ? UNKNOWN : null
  const reviews = used.map(({ trial, judge, review }) => {
    const weight = overlap === null ? (weightOf(review, design) ?? null) : null
    return { human: review.human, judge, cluster: clusterOf(trial), weight }
  })
  // The labels of a number are the numbers that occur.
  const numbers = new Set(trials.flatMap(({ label, review }) => [label ?? [], review?.human ?? []].flat()))
  const all = labels.length > 0 ? labels : [...numbers].sort()
  // Chances alone undo a draw by labels that other grades have replaced.
  const isStale = design === 'stratified' && used.some(({ review }) => review.samplings.some((one) => one.is_stale))
  const sampling = overlap === UNKNOWN ? 'chosen' : isStale ? 'disagreement' : (design ?? 'random')
  const found = correctedShares({ labels: all, graded, reviews, sampling })
  const { estimator, reviews_to_halve, shares } = found
  const other = reviewed.length - used.length
  const seeing = used.filter(({ review }) => !review.blind).length
  const warnings = notesOf({
    [`${count(other, 'reviewed trial was', 'reviewed trials were')} not drawn by "${design}", as the others were, and ${other === 1 ? 'is' : 'are'} left out`]:
      other > 0,
    [`${seeing} of the ${count(used.length, 'reviewed trial')} had a review that was not blind`]: seeing > 0,
    [`${count(lost, 'reviewed trial has no label of the judge and is', 'reviewed trials have no label of the judge and are')} left out`]:
      lost > 0,
    [overlap ?? '']: overlap === WHOLE,
  })
  const corrected: Corrected = {
    ...{ estimator, reason: overlap === UNKNOWN ? overlap : found.reason, design, n_reviews: used.length },
    ...{ reviews_to_halve, shares, warnings: [...found.warnings, ...warnings] },
  }
  /** Corrects the shares of a claim; `wordOf`: its value by humans, null where it was not asked, undefined where the review says nothing of it. */
  const ofClaim = (names: readonly string[], reason: string, wordOf: (one: Reviewed) => string | null | undefined) => {
    const words = used.map(wordOf)
    const silent = words.filter((word) => word === undefined).length
    const given = words.map((word) => (silent > 0 ? null : (word ?? null)))
    const { shares, reviews_to_halve } = found.sharesOf(names, given)
    const n_reviews = given.filter((word) => word !== null).length
    const told = { ...corrected, shares, reviews_to_halve, n_reviews }
    if (silent > 0)
      return { ...told, estimator: null, reason: `${count(silent, 'review says', 'reviews say')} nothing of it` }
    return { ...told, reason: estimator === null ? corrected.reason : reason }
  }
  return { corrected, ofClaim }
}

/** Returns the inverse of the chance that some draw of the design took the trial, null where no chance is known; undefined: no draw did. */
function weightOf({ samplings }: TrialReview, design: SamplingDesign | null): number | null | undefined {
  const drawn = samplings.filter((sampling) => sampling.design === design)
  const missed = drawn.reduce((all, { probability }) => all * (1 - (probability ?? 0)), 1)
  return drawn.length === 0 ? undefined : missed === 1 ? null : 1 / (1 - missed)
}

const isChance = (one: TrialReview['samplings'][number]) => one.design === 'disagreement' && one.probability !== null
const WHOLE = 'random samples with different chances overlap: all of them are taken as drawn from all of these trials'
const UNKNOWN =
  'samples with different chances overlap, and the reviews do not tell which trials each of them could draw: report the trials of one sample, or draw a new one from all of them'

/**
 * Tells whether random samples overlap; null: not so. Reviews do not tell which trials a sample could draw. Where all samples drew from all
 * trials, the trials in any of them are as many as its chance, 1 − Π(1 − p), or where one sample continued another the greatest chance, allows.
 */
function overlapOf(used: readonly Reviewed[], trials: number): typeof WHOLE | typeof UNKNOWN | null {
  const drawn = used.map(({ review }) => review.samplings.filter(({ design }) => design === 'random'))
  const chances = [...new Set(drawn.flat().flatMap(({ probability }) => probability ?? []))]
  const weights = used.reduce((sum, { review }) => sum + (weightOf(review, 'random') ?? 0), 0)
  const isApart = drawn.every(({ length }) => length < 2) && weights <= trials * (1 + 2 / Math.sqrt(used.length))
  if (chances.length < 2 || isApart) return null
  const likely = [1 - chances.reduce((missed, chance) => missed * (1 - chance), 1), Math.max(...chances)]
  const isWhole = likely.some((p) => Math.abs(used.length / p / trials - 1) <= 2 * Math.sqrt((1 - p) / used.length))
  return isWhole ? WHOLE : UNKNOWN
}

/** Chooses the design with the most reviewed trials, if any with an honest estimator first; ties go to the more informative, earlier design. */
function mainDesign(reviewed: readonly Reviewed[]): SamplingDesign | null {
  const designs = SAMPLING_DESIGNS.flatMap((design) => {
    const weights = reviewed.map(({ review }) => weightOf(review, design)).filter((weight) => weight !== undefined)
    const honest = chooseEstimator(design, weights).estimator !== null
    return weights.length === 0 ? [] : [{ design, n: weights.length, honest }]
  })
  return designs.sort((a, b) => Number(b.honest) - Number(a.honest) || b.n - a.n)[0]?.design ?? null
}

/** Fewest reviews of a level for a confidence: with 30, a 95% interval is still up to ±0.18 wide. */
const MIN_REVIEWS_A_LEVEL = 30

const isRandom = ({ review }: Reviewed): boolean => weightOf(review, 'random') !== undefined
const isCorrect = ({ judge, review }: Reviewed): boolean => judge === review.human

const shareRight = (reviewed: readonly Reviewed[]) =>
  rateOf(tally(reviewed, ({ trial }) => clusterOfTask(trial), [isCorrect]))

/** Measures one judge against human reviews of its trials. */
export function judgeQuality(judge: string, trials: readonly TrialRow[], labels: readonly string[]): JudgeQuality {
  const reviewed = reviewedOf(trials)
  const random = reviewed.filter(isRandom)
  const other = reviewed.length - random.length
  const cells = reviewed.map((one) => [one.review.human, one.judge] as const)
  const confusion = countPairs(cells, labels)
  const humans = reviewed.map(({ review }) => ({ label: review.human }))
  const guess = mostFrequent(humans)
  const forecasts = forecastsOf(random)
  const chances = new Set(random.map(({ review }) => weightOf(review, 'random')))
  const ece = expectedCalibrationError(forecasts)
  return {
    judge,
    n: reviewed.length,
    accuracy: shareRight(reviewed),
    base_rate: mostFrequent([...humans, ...reviewed.map((one) => ({ label: one.judge }))]),
    constant_guess: guess && { label: guess.label, agreement: guess.share },
    labels: labelScores(labels, confusion),
    confusion,
    calibration: CONFIDENCE_LEVELS.map((level) => {
      const { n, value, ci95, reason } = shareRight(random.filter(({ trial }) => trial.confidence === level))
      return n < MIN_REVIEWS_A_LEVEL
        ? { level, n, value: null, ci95: null, reason: 'too_few_reviews' }
        : { level, n, value, ci95, reason }
    }),
    forecasts: forecasts.length,
    ece: ece.value,
    brier: brierScore(forecasts).value,
    reason: ece.value === null ? 'too_few_reviews' : null,
    warnings: notesOf({
      [`${other} of ${count(reviewed.length, 'reviewed trial')} ${other === 1 ? 'is' : 'are'} no random sample: accuracy and the scores are those of the reviewed trials, and calibration, ece and brier leave them out`]:
        other > 0,
      'the random reviews had different chances to be drawn, and calibration, ece and brier count them alike':
        chances.size > 1,
    }),
  }
}

/**
 * Computes precision, recall and F1 = 2·both / (judge + human) of each label (van Rijsbergen, Information Retrieval, 1979, chapter 7); null for a division
 * by zero: a label that the judge never gave has no precision, rather than 0. Rows of `confusion` are the humans, columns the judge.
 */
const labelScores = (labels: readonly string[], confusion: readonly (readonly number[])[]): JudgeQuality['labels'] =>
  labels.map((label, place) => {
    const n_human = (confusion[place] ?? []).reduce((sum, n) => sum + n, 0)
    const n_judge = confusion.reduce((sum, row) => sum + (row[place] ?? 0), 0)
    const n_both = confusion[place]?.[place] ?? 0
    const over = (whole: number, part = n_both) => ratio(part, whole, 'no_cases').value
    const scores = { precision: over(n_judge), recall: over(n_human), f1: over(n_judge + n_human, 2 * n_both) }
    return { label, n_human, n_judge, n_both, ...scores }
  })

/** Forecasts a review by those of its level from other tasks, or runs, as the mean of Beta(½ + right, ½ + wrong), never by its own review. */
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
  const graded = trials.filter(({ status }) => status !== 'cancelled')
  const cited = trials.flatMap(({ task, run, citations }) => citations.map((status) => ({ task, run, status })))
  const isStatus = (row: { readonly status: string }, status: string) => row.status === status
  const grades = sharesOf(graded, GRADE_STATUSES, isStatus, clusterOfTask)
  return { judge, grades, citations: sharesOf(cited, CITATION_STATUSES, isStatus, clusterOfTask) }
}
