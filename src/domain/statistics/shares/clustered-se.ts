import type { UndefinedReason } from '../../../schemas/audit/agreement.ts'

/** A mean with its standard errors: as if scores were independent, and with clusters of them taken into account. */
interface ClusteredMean {
  readonly mean: number | null
  /** √(Σ (s_i − s̄)² / n²). Null with fewer than two scores. */
  readonly se_independent: number | null
  /** Null with fewer than two clusters. */
  readonly se_clustered: number | null
  readonly n: number
  readonly n_clusters: number
  readonly reason: UndefinedReason | null
}

/**
 * Standard error of a mean of clustered scores: SE² = SE_CLT² + n⁻² Σ_c Σ_{i≠j∈c} (s_i − s̄)(s_j − s̄), which is
 * n⁻² Σ_c (Σ_{i∈c} (s_i − s̄))². Miller, "Adding error bars to evals" (arXiv 2411.00640), section 2.2.
 * `reason` is `no_cases` without scores, `too_few_units` where a standard error is null. Throws a RangeError for a score that is not
 * finite.
 */
export function clusteredMean(scores: readonly { readonly score: number; readonly cluster: string }[]): ClusteredMean {
  const n = scores.length
  if (!scores.every(({ score }) => Number.isFinite(score))) throw new RangeError('a score is a finite number')
  if (n === 0) return { mean: null, se_independent: null, se_clustered: null, n, n_clusters: 0, reason: 'no_cases' }
  const mean = scores.reduce((sum, { score }) => sum + score, 0) / n
  const deviations = new Map<string, number>()
  let squares = 0
  for (const { score, cluster } of scores) {
    squares += (score - mean) ** 2
    deviations.set(cluster, (deviations.get(cluster) ?? 0) + (score - mean))
  }
  let clusterSquares = 0
  for (const deviation of deviations.values()) clusterSquares += deviation * deviation
  const n_clusters = deviations.size
  return {
    mean,
    se_independent: n < 2 ? null : Math.sqrt(squares) / n,
    se_clustered: n_clusters < 2 ? null : Math.sqrt(clusterSquares) / n,
    n,
    n_clusters,
    reason: n_clusters < 2 ? 'too_few_units' : null,
  }
}
