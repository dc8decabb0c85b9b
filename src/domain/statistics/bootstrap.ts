import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus'
import { DEFAULT_DRAWS, DEFAULT_SEED, type UndefinedReason } from '../../schemas/agreement.ts'
import { type Interval, studentQuantile } from './intervals.ts'
import { quantile } from './weighted-shares.ts'

export const BOOTSTRAP = { draws: DEFAULT_DRAWS, seed: DEFAULT_SEED }
export type BootstrapSettings = Readonly<Record<keyof typeof BOOTSTRAP, number>>

/**
 * Expanded percentile intervals of several statistics of the same draws: the percentile interval (Efron and Tibshirani, An Introduction
 * to the Bootstrap, 1993, chapter 13) with the tails of `expandedTail`, because the plain one is too narrow for few units (items, or whole
 * clusters of them). This is not the pair-level bootstrap of Hayes and Krippendorff (2007).
 *
 * Null with a reason where there is one unit or none (`too_few_units`), where half of the draws or more were undefined
 * (`mostly_undefined`), and where all draws gave one value (`no_spread`). `undefined_draws` counts the draws in which the statistic was undefined; the
 * interval is of the other draws.
 *
 * @param statistics gets the weight of each unit: a buffer that the next draw overwrites. It should cost a sum over units. Each
 *   call returns the statistics in the same order, null where one is undefined.
 * @param weigh draws the weights.
 */
export function bootstrap(
  units: number,
  { draws, seed }: BootstrapSettings,
  statistics: (weights: Float64Array, random: Random) => readonly (number | null)[],
  weigh = countDrawn,
) {
  const random = seededRandom(seed)
  const weights = new Float64Array(units)
  const values: number[][] = []
  for (let draw = 0; draw < draws; draw++) {
    weigh(weights, random)
    statistics(weights, random).forEach((value, index) => {
      values[index] ??= []
      if (value !== null) values[index].push(value)
    })
  }
  return values.map((defined) => expandedInterval(defined, units, draws))
}

/** Draws as many units as there are, with replacement, and counts each. */
function countDrawn(weights: Float64Array, random: Random): void {
  weights.fill(0)
  for (let taken = 0; taken < weights.length; taken++) {
    const unit = random.below(weights.length)
    weights[unit] = (weights[unit] ?? 0) + 1
  }
}

/** Weighs each unit by an exponential number of mean 1, never by 0: the Bayesian bootstrap (Rubin, Annals of Statistics 9, 1981). */
export function weighAll(weights: Float64Array, random: Random): void {
  for (const unit of weights.keys()) weights[unit] = exponential(random)
}

export const exponential = ({ below }: Random): number => -Math.log((below(2 ** 32) + 0.5) / 2 ** 32)

function expandedInterval(values: number[], units: number, draws: number) {
  const undefined_draws = draws - values.length
  const none = (reason: UndefinedReason) => ({ ci95: null, reason, undefined_draws })
  if (units < 2) return none('too_few_units')
  if (undefined_draws * 2 >= draws) return none('mostly_undefined')
  const sorted = Float64Array.from(values).sort()
  if (isFlat(sorted)) return none('no_spread')
  const tail = expandedTail(units)
  const ci95: Interval = [quantile(sorted, tail), quantile(sorted, 1 - tail)]
  return { ci95, reason: null, undefined_draws }
}

/**
 * Returns the tail to cut from each side for 95%: Φ(−√(n / (n − 1)) · t₀.₉₇₅,ₙ₋₁), which is 0.025 for many units and less for few, as a t interval is
 * wider than a normal one. Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69 (2015), section 4.
 *
 * @param units 2 or more.
 */
export function expandedTail(units: number): number {
  const freedom = units - 1
  // z² is χ² with one degree of freedom.
  return (1 - chiSquareCdf((studentQuantile(freedom) ** 2 * units) / freedom, 1)) / 2
}

/** Tests whether all values are equal, but for the rounding of sums in another order. */
function isFlat(sorted: Float64Array): boolean {
  const [low = 0] = sorted
  const high = sorted.at(-1) ?? 0
  return high - low <= 1e-12 * Math.max(1, Math.abs(low), Math.abs(high))
}

/** A seeded source of random whole numbers, the same on every machine. Not for secrets. */
export interface Random {
  /** Draws a whole number of 0 … bound − 1, without bias; `bound` is a whole number from 1. */
  readonly below: (bound: number) => number
}

/** Makes a source (xoroshiro128+ of `pure-rand`) from a seed: a whole number, 0 … 2⁵³ − 1; throws a RangeError otherwise. */
export function seededRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`a seed is a whole number from 0: ${seed}`)
  const source = xoroshiro128plusFromState([~seed, seed, Math.floor(seed / 2 ** 32), 0x9e37_79b9])
  for (let skipped = 0; skipped < 16; skipped++) source.next()
  return { below: (bound) => uniformInt(source, 0, bound - 1) }
}
