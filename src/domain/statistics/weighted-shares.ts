/** A reviewed item by the places of its labels. */
interface StratifiedReview {
  readonly human: number
  readonly stratum: number
  /** The inverse of the probability of the review, up to a factor in each stratum. */
  readonly weight: number
  readonly cluster: string | null
}

/** Graded items of one stratum and cluster. */
interface GradedItems {
  readonly stratum: number
  readonly count: number
  readonly cluster: string | null
}

/**
 * Estimates the shares of K labels as a weighted mean of reviews: in each stratum Hájek's mean Σwy/Σw (Hájek 1971; Särndal, Swensson and Wretman,
 * Model Assisted Survey Sampling, 1992, 5.7), and the strata by their graded items, π̂_k = Σ_s q_s P̂_s(k) (double sampling for stratification:
 * Neyman 1938; Cochran, Sampling Techniques, 1977, 12.2). The linearized variance is that of reviews in strata, Σ_s q_s²P(1 − P)/(n_s − 1), and of
 * the graded items, Σ_s q_s(P_s − π)²/N, both over clusters. One stratum gives Hájek's estimate alone, with divisor n. Every stratum with
 * graded items needs a review, and two where there are several strata and it has two graded items.
 */
export function weightedShares(labels: number, reviews: readonly StratifiedReview[], graded: readonly GradedItems[]) {
  const total = sum(graded.map(({ count }) => count))
  const byStratum = [...Map.groupBy(reviews, ({ stratum }) => stratum)].map(([stratum, own]) => {
    const weights = sum(own.map(({ weight }) => weight))
    const weightOf = (label: number) => sum(own.map(({ human, weight }) => (human === label ? weight : 0)))
    const mean = range(labels).map((label) => weightOf(label) / weights)
    const share = sum(graded.map((one) => (one.stratum === stratum ? one.count / total : 0)))
    return [stratum, { share, mean, own: share / weights, n: own.length }] as const
  })
  const strata = new Map(byStratum)
  const shares = range(labels).map((k) => sum(byStratum.map(([, { share, mean }]) => share * at(mean, k))))
  const ofReviews = reviews.map(({ human, stratum, weight, cluster }): Contribution => {
    const { mean, own, n } = strata.get(stratum) ?? { mean: [], own: 0, n: 2 }
    const scale = own * weight * (strata.size > 1 ? Math.sqrt(n / Math.max(1, n - 1)) : 1)
    return { psi: mean.map((part, k) => scale * (Number(k === human) - part)), count: 1, cluster }
  })
  const ofGraded = graded.map(({ stratum, count, cluster }): Contribution => {
    const { mean } = strata.get(stratum) ?? { mean: shares }
    return { psi: shares.map((share, k) => (at(mean, k) - share) / total), count, cluster }
  })
  const weights = reviews.map(({ weight }) => weight)
  return {
    shares,
    variances: clusteredVariance([...ofReviews, ...ofGraded], labels),
    /** Kish's effective number of reviews, (Σw)²/Σw² (Survey Sampling, 1965, 11.7). */
    effectiveSize: sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2)),
  }
}

/** Influence on an estimate (one number per label, mean 0) of `count` like items. */
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

/** Numbers by label, of up to about ten labels. */
export type Vector = readonly number[]

/** Returns entry `i`. Throws outside the vector: a shape error is a mistake of ours. */
export function at(vector: Vector, i: number): number {
  const value = vector[i]
  if (value === undefined) throw new RangeError(`no entry ${i} in a vector of length ${vector.length}`)
  return value
}

export const sum = (vector: Vector): number => vector.reduce((total, x) => total + x, 0)
export const range = (k: number): readonly number[] => Array.from({ length: k }, (_, i) => i)

/** Linear quantile of sorted values, type 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996), as in R; NaN without values. */
export function quantile(sorted: ArrayLike<number>, probability: number): number {
  const place = (sorted.length - 1) * probability
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN
  return low + (high - low) * (place - below)
}
