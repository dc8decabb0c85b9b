import { Z95 } from '../intervals.ts'

export type Interval = readonly [low: number, high: number]

/** Fewer effective events (or non-events) than this and the normal interval is not to be trusted near 0 or 1. */
const MIN_EVENTS = 5

export const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** Wilson's score interval of a share p of n items; n may be an effective, broken number (Wilson 1927, JASA 22:209). */
export function wilsonOf(p: number, n: number): Interval {
  const z2 = Z95 * Z95
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n)
  const spread = (Z95 * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n)
  return [p === 0 ? 0 : clamp(centre - spread), p === 1 ? 1 : clamp(centre + spread)]
}

/** p ± 1.96·se, clamped to [0, 1]. */
const waldOf = (p: number, se: number): Interval => [clamp(p - Z95 * se), clamp(p + Z95 * se)]

/**
 * 95% interval of an estimated share: p ± 1.96·se, except where that leaves [0, 1] or rests on fewer than five effective
 * events; there Wilson's interval with the effective size p(1 − p)/se² (Kott & Carr 1997, J Official Statistics 13:409;
 * Dean & Pagano 2015), which never collapses to a point.
 *
 * @param size independent observations behind p, used where p is 0 or 1 or se is 0 and no effective size exists
 */
export function shareInterval(p: number, se: number, size: number): Interval {
  const share = clamp(p)
  const within = p - Z95 * se >= 0 && p + Z95 * se <= 1
  const effective = share * (1 - share) > 0 && se > 0 ? (share * (1 - share)) / (se * se) : size
  if (within && se > 0 && effective * Math.min(share, 1 - share) >= MIN_EVENTS) return waldOf(p, se)
  return wilsonOf(share, effective)
}
