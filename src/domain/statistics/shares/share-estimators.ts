import type { CorrectionTable } from './correction-table.ts'
import {
  apply,
  at,
  dot,
  identity,
  type Matrix,
  multiply,
  range,
  rowAt,
  solveVector,
  sum,
  transpose,
  type Vector,
} from './linear-algebra.ts'
import { ppiInfluence, ppiShares } from './ppi.ts'
import { type Interval, reviewsToHalve, shareInterval } from './share-interval.ts'
import { hajekInfluence, hajekShares, postStratifiedShares, type WeightedReview } from './weighted-shares.ts'

/** Shares and intervals by label; null for a label about which nothing can be said. */
interface Estimated {
  readonly shares: readonly (number | null)[]
  readonly ci95: readonly (Interval | null)[]
  readonly lambda?: number
  readonly effectiveReviews?: number
  readonly reviewsToHalve?: number | null
  readonly warnings: readonly string[]
  readonly reason: null
}
export type Estimation = Estimated | { readonly shares: null; readonly reason: string }

const FEW_EFFECTIVE = 30

export function byPpi(table: CorrectionTable): Estimation {
  const input = { confusion: table.confusion, unreviewed: table.unreviewed }
  const estimate = ppiShares(input)
  if (estimate.shares === null) return estimate
  const { ofReview, ofOther } = ppiInfluence(input, estimate)
  const contributions = [
    ...itemsOf(table, ({ unreviewed }) => unreviewed, ofOther),
    ...table.reviews.map(({ human, judge, cluster }) => ({ psi: ofReview(human, judge), count: 1, cluster })),
  ]
  return { ...onSimplex(table, estimate.shares, contributions, table.reviews.length), lambda: estimate.lambda }
}

export function byJudgeStratum(table: CorrectionTable, labels: readonly string[]): Estimation {
  const estimate = postStratifiedShares(table.confusion, table.judgeCounts, labels)
  if (estimate.shares === null) return estimate
  const contributions = [
    ...itemsOf(table, ({ graded }) => graded, estimate.ofGraded),
    ...table.reviews
      .filter(({ judge }) => at(table.judgeCounts, judge) > 0)
      .map(({ human, judge, cluster }) => ({ psi: estimate.ofReview(human, judge), count: 1, cluster })),
  ]
  return onSimplex(table, estimate.shares, contributions, table.reviews.length)
}

/** Hájek's estimator; with weights of 1, the plain human shares. */
export function byWeight(table: CorrectionTable, weights: Vector): Estimation {
  const reviews: WeightedReview[] = table.reviews.map(({ human, cluster }, i) => ({
    label: human,
    weight: at(weights, i),
    cluster,
  }))
  const estimate = hajekShares(reviews, table.judgeCounts.length)
  if (estimate.shares === null) return estimate
  const influence = hajekInfluence(estimate.shares, sum(weights))
  const contributions = reviews.map((review) => ({ psi: influence(review), count: 1, cluster: review.cluster ?? null }))
  const warnings =
    estimate.effectiveSize < FEW_EFFECTIVE
      ? [`uneven weights leave the worth of ${estimate.effectiveSize.toFixed(1)} even reviews`]
      : []
  const made = onSimplex(table, estimate.shares, contributions, estimate.effectiveSize)
  return { ...made, effectiveReviews: estimate.effectiveSize, warnings: [...made.warnings, ...warnings] }
}

/**
 * Shares moved onto the simplex where they left it, with intervals that allow for clusters.
 *
 * @param size even reviews that these are worth
 */
function onSimplex(
  table: CorrectionTable,
  raw: Vector,
  contributions: readonly Contribution[],
  size: number,
): Estimated {
  const variances = clusteredVariance(contributions, raw.length)
  const moved = raw.some((share) => share < 0) ? simplexLeastSquares(identity(raw.length), raw) : null
  const shares = moved ?? raw
  const units = Math.min(size, unitsOf(table))
  const ci95 = raw.map((share, k) => {
    const interval = shareInterval(share, at(variances, k), { reviews: size, units })
    return interval && ([Math.min(interval[0], at(shares, k)), Math.max(interval[1], at(shares, k))] as const)
  })
  return {
    shares,
    ci95,
    reviewsToHalve: reviewsToHalve({ shares, ci95, units, reviews: table.reviews.length, ...gradedOf(table) }),
    warnings: [
      ...(moved === null ? [] : ['a share came out below 0 and was set to 0, the others moved to match']),
      ...(units < 2 ? ['the reviews are worth less than two tasks: what another would show cannot be told'] : []),
    ],
    reason: null,
  }
}

/** Tasks among the reviews, and the reviews that name none. */
const unitsOf = ({ reviews }: CorrectionTable): number =>
  new Set(reviews.map(({ cluster }, place) => cluster ?? place)).size

/** Graded items, and how many independent ones tell as much of the judge’s shares. */
function gradedOf(table: CorrectionTable): { readonly graded: number; readonly effectiveGraded: number } {
  const graded = sum(table.judgeCounts)
  const judged = table.judgeCounts.map((count) => count / graded)
  const contributions = itemsOf(
    table,
    (counts) => counts.graded,
    (judge) => judged.map((share, k) => (Number(k === judge) - share) / graded),
  )
  const noise = sum(clusteredVariance(contributions, judged.length))
  return { graded, effectiveGraded: noise > 0 ? (1 - dot(judged, judged)) / noise : graded }
}

/** Items counted per cluster and label as contributions; only labels that occur are asked for. */
function itemsOf(
  table: CorrectionTable,
  counts: (cluster: CorrectionTable['clusters'][number]) => Vector,
  influence: (judge: number) => Vector,
): Contribution[] {
  const psi = new Map<number, Vector>()
  return table.clusters.flatMap((cluster) =>
    counts(cluster).flatMap((count, judge) => {
      if (count === 0) return []
      const known = psi.get(judge) ?? influence(judge)
      psi.set(judge, known)
      return [{ psi: known, count, cluster: cluster.cluster }]
    }),
  )
}

/** What `count` like items of one cluster each add to an estimate (its influence, one number per label, mean 0). */
interface Contribution {
  readonly psi: Vector
  readonly count: number
  /** Items of one cluster (a task) are not independent; null is a cluster of its own per item. */
  readonly cluster: string | null
}

/**
 * Variance of an estimate per label: Var = Σ_c (Σ_{i∈c} ψ_i)², the cluster-robust variance (Miller, arXiv 2411.00640, section 2.2, for a mean; Liang & Zeger
 * 1986). With no cluster it is Σ ψ_i²: the usual variance with divisor n (ddof 0), as in ppi_py.
 */
export function clusteredVariance(contributions: Iterable<Contribution>, labels: number): Vector {
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
  return variances
}

function addInto(vector: number[], amount: (k: number) => number): void {
  for (const k of vector.keys()) vector[k] = at(vector, k) + amount(k)
}

/**
 * The x ≥ 0 with Σx = 1 that makes ‖A·x − b‖² least: shares nearest to what was seen, where the plain solution left the
 * simplex. Primal active-set method for a convex quadratic program (Nocedal & Wright, Numerical Optimization, 16.5);
 * exact and finite for an A of full column rank. Null when a subproblem is singular.
 */
export function simplexLeastSquares(a: Matrix, b: Vector): Vector | null {
  const size = a[0]?.length ?? 0
  const gram = multiply(transpose(a), a)
  const target = apply(transpose(a), b)
  let free = range(size)
  let x: Vector = range(size).map(() => 1 / size)
  for (let step = 0; step < 100 * (size + 1); step++) {
    const stationary = onFree(gram, target, free)
    if (stationary === null) return null
    const blocking = free.filter((i) => at(stationary.x, i) < 0)
    if (blocking.length > 0) {
      const moved = moveToBoundary(x, stationary.x, blocking)
      free = free.filter((i) => i !== moved.blocked)
      x = moved.x
      continue
    }
    x = stationary.x
    const slopes = range(size).map((i) => dot(rowAt(gram, i), x) - at(target, i) + stationary.multiplier)
    const worst = range(size).reduce(
      (low, i) => (!free.includes(i) && at(slopes, i) < at(slopes, low) ? i : low),
      at(free, 0),
    )
    if (free.includes(worst) || at(slopes, worst) > -1e-12) return x
    free = [...free, worst].sort((i, j) => i - j)
  }
  return null
}

/** The least point of Σx = 1 with everything outside `free` held at 0, from its Lagrange conditions. */
function onFree(gram: Matrix, target: Vector, free: readonly number[]): { x: Vector; multiplier: number } | null {
  const lagrange = [...free.map((i) => [...free.map((j) => at(rowAt(gram, i), j)), 1]), [...free.map(() => 1), 0]]
  const solution = solveVector(lagrange, [...free.map((i) => at(target, i)), 1])
  if (solution === null) return null
  const x = gram.map((_, i) => (free.includes(i) ? at(solution, free.indexOf(i)) : 0))
  return { x, multiplier: at(solution, free.length) }
}

/** As far towards `goal` as no coordinate turns negative, and the coordinate that stopped the move. */
function moveToBoundary(x: Vector, goal: Vector, blocking: readonly number[]): { x: Vector; blocked: number } {
  const room = (i: number): number => at(x, i) / (at(x, i) - at(goal, i))
  const blocked = blocking.reduce((first, i) => (room(i) < room(first) ? i : first), at(blocking, 0))
  const length = room(blocked)
  const moved = x.map((value, i) => (i === blocked ? 0 : Math.max(0, value + length * (at(goal, i) - value))))
  return { x: moved, blocked }
}
