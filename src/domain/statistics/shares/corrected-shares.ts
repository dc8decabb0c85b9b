import type { SamplingDesign } from '../../../schemas/audit/review.ts'
import { notesOf } from '../../notes.ts'
import { type CorrectionTable, type GradedCount, type ReviewedPair, tally } from './correction-table.ts'
import { at, range, sum, type Vector } from './linear-algebra.ts'
import { type Interval, reviewsToHalve, shareInterval } from './share-interval.ts'
import { weightedShares } from './weighted-shares.ts'

export interface CorrectionInput {
  /** All labels, in the order of the answer. */
  readonly labels: readonly string[]
  /** The judge's labels of all graded items, reviewed ones included. */
  readonly graded: readonly GradedCount[]
  /** Reviewed items of `graded`. */
  readonly reviews: readonly ReviewedPair[]
  readonly sampling: SamplingDesign
}

type Estimator = 'post_stratified' | 'inverse_probability'

interface CorrectedShares {
  /** Null: `reason` says why no estimator is honest. */
  readonly estimator: Estimator | null
  readonly reason: string
  /** One per label. The values that are there add to 1. */
  readonly shares: Readonly<Record<string, { readonly value: number | null; readonly ci95: Interval | null }>>
  readonly n_graded: number
  readonly n_reviews: number
  /** More reviews that would about halve the widest interval; null where no number of reviews of these graded items would. */
  readonly reviews_to_halve: number | null
  readonly warnings: readonly string[]
}

const FEW = 30
/** Fewest tasks of the simulations. */
const FEW_TASKS = 10

/**
 * Corrects the judge's label shares by human reviews, with 95% intervals, as the way of sampling allows (`chooseEstimator`). Intervals are about
 * the population of the graded items, and allow for clusters. Where no estimator is honest every value is null and `reason` says why.
 */
export function correctedShares(input: CorrectionInput): CorrectedShares {
  const { labels, reviews, sampling } = input
  const weights = reviews.map(({ weight }) => weight)
  const { estimator, reason } = chooseEstimator({ sampling, weights })
  const counted = tally(labels, input.graded, reviews)
  if ('error' in counted) return refused(input, counted.error)
  const { table } = counted
  if (estimator === null) return refused(input, reason)
  const isStratified = estimator === 'post_stratified'
  const obstacle = obstacleTo(table, sampling === 'stratified' ? labels : null)
  if (obstacle !== null) return refused(input, obstacle)
  const stratum = isStratified ? strataOf(table) : labels.map(() => 0)
  const estimate = weightedShares(
    labels.length,
    table.reviews.map((review, i) => ({
      ...{ human: review.human, cluster: review.cluster, stratum: at(stratum, review.judge) },
      weight: isStratified ? 1 : (weights[i] ?? Number.NaN),
    })),
    table.graded.map(({ judge, count, cluster }) => ({ count, cluster, stratum: at(stratum, judge) })),
  )
  const { shares, variances, effectiveSize } = estimate
  const units = Math.min(effectiveSize, new Set(table.reviews.map(({ cluster }, place) => cluster ?? place)).size)
  const ci95 = shares.map((share, k) => shareInterval(share, at(variances, k), { reviews: effectiveSize, units }))
  return {
    ...{ estimator, reason },
    shares: Object.fromEntries(labels.map((label, k) => [label, { value: at(shares, k), ci95: ci95[k] ?? null }])),
    n_graded: sum(table.judgeCounts),
    n_reviews: reviews.length,
    reviews_to_halve: reviewsToHalve({ shares, ci95, units, reviews: reviews.length, ...gradedOf(table) }),
    warnings: warningsOn(input, table, { estimator, units, effectiveSize }),
  }
}

/** The way in which items were picked for review. */
export interface Design {
  readonly sampling: SamplingDesign
  /** Of each review the inverse of the probability of its pick, where that is known. */
  readonly weights?: readonly (number | null | undefined)[]
}

/** Returns whether a weight is usable; a probability of 0 or an unknown probability has none. */
const isWeight = (weight: number | null | undefined): weight is number =>
  weight !== null && weight !== undefined && Number.isFinite(weight) && weight > 0

/**
 * Chooses the weights that a design allows: a sample at random, or by the judge's label, is weighted back by the judge's labels; known
 * probabilities are undone by their inverse; other samples represent nothing.
 */
export function chooseEstimator({ sampling, weights = [] }: Design): {
  readonly estimator: Estimator | null
  readonly reason: string
} {
  const known = weights.filter((weight) => weight !== null && weight !== undefined)
  if (sampling === 'stratified' || sampling === 'chosen' || known.length === 0) return CHOICES[sampling]
  if (known.length < weights.length) return { estimator: null, reason: 'some reviews have a weight and some have none' }
  if (!weights.every(isWeight))
    return { estimator: null, reason: 'a weight is the inverse of a probability: finite and above 0' }
  if (sampling === 'random' && weights.every((weight) => weight === weights[0])) return CHOICES.random
  return {
    estimator: 'inverse_probability',
    reason: 'each review was picked with a known probability: weighting by its inverse undoes the selection',
  }
}

const CHOICES: Readonly<Record<SamplingDesign, { readonly estimator: Estimator | null; readonly reason: string }>> = {
  random: {
    estimator: 'post_stratified',
    reason:
      'the reviews are a random sample of the graded items: each label of the judge is weighted back to its share of the archive',
  },
  stratified: {
    estimator: 'post_stratified',
    reason:
      'the reviews were drawn by the judge’s label: each of its labels is weighted back to its share of the archive',
  },
  disagreement: {
    estimator: null,
    reason:
      'the reviews were picked by disagreement: without the probability of each pick they represent neither the archive nor its labels',
  },
  chosen: { estimator: null, reason: 'the reviewed items were chosen by hand: they represent no more than themselves' },
}

/** Fewest reviews of a stratum of a random sample. */
const LEAST = 2

/**
 * Returns the stratum of each judge label. Labels with few reviews are pooled into one stratum, the label with fewest reviews first, until each
 * stratum has enough reviews.
 */
function strataOf({ judgeCounts, reviewCounts }: CorrectionTable): Vector {
  const stratum = [...range(judgeCounts.length)]
  const order = stratum
    .filter((label) => at(judgeCounts, label) > 0)
    .toSorted((a, b) => at(reviewCounts, a) - at(reviewCounts, b))
  let pooled = 0
  for (const [rank, label] of order.entries()) {
    stratum[label] = order[0] ?? label
    pooled += at(reviewCounts, label)
    if (pooled >= LEAST && order.slice(rank + 1).every((other) => at(reviewCounts, other) >= LEAST)) break
  }
  return stratum
}

/** Returns the reason for which no estimate is made. `stratified`: the labels, where the sample was drawn by them; else null. */
function obstacleTo(table: CorrectionTable, stratified: readonly string[] | null): string | null {
  const { judgeCounts, reviewCounts, reviews, foreign } = table
  if (sum(judgeCounts) === 0) return 'no graded item'
  if (reviews.length === 0) return 'no review'
  if (reviews.length < 2) return 'fewer than two reviews'
  if (foreign) return 'some label has more reviews than graded items in its cluster: the reviews are not of these items'
  const bare = judgeCounts.findIndex((count, judge) => count > 0 && at(reviewCounts, judge) < 2)
  return stratified === null || bare === -1 ? null : `judge label ${stratified[bare]} has fewer than two reviews`
}

/** Returns the number of graded items, and of the independent items that tell as much of the judge's shares. */
function gradedOf({ graded, judgeCounts }: CorrectionTable): { graded: number; effectiveGraded: number } {
  const all = sum(judgeCounts)
  const items = graded.map(({ judge, count, cluster }) => ({ stratum: judge, count, cluster }))
  // Reviews without errors leave the noise of the judge's own shares.
  const reviews = range(judgeCounts.length).flatMap((judge) =>
    [0, 1].map(() => ({ human: judge, stratum: judge, weight: 1, cluster: null })),
  )
  const { shares, variances } = weightedShares(judgeCounts.length, reviews, items)
  const noise = sum(variances)
  const spread = 1 - sum(shares.map((share) => share ** 2))
  return { graded: all, effectiveGraded: noise > 0 ? spread / noise : all }
}

function warningsOn(
  { reviews }: CorrectionInput,
  table: CorrectionTable,
  { estimator, units, effectiveSize }: { estimator: Estimator; units: number; effectiveSize: number },
): string[] {
  const { judgeCounts, reviewCounts } = table
  const tasks = new Set(table.reviews.flatMap(({ cluster }) => cluster ?? []))
  const graded = sum(judgeCounts)
  const weights = reviews.map(({ weight }) => weight ?? 0)
  const isOff = Math.abs(sum(weights) / graded - 1) > Math.max(0.25, 3 / Math.sqrt(reviews.length))
  const byWeight = estimator === 'inverse_probability'
  const unseen = judgeCounts.some((count, judge) => count > 0 && at(reviewCounts, judge) === 0)
  return notesOf([
    [units < 2, 'the reviews are worth less than two tasks: what another would show cannot be told'],
    [effectiveSize < FEW && byWeight, `uneven weights leave the worth of ${effectiveSize.toFixed(1)} even reviews`],
    [reviews.length < FEW, `fewer than ${FEW} reviews: the intervals are rough`],
    [
      tasks.size > 0 && tasks.size < FEW_TASKS,
      `fewer than ${FEW_TASKS} tasks reviewed: the intervals are rough, and wide because of it`,
    ],
    [
      isOff && reviews.every(({ weight }) => isWeight(weight)),
      `the weights add to ${sum(weights).toFixed(1)}, not to the ${graded} graded items: were all able to be picked?`,
    ],
    [byWeight && unseen, 'a judge label that occurs has no review'],
  ])
}

function refused(input: CorrectionInput, reason: string): CorrectedShares {
  return {
    ...{ estimator: null, reason },
    shares: Object.fromEntries(input.labels.map((label) => [label, { value: null, ci95: null }])),
    n_graded: sum(input.graded.map(({ count }) => count)),
    n_reviews: input.reviews.length,
    ...{ reviews_to_halve: null, warnings: [] },
  }
}
