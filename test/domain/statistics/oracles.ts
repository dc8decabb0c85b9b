import { expect } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import { seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { at } from '../../../src/domain/statistics/weighted-shares.ts'
import { type Agreement, type AgreementRequest, AgreementSchema, type Rating } from '../../../src/schemas/agreement.ts'
import { inputIssues } from '../../../src/schemas/check.ts'

type Given = string | number | null

/** Rows of numbers: `table('20 5 / 10 15')`. */
export const table = (text: string): number[][] => text.split(' / ').map((row) => row.split(' ').map(Number))

/** Rows of words; `*` is none. */
export const letters = (text: string): (string | null)[][] =>
  text.split(' / ').map((row) => row.split(' ').map((one) => (one === '*' ? null : one)))

/** Ratings from rows of raters: `rows[r][i]` is what rater r gave item i, null where nothing. */
export const ratingsOf = (rows: readonly (readonly Given[])[]): Rating[] =>
  rows.flatMap((row, rater) =>
    row.flatMap((label, item) =>
      label === null ? [] : [{ item: `item ${item}`, rater: `rater ${rater}`, label: String(label) }],
    ),
  )

/** Ratings of two raters that make the confusion matrix. */
export const ratingsOfMatrix = (matrix: readonly (readonly number[])[]): Rating[] => {
  const pairs = matrix.flatMap((row, a) =>
    row.flatMap((count, b) => Array.from({ length: count }, () => [a, b] as const)),
  )
  return ratingsOf([pairs.map(([a]) => a), pairs.map(([, b]) => b)])
}

/** Ratings that make the table of counts: the raters of an item are interchangeable. */
export const ratingsOfCounts = (table: readonly (readonly number[])[]): Rating[] =>
  table.flatMap((row, item) =>
    row
      .flatMap((count, label) => Array.from({ length: count }, () => label))
      .map((label, rater) => ({ item: `item ${item}`, rater: `rater ${rater}`, label: String(label) })),
  )

/** The answer to a request that is in order, checked against the response schema. */
export function answer(request: AgreementRequest): Agreement {
  const result = agreement(request)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  expect(inputIssues(AgreementSchema, result.value)).toEqual([])
  return result.value
}

/** A true label of five for each item; a rater knows it in `skill` of 1000 cases and else guesses. α is then (skill / 1000)². */
export function simulated(
  seed: number,
  items: number,
  raters: number,
  skill: number,
  clusterOf?: (item: number) => string,
) {
  const random = seededRandom(seed)
  const ratings: Rating[] = []
  for (let item = 0; item < items; item++) {
    const truth = random.below(5)
    for (let rater = 0; rater < raters; rater++) {
      const label = `label ${random.below(1000) < skill ? truth : random.below(5)}`
      const cluster = clusterOf?.(item)
      ratings.push({ item: `${item}`, rater: `${rater}`, label, ...(cluster !== undefined && { cluster }) })
    }
  }
  return ratings
}

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
  const uniform = (): number => random.below(2 ** 32) / 2 ** 32
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
