import { at, type Matrix, range, rowAt, sum, transpose, type Vector } from './linear-algebra.ts'

/** A reviewed item: its human label's place, and the inverse of the probability that it was picked for review. */
export interface WeightedReview {
  readonly label: number
  readonly weight: number
  readonly cluster?: string | null
}

interface WeightedEstimate {
  readonly shares: Vector
  /** Kish's effective number of reviews, (Σw)²/Σw². */
  readonly effectiveSize: number
  readonly reason: null
}
type Weighted = WeightedEstimate | { readonly shares: null; readonly reason: string }

/** A usable weight; a probability of 0 or an unknown one has none. */
export const isWeight = (weight: number | null | undefined): weight is number =>
  weight !== null && weight !== undefined && Number.isFinite(weight) && weight > 0

/**
 * Hájek's estimator Σwy/Σw: shares add to 1, and weights matter only up to a factor (Hájek 1971; Särndal, Swensson &
 * Wretman 1992, Model Assisted Survey Sampling, 5.7). Unbiased for large samples only if every graded item could have been picked.
 */
export function hajekShares(reviews: readonly WeightedReview[], labels: number): Weighted {
  const wrong = refusal(reviews)
  if (wrong !== null) return { shares: null, reason: wrong }
  const total = sum(reviews.map(({ weight }) => weight))
  const shares = sharesOf(reviews, labels, total)
  return { shares, effectiveSize: effectiveSize(reviews), reason: null }
}

/** What one review adds to Hájek's estimate: the linearized variance Σw²(y − θ̂)²/(Σw)², or over clusters. */
export const hajekInfluence =
  (shares: Vector, totalWeight: number) =>
  ({ label, weight }: WeightedReview): Vector =>
    shares.map((share, k) => (weight * (Number(label === k) - share)) / totalWeight)

function refusal(reviews: readonly WeightedReview[]): string | null {
  if (reviews.length < 2) return 'fewer than two reviews'
  return reviews.every(({ weight }) => isWeight(weight)) ? null : 'every review needs a finite weight above 0'
}

function sharesOf(reviews: readonly WeightedReview[], labels: number, total: number): Vector {
  const weights = range(labels).map(() => 0)
  for (const { label, weight } of reviews) weights[label] = at(weights, label) + weight
  return weights.map((weight) => weight / total)
}

/** Kish 1965, Survey Sampling, 11.7. */
const effectiveSize = (reviews: readonly WeightedReview[]): number =>
  sum(reviews.map(({ weight }) => weight)) ** 2 / sum(reviews.map(({ weight }) => weight ** 2))

/** Shares by judge label reweighted to the archive, with what each item adds. */
interface PostStratifiedEstimate {
  readonly shares: Vector
  readonly ofGraded: (judge: number) => Vector
  readonly ofReview: (human: number, judge: number) => Vector
  readonly reason: null
}
type PostStratified = PostStratifiedEstimate | { readonly shares: null; readonly reason: string }

/**
 * Reviews drawn at random within each judge label: π̂_k = Σ_j q_j P̂(human k | judge j), each review weighing N_j/n_j. Variance
 * Σ_j q_j²P(1 − P)/(n_j − 1) + Σ_j q_j(P_kj − π_k)²/N (double sampling for stratification: Neyman 1938; Cochran 1977,
 * Sampling Techniques, 12.2). Null where a judge label that occurs has fewer than two reviews.
 *
 * @param confusion reviewed items, human label by judge label
 * @param judgeCounts items per judge label over all graded items
 * @param names of the labels, for the reason
 */
export function postStratifiedShares(
  confusion: Matrix,
  judgeCounts: Vector,
  names: readonly string[] = [],
): PostStratified {
  const graded = sum(judgeCounts)
  const strata = transpose(confusion)
  const sizes = strata.map(sum)
  const bare = judgeCounts.findIndex((count, j) => count > 0 && at(sizes, j) < 2)
  if (!(graded > 0)) return { shares: null, reason: 'no graded item' }
  if (bare >= 0) return { shares: null, reason: `judge label ${names[bare] ?? bare + 1} has fewer than two reviews` }
  const within = strata.map((stratum, j) => stratum.map((count) => (at(sizes, j) > 0 ? count / at(sizes, j) : 0)))
  const shares = confusion.map((_, k) => sum(judgeCounts.map((count, j) => (count / graded) * at(rowAt(within, j), k))))
  return {
    shares,
    ofGraded: (judge) => shares.map((share, k) => (at(rowAt(within, judge), k) - share) / graded),
    ofReview: (human, judge) => {
      const size = at(sizes, judge)
      const scale = (at(judgeCounts, judge) / graded) * (Math.sqrt(size / (size - 1)) / size)
      return shares.map((_, k) => scale * (Number(k === human) - at(rowAt(within, judge), k)))
    },
    reason: null,
  }
}
