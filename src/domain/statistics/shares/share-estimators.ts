import { seededRandom } from '../random.ts'
import type { CorrectionTable } from './correction-table.ts'
import { type Contribution, clusteredVariance } from './influence.ts'
import { at, dot, identity, range, rowAt, sum, type Vector } from './linear-algebra.ts'
import { bootstrapMultiClass } from './multi-class-bootstrap.ts'
import { intervalAround, type MultiClassEstimate, multiClassCorrection } from './multi-class-correction.ts'
import { ppiInfluence, ppiShares } from './ppi.ts'
import { reviewsToHalve } from './reviews-to-halve.ts'
import { type RoganGladen, roganGladen } from './rogan-gladen.ts'
import { type Interval, shareInterval } from './share-interval.ts'
import { simplexLeastSquares } from './simplex-least-squares.ts'
import { hajekInfluence, hajekShares, postStratifiedShares, type WeightedReview } from './weighted-shares.ts'

/** Shares and intervals by label; null for a label about which nothing can be said. */
interface Estimated {
  readonly shares: readonly (number | null)[]
  readonly ci95: readonly (Interval | null)[]
  readonly lambda?: number
  readonly conditionNumber?: number
  readonly effectiveReviews?: number
  readonly reviewsToHalve?: number | null
  readonly warnings: readonly string[]
  readonly reason: null
}
export type Estimation = Estimated | { readonly shares: null; readonly reason: string }

/** Below this many reviews by the human label the simulated coverage for a rare label falls towards 91%. */
const COMFORTABLE_PER_LABEL = 40
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
  const { variances } = clusteredVariance(contributions, raw.length)
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
      ...(units < 2 ? ['all reviews are of one task: what another would show cannot be told'] : []),
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
  const noise = sum(clusteredVariance(contributions, judged.length).variances)
  return { graded, effectiveGraded: noise > 0 ? (1 - dot(judged, judged)) / noise : graded }
}

/** Confusion-matrix correction over the labels that occur; those never given by human or judge stay null. */
export function byConfusionMatrix(table: CorrectionTable, labels: readonly string[], seed: number): Estimation {
  const reviewed = table.confusion.map(sum)
  const seen = range(labels.length).filter(
    (k) => at(reviewed, k) + at(table.judgeCounts, k) + sum(table.confusion.map((row) => at(row, k))) > 0,
  )
  if (seen.length < 2)
    return { shares: null, reason: 'one label alone occurs: how often the judge misses others is unknown' }
  const names = seen.map((k) => labels[k] ?? '')
  const input = {
    judgeCounts: seen.map((k) => at(table.judgeCounts, k)),
    confusion: seen.map((k) => seen.map((j) => at(rowAt(table.confusion, k), j))),
    names,
  }
  const estimate = multiClassCorrection(input)
  if (estimate.shares === null) return estimate
  const unseen = labels.filter((label) => !names.includes(label))
  const scarce = seen.some((k) => at(reviewed, k) < COMFORTABLE_PER_LABEL)
  const intervals = confusionIntervals(table, estimate, seen)
  return {
    shares: labels.map((label) => estimate.shares[names.indexOf(label)] ?? null),
    ci95: labels.map((label) => intervals[names.indexOf(label)] ?? null),
    conditionNumber: estimate.conditionNumber,
    warnings: [
      ...(unseen.length > 0 ? [`given by neither human nor judge, taken as absent: ${unseen.join(', ')}`] : []),
      ...(scarce ? [`under ${COMFORTABLE_PER_LABEL} reviews of some label: its interval may be too narrow`] : []),
      ...(estimate.unconstrained.some((share) => share < 0)
        ? ['the plain solution had a share below 0: the nearest shares in least squares are given']
        : []),
      ...bootstrapWarning(input, estimate, seed),
    ],
    reason: null,
  }
}

/** Two labels and no clusters: the interval of Lee et al.; else delta method, scaled by what clusters add. */
function confusionIntervals(
  table: CorrectionTable,
  estimate: MultiClassEstimate,
  seen: readonly number[],
): readonly Interval[] {
  const place = (label: number): number => seen.indexOf(label)
  const contributions = [
    ...itemsOf(
      table,
      ({ graded }) => graded,
      (judge) => estimate.ofGraded(place(judge)),
    ),
    ...table.reviews.map(({ human, judge, cluster }) => ({
      psi: estimate.ofReview(place(human), place(judge)),
      count: 1,
      cluster,
    })),
  ]
  const { variances, clusters } = clusteredVariance(contributions, seen.length)
  const lee = clusters === 0 && seen.length === 2 ? leeIntervals(table, seen) : null
  if (lee !== null) return lee
  return estimate.shares.map((share, k) => {
    const plain = at(estimate.se, k)
    const inflation = clusters > 0 && plain > 0 ? Math.sqrt(at(variances, k)) / plain : 1
    return intervalAround(at(estimate.unconstrained, k), at(estimate.intervalSe, k) * inflation, share)
  })
}

function leeIntervals(table: CorrectionTable, [zero = 0, one = 1]: readonly number[]): readonly Interval[] | null {
  const cell = (human: number, judge: number): number => at(rowAt(table.confusion, human), judge)
  const n = at(table.judgeCounts, zero) + at(table.judgeCounts, one)
  const m0 = cell(zero, zero) + cell(zero, one)
  const m1 = cell(one, zero) + cell(one, one)
  const rates = { p: at(table.judgeCounts, one) / n, q0: cell(zero, zero) / m0, q1: cell(one, one) / m1 }
  const estimate: RoganGladen = roganGladen({ ...rates, n, m0, m1 })
  if (estimate.value === null) return null
  const [low, high] = estimate.ci95
  return [
    [1 - high, 1 - low],
    [low, high],
  ]
}

/** The delta method is a linear approximation; where a bootstrap sees a clearly wider spread, say so. */
function bootstrapWarning(
  input: Parameters<typeof bootstrapMultiClass>[0],
  estimate: MultiClassEstimate,
  seed: number,
): string[] {
  const check = bootstrapMultiClass(input, seededRandom(seed), 200)
  const wider = check?.se.some((se, k) => se > 1.3 * at(estimate.intervalSe, k)) ?? false
  return wider ? ['a bootstrap spreads over 30% wider than the delta method: the intervals are too narrow'] : []
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
