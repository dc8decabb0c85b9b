import { seededRandom } from '../random.ts'
import type { CorrectionTable } from './correction-table.ts'
import { clusteredVariance } from './influence.ts'
import { at, range, rowAt, sum } from './linear-algebra.ts'
import { bootstrapMultiClass } from './multi-class-bootstrap.ts'
import { intervalAround, type MultiClassEstimate, multiClassCorrection } from './multi-class-correction.ts'
import { type RoganGladen, roganGladen } from './rogan-gladen.ts'
import { type Estimation, itemsOf } from './share-estimators.ts'
import type { Interval } from './share-interval.ts'

/** Below this many reviews by the human label the simulated coverage for a rare label falls towards 91%. */
const COMFORTABLE_PER_LABEL = 40

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
