import { seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { at } from '../../../src/domain/statistics/weighted-shares.ts'

/** Counts by label of people and label of the judge, row by row. */
export type Matrix = readonly (readonly number[])[]

export interface Draws {
  readonly uniform: () => number
  /** A place drawn with the given shares. */
  readonly pick: (shares: readonly number[]) => number
  readonly pickMany: (count: number, shares: readonly number[]) => number[]
}

/** Seeded draws of labels for simulations. */
export function drawsFrom(seed: number): Draws {
  const random = seededRandom(seed)
  const uniform = (): number => random.word() / 2 ** 32
  const pick = (shares: readonly number[]): number => {
    let left = uniform()
    let place = 0
    while (place < shares.length - 1 && left >= at(shares, place)) left -= at(shares, place++)
    return place
  }
  const pickMany = (count: number, shares: readonly number[]): number[] => {
    const counts = shares.map(() => 0)
    for (let i = 0; i < count; i++) {
      const place = pick(shares)
      counts[place] = at(counts, place) + 1
    }
    return counts
  }
  return { uniform, pick, pickMany }
}

/** Part of the intervals that hold the truth. */
export const coverage = (held: readonly boolean[]): number => held.filter(Boolean).length / held.length
