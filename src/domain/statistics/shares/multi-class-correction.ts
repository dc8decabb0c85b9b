import { Z95 } from '../intervals.ts'
import {
  apply,
  at,
  conditionNumber,
  inverse,
  type Matrix,
  multiply,
  rowAt,
  sum,
  transpose,
  type Vector,
} from './linear-algebra.ts'
import { clamp, type Interval } from './share-interval.ts'
import { simplexLeastSquares } from './simplex-least-squares.ts'

/** Reviews that every human label needs before its row of the confusion matrix is believed. */
const MIN_PER_LABEL = 20
/** 2-norm condition number of the confusion matrix from which on the correction mostly multiplies noise. */
const MAX_CONDITION = 20

/**
 * Items added in all to each row of counts, for intervals alone. Without it, 20 reviews per label and a good judge gave 89%
 * coverage for a share of 5%, with it 95%; a whole item gave 99% (simulated, K = 5, judge right in 95%, 1,000 graded items).
 */
const PSEUDO_COUNT = 0.25

export interface MultiClassInput {
  /** Items per judge label over all graded items. */
  readonly judgeCounts: Vector
  /** Reviewed items, human label by judge label. */
  readonly confusion: Matrix
  /** For reasons; a label without one goes by its place. */
  readonly names?: readonly string[]
  readonly minPerLabel?: number
  readonly maxCondition?: number
}

export interface MultiClassEstimate {
  /** On the simplex: not negative, adding to 1. */
  readonly shares: Vector
  /** (Mᵀ)⁻¹q̂ itself; adds to 1 but may be negative. */
  readonly unconstrained: Vector
  /** Delta method, as the formula has it. */
  readonly se: Vector
  /** The same with `PSEUDO_COUNT`; never 0. */
  readonly intervalSe: Vector
  readonly covariance: Matrix
  /** From `intervalSe`, around the unconstrained share, clamped to [0, 1], widened where needed to hold the share. */
  readonly ci95: readonly Interval[]
  readonly conditionNumber: number
  /** What each graded or reviewed item adds to the estimate, for variances over clusters. */
  readonly ofGraded: (judge: number) => Vector
  readonly ofReview: (human: number, judge: number) => Vector
  readonly reason: null
}
type MultiClass = MultiClassEstimate | { readonly shares: null; readonly reason: string }

/**
 * True shares π from the judge's shares q = Mᵀπ with M_kj = P(judge says j | human says k): π̂ = (Mᵀ)⁻¹q̂, or the nearest
 * shares in least squares where that leaves the simplex (Rogan & Gladen 1978 for K = 2; Buonaccorsi 2010, Measurement
 * Error, 2.4; Saerens et al. 2002). Delta-method variance A⁻¹[(diag q − qqᵀ)/n + Σ_k π_k²(diag M_k − M_kM_kᵀ)/m_k]A⁻ᵀ, A = Mᵀ.
 *
 * Valid for reviews drawn at random within each human label, here or from elsewhere, if the judge errs alike in both.
 * Null with a reason where a label has too few reviews or M is near singular.
 */
export function multiClassCorrection(input: MultiClassInput): MultiClass {
  const { judgeCounts, confusion, minPerLabel = MIN_PER_LABEL, maxCondition = MAX_CONDITION } = input
  const reviews = confusion.map(sum)
  const graded = sum(judgeCounts)
  if (!(graded >= 1)) return { shares: null, reason: 'no graded item' }
  const scarce = reviews.findIndex((count) => count < Math.max(1, minPerLabel))
  if (scarce >= 0) {
    const reason = `label ${input.names?.[scarce] ?? scarce + 1} has ${at(reviews, scarce)} reviews by the human label, fewer than ${minPerLabel}`
    return { shares: null, reason }
  }
  const rates = rowShares(confusion)
  const condition = conditionNumber(rates)
  const back = condition <= maxCondition ? inverse(transpose(rates)) : null
  if (back === null) {
    const reason = `the confusion matrix has condition number ${condition.toPrecision(3)}, over ${maxCondition}`
    return { shares: null, reason }
  }
  const judged = judgeCounts.map((count) => count / graded)
  const unconstrained = apply(back, judged)
  const inside = unconstrained.every((share) => share >= 0)
  const shares = inside ? unconstrained : simplexLeastSquares(transpose(rates), judged)
  if (shares === null) return { shares: null, reason: 'the constrained least squares found no solution' }
  return described({ back, judged, graded, rates, reviews, shares }, unconstrained, condition)
}

const rowShares = (counts: Matrix): Matrix => counts.map((row) => row.map((count) => count / sum(row)))

interface Fitted {
  readonly back: Matrix
  readonly judged: Vector
  readonly graded: number
  readonly rates: Matrix
  readonly reviews: Vector
  readonly shares: Vector
}

function described(fitted: Fitted, unconstrained: Vector, condition: number): MultiClassEstimate {
  const { back, judged, graded, rates, reviews, shares } = fitted
  const covariance = deltaCovariance(fitted)
  const intervalSe = roots(deltaCovariance(smoothed(fitted)))
  return {
    shares,
    unconstrained,
    covariance,
    se: roots(covariance),
    intervalSe,
    ci95: intervalSe.map((error, k) => intervalAround(at(unconstrained, k), error, at(shares, k))),
    conditionNumber: condition,
    ofGraded: (judge) => apply(back, deviation(judged, judge)).map((x) => x / graded),
    ofReview: (human, judge) => {
      const weight = -at(shares, human) / at(reviews, human)
      return apply(back, deviation(rowAt(rates, human), judge)).map((x) => x * weight)
    },
    reason: null,
  }
}

const roots = (covariance: Matrix): Vector => covariance.map((row, k) => Math.sqrt(Math.max(0, at(row, k))))

/** The same fit with the noise of rates that have `PSEUDO_COUNT` added: 0 errors of 20 is not a rate known to be 0. */
function smoothed(fitted: Fitted): Fitted {
  const add = (rates: Vector, count: number): Vector =>
    rates.map((rate) => (rate * count + PSEUDO_COUNT / rates.length) / (count + PSEUDO_COUNT))
  return {
    ...fitted,
    judged: add(fitted.judged, fitted.graded),
    rates: fitted.rates.map((row, k) => add(row, at(fitted.reviews, k))),
  }
}

function deltaCovariance({ back, judged, graded, rates, reviews, shares }: Fitted): Matrix {
  const noise = multinomialCovariance(judged).map((row, i) =>
    row.map((x, j) => {
      const fromReviews = shares.map((share, k) => {
        const rate = rowAt(rates, k)
        return (share ** 2 * (Number(i === j) * at(rate, i) - at(rate, i) * at(rate, j))) / at(reviews, k)
      })
      return x / graded + sum(fromReviews)
    }),
  )
  return multiply(multiply(back, noise), transpose(back))
}

const multinomialCovariance = (p: Vector): Matrix => p.map((x, i) => p.map((y, j) => Number(i === j) * x - x * y))

const deviation = (mean: Vector, label: number): Vector => mean.map((x, j) => Number(j === label) - x)

/** A normal interval around `centre`, clamped to [0, 1] and widened to hold the reported share. */
export function intervalAround(centre: number, se: number, share: number): Interval {
  return [Math.min(share, clamp(centre - Z95 * se)), Math.max(share, clamp(centre + Z95 * se))]
}
