import { at, range } from '../../src/domain/statistics/weighted-shares.ts'
import type { Matrix } from '../../test/domain/statistics/oracles.ts'
import { drawArchive, type Structure } from './archive.ts'
import { METHODS, type Method } from './methods.ts'

/** One judge, one way to count labels, one structure, one number of reviews. */
export interface Cell {
  readonly counts: Matrix
  readonly structure: Structure
  readonly reviews: number
  readonly methods: readonly Method[]
  readonly draws: number
  readonly seed: number
}

/** Of one method in one cell; all but the first two are means over draws and labels. */
export interface Outcome {
  /** By label: how often its interval held the truth. An interval that is not there holds nothing. */
  readonly held: readonly number[]
  /** Variance of the share of labels held by a draw, over the draws: for the Monte-Carlo error. */
  readonly variance: number
  readonly width: number
  readonly error: number
  /** Over the draws that have it, which are `told` of all; NaN for none. */
  readonly reviewsToHalve: number
  readonly told: number
}

export function simulate({ counts, structure, reviews, methods, draws, seed }: Cell): Record<string, Outcome> {
  const size = counts.length
  const sums = new Map(
    methods.map((method) => [
      method,
      { held: range(size).map(() => 0), squares: 0, width: 0, error: 0, more: 0, told: 0 },
    ]),
  )
  for (let draw = 0; draw < draws; draw++) {
    const archive = drawArchive(counts, structure, reviews, seed + draw)
    for (const [method, total] of sums) {
      const { shares, ci95, reviewsToHalve = null } = METHODS[method](archive)
      let held = 0
      for (const [k, truth] of archive.truth.entries()) {
        const [low, high] = ci95[k] ?? [1, 0]
        const holds = Number(low <= truth && truth <= high)
        total.held[k] = at(total.held, k) + holds
        held += holds / size
        total.width += Math.max(0, high - low) / size
        total.error += Math.abs(at(shares, k) - truth) / size
      }
      total.squares += held ** 2
      if (reviewsToHalve !== null) {
        total.more += reviewsToHalve
        total.told++
      }
    }
  }
  return Object.fromEntries(
    [...sums].map(([method, { held, squares, width, error, more, told }]) => {
      const shares = held.map((count) => count / draws)
      const variance = squares / draws - meanOf(shares) ** 2
      const outcome: Outcome = {
        held: shares,
        variance: Math.max(0, variance) / draws,
        width: width / draws,
        error: error / draws,
        reviewsToHalve: more / told,
        told: told / draws,
      }
      return [method, outcome]
    }),
  )
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
