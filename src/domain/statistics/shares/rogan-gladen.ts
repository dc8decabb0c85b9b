import { Z95 } from '../intervals.ts'
import { clamp, type Interval } from './share-interval.ts'

/** Below this Youden index (sensitivity + specificity − 1) the correction multiplies noise over twentyfold: refused. */
const MIN_YOUDEN = 0.05

/** A number with its interval, or null with the reason why there is none. */
export type RoganGladen =
  | {
      readonly value: number
      readonly unclamped: number
      readonly ci95: Interval
      readonly se: number
      readonly reason: null
    }
  | { readonly value: null; readonly reason: string }

/** Error rates of a judge estimated from reviews: all rates in [0, 1], all counts whole items. */
interface EstimatedErrors {
  /** Share of graded items that the judge calls positive. */
  readonly p: number
  /** Specificity: P(judge negative | human negative). */
  readonly q0: number
  /** Sensitivity: P(judge positive | human positive). */
  readonly q1: number
  /** Graded items behind p, human negatives behind q0, human positives behind q1. */
  readonly n: number
  readonly m0: number
  readonly m1: number
  readonly minYouden?: number
}

/**
 * True share of positives θ = (p + q0 − 1)/(q0 + q1 − 1), clamped to [0, 1] (Rogan & Gladen 1978, Am J Epidemiol 107:71).
 *
 * The interval is that of Lee et al. (arXiv 2511.21140 and the authors' code): add z²/2 and z² to the judged items, 1 and 2
 * to each review class, shift the centre by d, clamp. `se` is the plain delta-method one, without these additions.
 */
export function roganGladen(input: EstimatedErrors): RoganGladen {
  const { p, q0, q1, n, m0, m1 } = input
  const wrong = refusal(input)
  if (wrong !== null) return { value: null, reason: wrong }
  const unclamped = (p + q0 - 1) / (q0 + q1 - 1)
  const z2 = Z95 * Z95
  const judged = (n * p + z2 / 2) / (n + z2)
  const specificity = (m0 * q0 + 1) / (m0 + 2)
  const sensitivity = (m1 * q1 + 1) / (m1 + 2)
  const theta = (judged + specificity - 1) / (specificity + sensitivity - 1)
  const noise0 = (specificity * (1 - specificity)) / (m0 + 2)
  const noise1 = (sensitivity * (1 - sensitivity)) / (m1 + 2)
  const spread =
    Math.sqrt((judged * (1 - judged)) / (n + z2) + (1 - theta) ** 2 * noise0 + theta ** 2 * noise1) /
    (specificity + sensitivity - 1)
  const centre = theta + 2 * z2 * (-(1 - theta) * noise0 + theta * noise1)
  return {
    value: clamp(unclamped),
    unclamped,
    ci95: [clamp(centre - Z95 * spread), clamp(centre + Z95 * spread)],
    se: plainError(input, unclamped),
    reason: null,
  }
}

/** Delta method: √(p(1−p)/n + (1−θ)²q0(1−q0)/m0 + θ²q1(1−q1)/m1)/(q0+q1−1) (Lee et al., equation of the variance). */
function plainError({ p, q0, q1, n, m0, m1 }: EstimatedErrors, theta: number): number {
  const variance = (p * (1 - p)) / n + ((1 - theta) ** 2 * q0 * (1 - q0)) / m0 + (theta ** 2 * q1 * (1 - q1)) / m1
  return Math.sqrt(variance) / (q0 + q1 - 1)
}

function refusal({ p, q0, q1, n, m0, m1, minYouden = MIN_YOUDEN }: EstimatedErrors): string | null {
  if (![p, q0, q1].every((rate) => rate >= 0 && rate <= 1)) return 'the rates p, q0 and q1 must lie in [0, 1]'
  if (![n, m0, m1].every((count) => Number.isFinite(count) && count >= 1)) {
    return 'n, m0 and m1 must each count at least one item'
  }
  return weakJudge(q0 + q1 - 1, minYouden) ?? weakJudge((m0 * q0 + 1) / (m0 + 2) + (m1 * q1 + 1) / (m1 + 2) - 1, 0)
}

/** Written so that NaN is refused too. */
const weakJudge = (youden: number, least: number): string | null =>
  youden > least
    ? null
    : `sensitivity + specificity − 1 is ${youden.toFixed(3)}, not above ${least}: the judge tells too little to correct by`
