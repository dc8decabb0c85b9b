import { at, range, sum, type Vector } from './linear-algebra.ts'

/** A reviewed item by the places of its labels. */
export interface StratifiedReview {
  readonly human: number
  readonly stratum: number
  /** The inverse of the probability of the review, up to a factor in each stratum. */
  readonly weight: number
  readonly cluster: string | null
}

/** Graded items of one stratum and cluster. */
export interface GradedItems {
  readonly stratum: number
  readonly count: number
  readonly cluster: string | null
}

interface WeightedShares {
  readonly shares: Vector
  readonly variances: Vector
  /** Kish's effective number of reviews, (Σw)²/Σw² (Survey Sampling, 1965, 11.7). */
  readonly effectiveSize: number
}

/**
 * Estimates the shares of K labels as a weighted mean of reviews: in each stratum Hájek's mean Σwy/Σw (Hájek 1971; Särndal, Swensson and Wretman,
 * Model Assisted Survey Sampling, 1992, 5.7), and the strata by their graded items, π̂_k = Σ_s q_s P̂_s(k) (double sampling for stratification:
 * Neyman 1938; Cochran, Sampling Techniques, 1977, 12.2). The linearized variance is that of reviews in strata, Σ_s q_s²P(1 − P)/(n_s − 1), and of
 * the graded items, Σ_s q_s(P_s − π)²/N, both over clusters. One stratum gives Hájek's estimate alone, with divisor n. Every stratum with
 * graded items needs a review, and two where there are several strata.
 */
export function weightedShares(
  labels: number,
  reviews: readonly StratifiedReview[],
  graded: readonly GradedItems[],
): WeightedShares {
  const total = sum(graded.map(({ count }) => count))
  const byStratum = Map.groupBy(reviews, ({ stratum }) => stratum)
  const strata = new Map([...byStratum].map(([stratum, own]) => [stratum, stratumOf(labels, own)]))
  const share = new Map<number, number>()
  for (const { stratum, count } of graded) share.set(stratum, (share.get(stratum) ?? 0) + count / total)
  const meanOf = (stratum: number): Vector => strata.get(stratum)?.mean ?? range(labels).map(() => 0)
  const shares = range(labels).map((k) => sum([...share].map(([stratum, q]) => q * at(meanOf(stratum), k))))
  const ofReviews = reviews.map(({ human, stratum, weight, cluster }): Contribution => {
    const { mean, weights, n } = strata.get(stratum) ?? { mean: [], weights: 1, n: 2 }
    const scale = ((share.get(stratum) ?? 0) * weight * (strata.size > 1 ? Math.sqrt(n / (n - 1)) : 1)) / weights
    return { psi: mean.map((own, k) => scale * (Number(k === human) - own)), count: 1, cluster }
  })
  const ofGraded = graded.map(({ stratum, count, cluster }): Contribution => {
    const mean = meanOf(stratum)
    return { psi: shares.map((own, k) => (at(mean, k) - own) / total), count, cluster }
  })
  const weights = reviews.map(({ weight }) => weight)
  return {
    shares,
    variances: clusteredVariance([...ofReviews, ...ofGraded], labels),
    effectiveSize: sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2)),
  }
}

function stratumOf(labels: number, reviews: readonly StratifiedReview[]) {
  const weights = sum(reviews.map(({ weight }) => weight))
  const weightOf = (label: number) => sum(reviews.map(({ human, weight }) => (human === label ? weight : 0)))
  return { mean: range(labels).map((k) => weightOf(k) / weights), weights, n: reviews.length }
}

/** The influence on an estimate (one number per label, mean 0) of `count` like items. */
interface Contribution {
  readonly psi: Vector
  readonly count: number
  /** Items of one cluster (a task) are not independent; null: each item is a cluster of its own. */
  readonly cluster: string | null
}

/**
 * Returns the variance of an estimate per label: Var = Σ_c (Σ_{i∈c} ψ_i)², the cluster-robust variance (Miller, arXiv 2411.00640, section 2.2, for
 * a mean; Liang and Zeger 1986). Without clusters it is Σ ψ_i²: the usual variance with divisor n.
 */
export function clusteredVariance(contributions: readonly Contribution[], labels: number): Vector {
  const variances = range(labels).map(() => 0)
  const add = (to: number[], amount: (k: number) => number) => {
    for (const k of to.keys()) to[k] = at(to, k) + amount(k)
  }
  const totals = new Map<string, number[]>()
  for (const { psi, count, cluster } of contributions) {
    if (cluster === null) {
      add(variances, (k) => count * at(psi, k) ** 2)
      continue
    }
    const total = totals.get(cluster) ?? range(labels).map(() => 0)
    add(total, (k) => count * at(psi, k))
    totals.set(cluster, total)
  }
  for (const total of totals.values()) add(variances, (k) => at(total, k) ** 2)
  return variances
}
