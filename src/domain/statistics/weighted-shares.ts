interface InStratum {
  readonly stratum: number
  readonly cluster: string | null
}
/** A reviewed item; the weight is the inverse of the probability of the review, up to a factor in each stratum. */
type StratifiedReview = InStratum & { readonly weight: number }
/** Graded items of one stratum and cluster. */
type GradedItems = InStratum & { readonly count: number }

/**
 * Gives each review a weight, by which shares of any categories are estimated: in each stratum Hájek's mean Σwy/Σw (Hájek 1971; Särndal, Swensson
 * and Wretman, Model Assisted Survey Sampling, 1992, 5.7), and the strata by their graded items, π̂_k = Σ_s q_s P̂_s(k) (double sampling for
 * stratification: Neyman 1938; Cochran, Sampling Techniques, 1977, 12.2). The linearized variance is that of reviews in strata,
 * Σ_s q_s²P(1 − P)/(n_s − 1), and of the graded items, Σ_s q_s(P_s − π)²/N, both over clusters. One stratum gives Hájek's estimate alone, with
 * divisor n. Every stratum with graded items needs a review, and two where there are several strata and it has two graded items.
 *
 * @returns the estimate of the shares of K categories, with `places[i]` the category of review i. A review at −1 is outside of the categories:
 *   the shares are of the others, ratios of two estimates (a domain: Särndal, Swensson and Wretman 1992, 5.8). The same weights make the
 *   share of a union of categories the sum of their shares.
 */
export function weighReviews(reviews: readonly StratifiedReview[], graded: readonly GradedItems[]) {
  const total = sum(graded.map(({ count }) => count))
  const weightAt = (i: number): number => reviews[i]?.weight ?? 0
  const strata = [...Map.groupBy(reviews.keys(), (i) => reviews[i]?.stratum ?? 0)].map(([stratum, own]) => {
    const items = graded.filter((one) => one.stratum === stratum)
    return { own, items, share: sum(items.map(({ count }) => count)) / total, weights: sum(own.map(weightAt)) }
  })
  return (categories: number, places: Vector) => {
    const means = strata.map(({ own, weights }) =>
      range(categories).map((k) => sum(own.map((i) => (at(places, i) === k ? weightAt(i) : 0))) / weights),
    )
    const mass = range(categories).map((k) => sum(strata.map(({ share }, s) => share * at(means[s] ?? [], k))))
    const whole = sum(mass)
    const shares = mass.map((part) => part / whole)
    const ofRatio = (psi: Vector): Vector => psi.map((part, k) => (part - at(shares, k) * sum(psi)) / whole)
    const contributions = strata.flatMap(({ own, items, share, weights }, s): Contribution[] => {
      const mean = means[s] ?? []
      const scale = (share / weights) * (strata.length > 1 ? Math.sqrt(own.length / Math.max(1, own.length - 1)) : 1)
      const graded = ofRatio(mean.map((part, k) => (part - at(mass, k)) / total))
      return [
        ...own.map((i) => {
          const psi = mean.map((part, k) => scale * weightAt(i) * (Number(k === at(places, i)) - part))
          return { psi: ofRatio(psi), count: 1, cluster: reviews[i]?.cluster ?? null }
        }),
        ...items.map(({ count, cluster }) => ({ psi: graded, count, cluster })),
      ]
    })
    const inside = reviews.filter((_, i) => at(places, i) >= 0)
    const weights = inside.map(({ weight }) => weight)
    /** Kish's effective number of reviews, (Σw)²/Σw² (Survey Sampling, 1965, 11.7). */
    const items = sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2))
    const units = Math.min(items, new Set(inside.map(({ cluster }, place) => cluster ?? place)).size)
    return { shares, variances: clusteredVariance(contributions, categories), items, units }
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
