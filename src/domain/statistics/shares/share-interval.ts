import { studentQuantile, wilsonOf } from '../intervals.ts'
import { at, type Vector } from './linear-algebra.ts'

export type Interval = readonly [low: number, high: number]

const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** What an estimate rests on. */
interface Evidence {
  /** Reviews; with uneven weights, the even ones that are worth as much. */
  readonly reviews: number
  /** Independent units among them: tasks, and each review that names none. */
  readonly units: number
}

/**
 * 95% interval of an estimated share with the given variance: Wilson's, with the effective size p(1 − p)/variance (Kott & Carr 1997,
 * J Official Statistics 13:409; Dean & Pagano 2015) and Student's quantile with units − 1 degrees of freedom (Korn & Graubard 1998,
 * Survey Methodology 24:193; Cameron & Miller 2015, J Human Resources 50:317).
 *
 * Few reviews can agree with the judge throughout, or hold no case of a label, and then the variance is close to 0 by chance. So the
 * effective size is mixed with `units`, at the weight of one review: no error in 30 reviews does not show a judge without errors.
 * Chosen by simulated coverage, `npm run bench:judges`. Null with one unit: what another would show cannot be told.
 */
export function shareInterval(share: number, variance: number, { reviews, units }: Evidence): Interval | null {
  if (units < 2) return null
  const p = clamp(share)
  const size = (p * (1 - p) + 1 / reviews) / (variance + 1 / (reviews * units))
  return wilsonOf(p, size, studentQuantile(units - 1))
}

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
