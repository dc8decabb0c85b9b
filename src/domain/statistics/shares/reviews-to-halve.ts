import { studentQuantile } from '../intervals.ts'
import { at, type Vector } from './linear-algebra.ts'
import type { Interval } from './share-interval.ts'

interface Estimated {
  readonly shares: Vector
  readonly ci95: readonly (Interval | null)[]
  /** Reviews, and the independent units among them. */
  readonly reviews: number
  readonly units: number
  /** Graded items, reviewed ones included, and how many independent ones tell as much. */
  readonly graded: number
  readonly effectiveGraded: number
}

/**
 * About how many more reviews, drawn as these were, would halve the widest interval. The variance falls with reviews m from what it is
 * to that of people alone once all N graded items are reviewed, F + c (1/m − 1/N): double sampling, Cochran 1977, Sampling Techniques,
 * 12.2. Null where not even that halves the interval, so that more graded items are needed, or where there is no interval.
 */
export function reviewsToHalve({ shares, ci95, reviews, units, graded, effectiveGraded }: Estimated): number | null {
  const widths = ci95.map((interval) => (interval === null ? 0 : interval[1] - interval[0]))
  const width = Math.max(...widths)
  if (!(width > 0) || reviews >= graded) return null
  const share = at(shares, widths.indexOf(width))
  const variance = (width / 2 / studentQuantile(units - 1)) ** 2
  const floor = (share * (1 - share)) / effectiveGraded
  if (variance / 4 <= floor) return null
  const part = (variance / 4 - floor) / (variance - floor)
  const needed = 1 / (part / reviews + (1 - part) / graded)
  return Math.ceil(needed) - reviews
}
