import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'

/** One line of the table: an interval under one kind of data whose truth is known. */
export interface Setting {
  readonly what: string
  readonly setting: string
  /** Simulations of a full run. */
  readonly simulations: number
  /** The same of a quick run. */
  readonly quick: number
  /**
   * Draws data anew from the seed and answers, for each interval made of it, whether it holds the true value; null where there was no
   * interval. The same seed gives the same answer.
   */
  simulate(seed: number): readonly (boolean | null)[]
}

/** Sums over simulations. */
export interface Tally {
  /** Simulations with an interval; the sum of their shares that held, and of its squares. */
  readonly simulations: number
  readonly sum: number
  readonly squares: number
  /** Of each interval of a simulation, in their order: how often it was there, and how often it held. */
  readonly told: readonly number[]
  readonly held: readonly number[]
  /** Intervals that were null. */
  readonly missing: number
}

export const NOTHING: Tally = { simulations: 0, sum: 0, squares: 0, told: [], held: [], missing: 0 }

export const add = (one: Tally, other: Tally): Tally => ({
  simulations: one.simulations + other.simulations,
  sum: one.sum + other.sum,
  squares: one.squares + other.squares,
  told: addEach(one.told, other.told),
  held: addEach(one.held, other.held),
  missing: one.missing + other.missing,
})

const addEach = (one: readonly number[], other: readonly number[]): number[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, place) => (one[place] ?? 0) + (other[place] ?? 0))

/** Simulations `from` … `to` − 1 of a setting. Seeds are apart from those of every other setting. */
export function runSimulations(setting: Setting, place: number, from: number, to: number): Tally {
  let tally = NOTHING
  for (let index = from; index < to; index++)
    tally = add(tally, tallyOf(setting.simulate((place + 1) * 1_000_000 + index)))
  return tally
}

function tallyOf(intervals: readonly (boolean | null)[]): Tally {
  const held = intervals.map((one) => (one === true ? 1 : 0))
  const told = intervals.map((one) => (one === null ? 0 : 1))
  const count = told.filter(Boolean).length
  const share = count === 0 ? 0 : held.filter(Boolean).length / count
  const missing = intervals.length - count
  return { simulations: count === 0 ? 0 : 1, sum: share, squares: share * share, told, held, missing }
}

/** The interval of a simulation that holds least often; null where there is but one. */
export function lowestOf({ told, held }: Tally): number | null {
  if (told.length < 2) return null
  return Math.min(...told.map((count, place) => (held[place] ?? 0) / count))
}

/** Coverage, and its Monte-Carlo error: simulations are independent, the intervals of one are not. */
export function coverageOf({ simulations, sum, squares }: Tally): { readonly value: number; readonly error: number } {
  const value = sum / simulations
  const variance = Math.max(0, squares / simulations - value * value)
  return { value, error: Math.sqrt(variance / simulations) }
}

export const holds = (ci95: readonly number[] | null | undefined, truth: number): boolean | null => {
  const [low, high] = ci95 ?? []
  return low === undefined || high === undefined ? null : low <= truth && truth <= high
}

/** Calls an exported function of a module for each input, in as many threads as there are cores; answers stand in the order of the inputs. */
export async function runEach<Input, Output>(module: URL, name: string, inputs: readonly Input[]): Promise<Output[]> {
  const pool = new Piscina({ filename: module.href, maxThreads: availableParallelism() })
  try {
    return await Promise.all(inputs.map((input) => pool.run(input, { name }) as Promise<Output>))
  } finally {
    await pool.destroy()
  }
}
