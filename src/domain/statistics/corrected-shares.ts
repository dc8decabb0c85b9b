import type { SamplingDesign } from '../../schemas/review.ts'
import { notesOf } from '../words.ts'
import { type Interval, shareInterval, studentQuantile } from './intervals.ts'
import { at, clusteredVariance, range, sum, type Vector, weighReviews } from './weighted-shares.ts'

/** Graded items of one judge label (and one cluster): `count` of them. */
export interface GradedCount {
  readonly judge: string
  readonly count: number
  /** The task, for example. Items of one cluster are not independent; null or absent: each item is independent. */
  readonly cluster?: string | null
}

/** A reviewed item. Several reviews of one item are settled on one label before. */
export interface ReviewedPair {
  readonly human: string
  readonly judge: string
  /** Inverse of the probability that the item was picked for review. */
  readonly weight?: number | null
  readonly cluster?: string | null
}

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

interface Shares {
  /** By name. The values that are there add to 1. */
  readonly shares: Readonly<Record<string, { readonly value: number | null; readonly ci95: Interval | null }>>
  /** The number of further reviews that would about halve the widest interval; null: no number of reviews of these graded items would. */
  readonly reviews_to_halve: number | null
  /** As many even reviews as the reviews inside are worth, and the independent units among them. */
  readonly items: number
  readonly units: number
}

const FEW = 30
/** Fewest tasks of the simulations. */
const FEW_TASKS = 10

/**
 * Corrects the judge's label shares by human reviews, with 95% intervals, as the way of sampling allows (`chooseEstimator`). Intervals are about
 * the population of the graded items, and allow for clusters. Where no estimator is honest every value is null and `reason` says why.
 *
 * `sharesOf` returns the shares of other categories by the weights of the same reviews: `given[i]` is the category of review i, null for a review outside.
 * A category that consists of labels has the sum of their shares, and the interval of that sum.
 */
export function correctedShares(input: CorrectionInput) {
  const { labels, graded, reviews } = input
  const weights = reviews.map(({ weight }) => weight)
  const { estimator, reason } = chooseEstimator(input.sampling, weights)
  const fault = estimator === null ? reason : obstacleTo(input)
  if (estimator === null || fault !== null) {
    return { estimator: null, reason: fault ?? reason, ...noShares(labels), warnings: [], sharesOf: noShares }
  }
  const isStratified = estimator === 'post_stratified'
  const strata = isStratified ? strataOf(input) : labels.map(() => 0)
  const stratumOf = (judge: string): number => at(strata, labels.indexOf(judge))
  const estimate = weighReviews(
    reviews.map(({ judge, weight, cluster = null }) => ({
      stratum: stratumOf(judge),
      cluster,
      weight: isStratified ? 1 : (weight ?? Number.NaN),
    })),
    graded.map(({ judge, count, cluster = null }) => ({ count, cluster, stratum: stratumOf(judge) })),
  )
  const sharesOf = (names: readonly string[], given: readonly (string | null)[]): Shares => {
    if (given.every((one) => one === null)) return noShares(names)
    const places = given.map((one) => (one === null ? -1 : names.indexOf(one)))
    const { shares, variances, ...worth } = estimate(names.length, places)
    const ci95 = shares.map((share, k) => shareInterval(share, at(variances, k), worth))
    return {
      shares: Object.fromEntries(names.map((name, k) => [name, { value: at(shares, k), ci95: ci95[k] ?? null }])),
      reviews_to_halve: reviewsToHalve(input, { shares, ci95, units: worth.units }),
      ...worth,
    }
  }
  const people = reviews.map(({ human }) => human)
  const corrected = sharesOf(labels, people)
  return { ...{ estimator, reason, sharesOf }, ...corrected, warnings: warningsOn(input, estimator, corrected) }
}

const noShares = (names: readonly string[]): Shares => {
  const shares = Object.fromEntries(names.map((name) => [name, { value: null, ci95: null }]))
  return { shares, reviews_to_halve: null, items: 0, units: 0 }
}

interface Choice {
  /** Null: `reason` says why no estimator is honest. */
  readonly estimator: Estimator | null
  readonly reason: string
}

/**
 * Chooses the weights that a design allows: a sample at random, or by the judge's label, is weighted back by the judge's labels; known
 * probabilities are undone by their inverse; other samples represent nothing. A weight is the inverse of the probability of a pick, where known.
 */
export function chooseEstimator(
  sampling: SamplingDesign,
  weights: readonly (number | null | undefined)[] = [],
): Choice {
  const known = weights.filter((weight) => weight !== null && weight !== undefined)
  if (sampling === 'stratified' || sampling === 'chosen' || known.length === 0) return CHOICES[sampling]
  if (known.length < weights.length) return { estimator: null, reason: 'some reviews have a weight and some have none' }
  if (sampling === 'random' && weights.every((weight) => weight === weights[0])) return CHOICES.random
  return {
    estimator: 'inverse_probability',
    reason: 'each review was picked with a known probability: weighting by its inverse undoes the selection',
  }
}

const CHOICES: Readonly<Record<SamplingDesign, Choice>> = {
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
      'the reviews were picked by disagreement, or by labels that changed since: without the probability of each pick they represent neither the archive nor its labels',
  },
  chosen: { estimator: null, reason: 'the reviewed items were chosen by hand: they represent no more than themselves' },
}

const countJudged = (
  labels: readonly string[],
  items: readonly { readonly judge: string; readonly count?: number }[],
) => labels.map((label) => sum(items.map(({ judge, count = 1 }) => (judge === label ? count : 0))))

/** Returns the reason for which no estimate is made of sound input; null: none. */
function obstacleTo({ labels, graded, reviews, sampling }: CorrectionInput): string | null {
  const judged = countJudged(labels, graded)
  if (sum(judged) === 0) return 'no graded item'
  if (reviews.length === 0) return 'no review'
  if (reviews.length < 2) return 'fewer than two reviews'
  const reviewed = countJudged(labels, reviews)
  const bare = labels.find((_, k) => at(reviewed, k) < Math.min(LEAST, at(judged, k)))
  return sampling === 'stratified' && bare !== undefined ? `judge label ${bare} has fewer than two reviews` : null
}

/** Fewest reviews of a stratum. */
const LEAST = 2

/** Returns the stratum of each judge label: of a random sample labels are pooled, fewest reviews first, until each stratum has enough reviews. */
function strataOf({ labels, graded, reviews, sampling }: CorrectionInput): Vector {
  const [judged, reviewed] = [countJudged(labels, graded), countJudged(labels, reviews)]
  const stratum = [...range(labels.length)]
  if (sampling === 'stratified') return stratum
  const order = stratum.filter((label) => at(judged, label) > 0).toSorted((a, b) => at(reviewed, a) - at(reviewed, b))
  let pooled = 0
  for (const [rank, label] of order.entries()) {
    stratum[label] = order[0] ?? label
    pooled += at(reviewed, label)
    if (pooled >= LEAST && order.slice(rank + 1).every((other) => at(reviewed, other) >= LEAST)) break
  }
  return stratum
}

/**
 * Returns about how many more reviews, drawn as these were, would halve the widest interval. The variance falls with reviews m from what it is
 * to that of people alone once all N graded items are reviewed, F + c (1/m − 1/N): double sampling, Cochran 1977, Sampling Techniques,
 * 12.2. Null where not even that halves the interval, so that more graded items are needed, or where there is no interval.
 */
function reviewsToHalve(
  input: CorrectionInput,
  { shares, ci95, units }: { shares: Vector; ci95: readonly (Interval | null)[]; units: number },
): number | null {
  const [reviews, graded] = [input.reviews.length, sum(input.graded.map(({ count }) => count))]
  const widths = ci95.map((interval) => (interval === null ? 0 : interval[1] - interval[0]))
  const width = Math.max(...widths)
  if (!(width > 0) || reviews >= graded) return null
  const share = at(shares, widths.indexOf(width))
  const variance = (width / 2 / studentQuantile(units - 1)) ** 2
  const floor = (share * (1 - share)) / effectiveGraded(input)
  if (variance / 4 <= floor) return null
  const part = (variance / 4 - floor) / (variance - floor)
  const needed = 1 / (part / reviews + (1 - part) / graded)
  return Math.ceil(needed) - reviews
}

/** Returns the number of independent items that tell as much of the judge's own shares as the graded items. */
function effectiveGraded({ labels, graded }: CorrectionInput): number {
  const counts = countJudged(labels, graded)
  const total = sum(counts)
  const shares = counts.map((count) => count / total)
  const contributions = graded.map(({ judge, count, cluster = null }) => ({
    count,
    cluster,
    psi: shares.map((share, k) => (Number(labels[k] === judge) - share) / total),
  }))
  const noise = sum(clusteredVariance(contributions, labels.length))
  return noise > 0 ? (1 - sum(shares.map((share) => share ** 2))) / noise : total
}

function warningsOn(
  { labels, graded, reviews }: CorrectionInput,
  estimator: Estimator,
  { units, items }: Shares,
): string[] {
  const [judged, reviewed] = [countJudged(labels, graded), countJudged(labels, reviews)]
  const tasks = new Set(reviews.flatMap(({ cluster }) => cluster ?? []))
  const total = sum(judged)
  const weights = sum(reviews.map(({ weight }) => weight ?? 0))
  const isOff = Math.abs(weights / total - 1) > Math.max(0.25, 3 / Math.sqrt(reviews.length))
  const byWeight = estimator === 'inverse_probability'
  return notesOf({
    'the reviews are worth less than two tasks: what another would show cannot be told': units < 2,
    [`uneven weights leave the worth of ${items.toFixed(1)} even reviews`]: items < FEW && byWeight,
    [`fewer than ${FEW} reviews: the intervals are rough`]: reviews.length < FEW,
    [`fewer than ${FEW_TASKS} tasks reviewed: the intervals are rough, and wide because of it`]:
      tasks.size > 0 && tasks.size < FEW_TASKS,
    [`the weights add to ${weights.toFixed(1)}, not to the ${total} graded items: were all able to be picked?`]:
      isOff && reviews.every(({ weight }) => (weight ?? null) !== null),
    'a judge label that occurs has no review':
      byWeight && judged.some((count, k) => count > 0 && at(reviewed, k) === 0),
  })
}
