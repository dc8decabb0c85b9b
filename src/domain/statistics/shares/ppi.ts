import { at, dot, type Matrix, range, sum, transpose, type Vector } from './linear-algebra.ts'
import { clamp } from './share-interval.ts'

/** A fixed λ (0: humans alone, 1: plain PPI), or `tuned`: PPI++. */
type Lambda = number | 'tuned'

/** Prediction-powered estimates, one entry per label. Shares are not clamped, as in ppi_py. */
export interface PpiEstimate {
  readonly shares: Vector
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
 * Shares of K labels from n reviewed and N other graded items: θ̂ = λF̄_U + mean(Y − λF) (PPI: Angelopoulos et al. 2023, Science
 * 382:669; PPI++: arXiv 2311.01453). One λ serves all labels, so the shares add to 1; λ by label would not. The variance of
 * `ppiInfluence` is that of ppi_py’s `ppi_mean_ci`, λ²Var(F_U)/N + Var(Y − λF)/n with ddof 0; its normal interval is too narrow for
 * tens of reviews, see `shareInterval`.
 */
export function ppiShares(table: PpiTable): Ppi {
  const { confusion, unreviewed, lambda = 'tuned' } = table
  const n = sum(confusion.flat())
  const total = sum(unreviewed)
  if (n < 2 || total < 2)
    return { shares: null, reason: 'fewer than two reviewed, or fewer than two other graded items' }
  const human = confusion.map((row) => sum(row) / n)
  const judge = transpose(confusion).map((column) => sum(column) / n)
  const others = unreviewed.map((count) => count / total)
  const power = lambda === 'tuned' ? tunedLambda(table, human, judge, n) : lambda
  const rectifier = human.map((share, k) => share - power * at(judge, k))
  const shares = rectifier.map((mean, k) => power * at(others, k) + mean)
  return { shares, lambda: power, rectifier, reason: null }
}

/**
 * λ = ΣCov(Y, F)/((1 + n/N) ΣVar(F)) over labels, the covariance with ddof 0, the variance over all items with ddof 1, clipped to
 * [0, 1]: the `overall` mode of `_calc_lam_glm` in ppi_py. A judge that says the same of everything tells nothing: 0, where ppi_py
 * divides 0 by 0.
 */
function tunedLambda({ confusion, unreviewed }: PpiTable, human: Vector, judge: Vector, n: number): number {
  const others = sum(unreviewed)
  const size = n + others
  const covariance = sum(confusion.map((row, k) => at(row, k))) / n - dot(human, judge)
  const pooled = judge.map((share, k) => (share * n + at(unreviewed, k)) / size)
  const variance = (sum(pooled.map((share) => share * (1 - share))) * size) / (size - 1)
  return variance > 0 ? clamp(covariance / ((1 + n / others) * variance)) : 0
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
