import { at, range, type Vector } from './linear-algebra.ts'

/** What `count` like items of one cluster each add to an estimate (its influence, one number per label, mean 0). */
export interface Contribution {
  readonly psi: Vector
  readonly count: number
  /** Items of one cluster (a task) are not independent; null is a cluster of its own per item. */
  readonly cluster: string | null
}

/** Variance of an estimate per label, and how many named clusters stand behind it. */
interface ClusteredVariance {
  readonly variances: Vector
  readonly clusters: number
}

/**
 * Var = Σ_c (Σ_{i∈c} ψ_i)², the cluster-robust variance (Miller, arXiv 2411.00640, section 2.2, for a mean; Liang & Zeger
 * 1986). With no cluster it is Σ ψ_i²: the usual variance with divisor n (ddof 0), as in ppi_py.
 */
export function clusteredVariance(contributions: Iterable<Contribution>, labels: number): ClusteredVariance {
  const variances = range(labels).map(() => 0)
  const totals = new Map<string, number[]>()
  for (const { psi, count, cluster } of contributions) {
    if (cluster === null) {
      addInto(variances, (k) => count * at(psi, k) ** 2)
      continue
    }
    const total = totals.get(cluster) ?? range(labels).map(() => 0)
    addInto(total, (k) => count * at(psi, k))
    totals.set(cluster, total)
  }
  for (const total of totals.values()) addInto(variances, (k) => at(total, k) ** 2)
  return { variances, clusters: totals.size }
}

function addInto(vector: number[], amount: (k: number) => number): void {
  for (const k of vector.keys()) vector[k] = at(vector, k) + amount(k)
}
