import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf'
import { DEFAULT_DRAWS, DEFAULT_SEED, type UndefinedReason } from '../../schemas/agreement.ts'
import { studentQuantile } from './intervals.ts'
import { quantile } from './weighted-shares.ts'

export interface BootstrapSettings {
  readonly draws: number
  readonly seed: number
}

export const BOOTSTRAP: BootstrapSettings = { draws: DEFAULT_DRAWS, seed: DEFAULT_SEED }

interface BootstrapInterval {
  readonly ci95: [number, number] | null
  readonly reason: UndefinedReason | null
  /** Counts the draws in which the statistic was undefined. The interval is of the other draws. */
  readonly undefined_draws: number
}

/**
 * Expanded percentile intervals of several statistics of the same draws: the percentile interval (Efron and Tibshirani, An Introduction
 * to the Bootstrap, 1993, chapter 13) with the tails of `expandedTail`, because the plain one is too narrow for few units. Each draw
 * takes as many units (items, or whole clusters of them) as there are, with replacement. This is not the pair-level bootstrap of
 * Hayes and Krippendorff (2007).
 *
 * Null with a reason where there is one unit or none (`too_few_units`), where half of the draws or more were undefined
 * (`mostly_undefined`), and where all draws gave one value (`no_spread`): [1, 1] after 20 agreements of 20 would be false certainty.
 *
 * @param statistics gets how often each unit was drawn: a buffer that the next draw overwrites. It should cost a sum over units. Each
 *   call returns the statistics in the same order, null where one is undefined.
 */
export function bootstrap(
  units: number,
  settings: BootstrapSettings,
  statistics: (weights: Uint32Array) => readonly (number | null)[],
): BootstrapInterval[] {
  const values: number[][] = []
  resample(units, settings, (weights) => {
    statistics(weights).forEach((value, index) => {
      values[index] ??= []
      if (value !== null) values[index].push(value)
    })
  })
  return values.map((defined) => expandedInterval(defined, units, settings.draws))
}

/** Draws `settings.draws` times and shows how often each unit was drawn; with no units there is nothing drawn. */
export function resample(units: number, settings: BootstrapSettings, visit: (weights: Uint32Array) => void): void {
  const random = seededRandom(settings.seed)
  const weights = new Uint32Array(units)
  for (let draw = 0; draw < settings.draws; draw++) {
    weights.fill(0)
    for (let taken = 0; taken < units; taken++) {
      const unit = random.below(units)
      weights[unit] = (weights[unit] ?? 0) + 1
    }
    visit(weights)
  }
}

function expandedInterval(values: number[], units: number, draws: number): BootstrapInterval {
  const undefined_draws = draws - values.length
  const none = (reason: UndefinedReason): BootstrapInterval => ({ ci95: null, reason, undefined_draws })
  if (units < 2) return none('too_few_units')
  if (undefined_draws * 2 >= draws) return none('mostly_undefined')
  const sorted = Float64Array.from(values).sort()
  if (isFlat(sorted)) return none('no_spread')
  const tail = expandedTail(units)
  return { ci95: [quantile(sorted, tail), quantile(sorted, 1 - tail)], reason: null, undefined_draws }
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

const MASK = 0xffff_ffff_ffff_ffffn
const GOLDEN_GAMMA = 0x9e37_79b9_7f4a_7c15n
/** Up to here the product of a 32-bit word and the bound is a whole double. */
const MAX_BOUND = 2 ** 21

/** A seeded source of random whole numbers. The same seed gives the same numbers on every machine. Not for secrets. */
interface Random {
  /** Uniform in 0 … 2³² − 1. */
  readonly word: () => number
  /** Uniform in 0 … bound − 1, without bias; `bound` is whole, 1 … 2²¹. Throws a RangeError otherwise. */
  readonly below: (bound: number) => number
}

/**
 * xoshiro128** 1.1 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021), its state filled by
 * SplitMix64, as its authors advise.
 *
 * @param seed a whole number, 0 … 2⁵³ − 1; throws a RangeError otherwise.
 */
export function seededRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`a seed is a whole number from 0: ${seed}`)
  const [low = 0n, high = 0n] = splitMix64(BigInt(seed), 2)
  return xoshiro128([low, low >> 32n, high, high >> 32n].map((part) => Number(part & 0xffff_ffffn)))
}

/** The first numbers of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
export function splitMix64(seed: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => {
    let z = (seed + GOLDEN_GAMMA * BigInt(index + 1)) & MASK
    z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK
    z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK
    return z ^ (z >> 31n)
  })
}

/** The generator from four 32-bit words of state, of which one at least is not 0. */
export function xoshiro128(state: readonly number[]): Random {
  let [a = 0, b = 0, c = 0, d = 0] = state
  const word = (): number => {
    const scrambled = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotate(d, 11)
    return scrambled
  }
  return { word, below: (bound) => below(word, bound) }
}

/** Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019: a multiplication, and a rejection where it is biased. */
function below(word: () => number, bound: number): number {
  if (!(bound >= 1 && bound <= MAX_BOUND)) throw new RangeError(`a bound is from 1 to ${MAX_BOUND}: ${bound}`)
  let drawn = word()
  if (Math.imul(drawn, bound) >>> 0 < bound) {
    const threshold = 2 ** 32 % bound
    while (Math.imul(drawn, bound) >>> 0 < threshold) drawn = word()
  }
  return Math.floor((drawn * bound) / 2 ** 32)
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by))
