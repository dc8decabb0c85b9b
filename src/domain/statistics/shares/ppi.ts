import { Z95 } from '../intervals.ts'
import { at, dot, type Matrix, range, sum, transpose, type Vector } from './linear-algebra.ts'
import { clamp, type Interval } from './share-interval.ts'

/** A fixed λ (0: humans alone, 1: plain PPI), or `tuned`: PPI++. */
type Lambda = number | 'tuned'

/** Prediction-powered estimates, one entry per label. Neither shares nor intervals are clamped, as in ppi_py. */
export interface PpiEstimate {
  readonly shares: Vector
  readonly ci95: readonly Interval[]
  readonly se: Vector
  readonly lambda: number
  /** mean(Y − λF) over the reviewed items: what the humans change. */
  readonly rectifier: Vector
  readonly reason: null
}
type Ppi = PpiEstimate | { readonly shares: null; readonly reason: string }

/** Reviewed items as a table of counts, human label by judge label, and the judge's counts on the items not reviewed. */
export interface PpiTable {
  readonly confusion: Matrix
  readonly unreviewed: Vector
  readonly lambda?: Lambda
}

/**
 * Shares of K labels from n reviewed and N other graded items: θ̂ = λF̄_U + mean(Y − λF), SE² = λ²Var(F_U)/N + Var(Y − λF)/n,
 * both variances with ddof 0 (PPI: Angelopoulos et al. 2023, Science 382:669; PPI++: arXiv 2311.01453; `ppi_mean_ci` of
 * ppi_py). One λ serves all labels, so the shares add to 1; λ by label would not.
 */
export function ppiShares({ confusion, unreviewed, lambda = 'tuned' }: PpiTable): Ppi {
  const n = sum(confusion.flat())
  const total = sum(unreviewed)
  if (n < 2 || total < 2)
    return { shares: null, reason: 'fewer than two reviewed, or fewer than two other graded items' }
  const human = confusion.map((row) => sum(row) / n)
  const judge = transpose(confusion).map((column) => sum(column) / n)
  const others = unreviewed.map((count) => count / total)
  const both = confusion.map((row, k) => at(row, k) / n)
  const power = lambda === 'tuned' ? tunedLambda(labelMoments(human, judge, both, unreviewed, n), n, total) : lambda
  const rectifier = human.map((share, k) => share - power * at(judge, k))
  // Y − λF is 1 − λ, 1 or −λ on the items that human and judge, the human alone, the judge alone gave the label.
  const rectified = rectifier.map((mean, k) => {
    const square =
      at(both, k) * (1 - power) ** 2 + at(human, k) - at(both, k) + (at(judge, k) - at(both, k)) * power ** 2
    return square - mean ** 2
  })
  const imputed = others.map((share) => power ** 2 * share * (1 - share))
  const shares = rectifier.map((mean, k) => power * at(others, k) + mean)
  const se = rectified.map((variance, k) => Math.sqrt(Math.max(0, variance) / n + at(imputed, k) / total))
  return { shares, se, ci95: intervals(shares, se), lambda: power, rectifier, reason: null }
}

/** Σ over labels of Cov(Y, F) with ddof 0 and of Var(F) over all items with ddof 1: what λ is tuned on. */
interface Moments {
  readonly covariance: number
  readonly pooledVariance: number
}

function labelMoments(human: Vector, judge: Vector, both: Vector, unreviewed: Vector, n: number): Moments {
  const size = n + sum(unreviewed)
  const pooled = judge.map((share, k) => (share * n + at(unreviewed, k)) / size)
  return {
    covariance: sum(both) - dot(human, judge),
    pooledVariance: (sum(pooled.map((share) => share * (1 - share))) * size) / (size - 1),
  }
}

/**
 * λ = ΣCov(Y, F)/((1 + n/N) ΣVar(F)), clipped to [0, 1]: the `overall` mode of `_calc_lam_glm` in ppi_py. A judge that says
 * the same of everything tells nothing: 0, where ppi_py divides 0 by 0.
 */
const tunedLambda = ({ covariance, pooledVariance }: Moments, n: number, total: number): number =>
  pooledVariance > 0 ? clamp(covariance / ((1 + n / total) * pooledVariance)) : 0

/** Reviewed items' values by humans and judge, in one order, and the judge's values of the other items. */
interface PpiValues {
  readonly humans: Vector
  readonly judges: Vector
  readonly unreviewed: Vector
  readonly lambda?: Lambda
}

/** The same for the mean of any numbers (a rate of 0s and 1s, a score); vectors of length one in the result. */
export function ppiMean({ humans, judges, unreviewed, lambda = 'tuned' }: PpiValues): Ppi {
  const n = humans.length
  const total = unreviewed.length
  if (judges.length !== n) return { shares: null, reason: 'each human value needs the judge value of the same item' }
  if (n < 2 || total < 2)
    return { shares: null, reason: 'fewer than two reviewed, or fewer than two other graded items' }
  const covariance = dot(humans, judges) / n - mean(humans) * mean(judges)
  const pooled = [...judges, ...unreviewed]
  const pooledVariance = (variance(pooled) * pooled.length) / (pooled.length - 1)
  const power = lambda === 'tuned' ? tunedLambda({ covariance, pooledVariance }, n, total) : lambda
  const rectified = humans.map((value, i) => value - power * at(judges, i))
  const rectifier = [mean(rectified)]
  const shares = [power * mean(unreviewed) + mean(rectified)]
  const se = [Math.sqrt((power ** 2 * variance(unreviewed)) / total + variance(rectified) / n)]
  return { shares, se, ci95: intervals(shares, se), lambda: power, rectifier, reason: null }
}

/** What each item adds to the estimate for a given λ: for variances over clusters. `judge` and `human` are label places. */
export function ppiInfluence({ confusion, unreviewed }: PpiTable, { lambda, rectifier }: PpiEstimate) {
  const n = sum(confusion.flat())
  const total = sum(unreviewed)
  const labels = range(unreviewed.length)
  return {
    ofReview: (human: number, judge: number): Vector =>
      labels.map((k) => (Number(k === human) - lambda * Number(k === judge) - at(rectifier, k)) / n),
    ofOther: (judge: number): Vector =>
      labels.map((k) => (lambda * (Number(k === judge) - at(unreviewed, k) / total)) / total),
  }
}

const mean = (values: Vector): number => sum(values) / values.length
const variance = (values: Vector): number => {
  const centre = mean(values)
  return sum(values.map((value) => (value - centre) ** 2)) / values.length
}
const intervals = (shares: Vector, se: Vector): Interval[] =>
  shares.map((share, k) => [share - Z95 * at(se, k), share + Z95 * at(se, k)])
