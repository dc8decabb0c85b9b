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
