import { expect } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import { seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { at } from '../../../src/domain/statistics/weighted-shares.ts'
import { type Agreement, type AgreementRequest, AgreementSchema, type Rating } from '../../../src/schemas/agreement.ts'
import { schemaIssues } from '../../../src/schemas/check.ts'

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

/** Published data with published answers; the source stands with each. `digits` is how many decimals the source prints. */

/** κ of two raters, from their confusion matrix. */
export const COHEN: readonly (readonly [string, number[][], number, number])[] = [
  ['Wikipedia, Cohen’s kappa', table('20 5 / 10 15'), 0.4, 12],
  ['Wikipedia, same percentages', table('45 15 / 25 15'), 0.13043478260869554, 12],
  ['Wikipedia, same percentages', table('25 35 / 5 35'), 0.259259259259259, 12],
  ['SAS, in the tests of statsmodels', table('0 4 1 / 0 8 0 / 0 1 5'), 0.4842, 4],
  ['irrCAC 1.0, cont3x3abstractors', table('13 0 0 / 0 20 7 / 0 4 56'), 0.7964094, 7],
  ['R package vcd, SexualFun (Agresti 1990)', table('7 7 2 3 / 2 8 3 7 / 1 5 4 9 / 2 8 9 14'), 0.12933, 5],
  ['Gwet’s paradox', table('118 5 / 2 0'), -0.02339181286549608, 12],
  ['scikit-learn’s documented lists', table('2 0 0 / 0 1 0 / 1 0 1'), 0.6875, 12],
]

/** Fleiss’ κ of counts, one row an item. */
export const WIKIPEDIA_FLEISS = table(
  '0 0 0 0 14 / 0 2 6 4 2 / 0 0 3 5 6 / 0 3 9 2 0 / 2 2 8 1 1 / 7 7 0 0 0 / 3 2 6 3 0 / 2 5 3 2 2 / 6 5 2 1 0 / 0 2 2 3 7',
)

/** Fleiss 1971, table 1: the diagnoses of 30 patients by 6 psychiatrists each, as the R package irr has them (`diagnoses`). */
const DIAGNOSES =
  '444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 ' +
  '333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555'
export const FLEISS_1971 = DIAGNOSES.split(' ').map((patient) =>
  ['1', '2', '3', '4', '5'].map((kind) => [...patient].filter((given) => given === kind).length),
)

/** irrCAC 1.0, distrib.6raters. */
export const DISTRIB_6_RATERS = table(
  '0 0 0 6 0 / 0 3 0 0 3 / 0 1 4 0 1 / 0 0 0 0 6 / 0 3 0 3 0 / 2 0 4 0 0 / 0 0 4 0 2 / 2 0 3 1 0 / 2 0 0 4 0 / 0 0 0 0 6 / 1 0 0 5 0 / 1 1 0 4 0 / 0 3 3 0 0 / 1 0 0 5 0 / 0 2 0 3 1',
)

/** Krippendorff, "Computing Krippendorff’s Alpha-Reliability" (2011), example C; irrCAC’s cac.raw4raters is the same. */
export const KRIPPENDORFF_C = letters(
  '1 2 3 3 2 1 4 1 2 * * * / 1 2 3 3 2 2 4 1 2 5 * 3 / * 3 3 3 2 3 4 2 2 5 1 * / 1 2 3 3 2 4 4 1 2 5 1 *',
)

export const KRIPPENDORFF: readonly (readonly [string, Given[][], number, number])[] = [
  ['Krippendorff 2011, A', letters('0 1 0 0 0 0 0 0 1 0 / 1 1 1 0 0 1 0 0 0 0'), 0.09523809523809512, 12],
  ['Krippendorff 2011, B', letters('a a b b d c c c e d d a / b a b b b c c c e d d d'), 0.691964, 6],
  ['Krippendorff 2011, C', KRIPPENDORFF_C, 0.743421052631579, 12],
  [
    'Wikipedia, Krippendorff’s alpha',
    letters('* * * * * 3 4 1 2 1 1 3 3 * 3 / 1 * 2 1 3 3 4 3 * * * * * * * / * * 2 1 3 4 4 * 2 1 1 3 3 * 4'),
    0.691358,
    6,
  ],
]

/** The answer to a request that is in order, checked against the response schema. */
export function answer(request: AgreementRequest): Agreement {
  const result = agreement(request)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  expect(schemaIssues(AgreementSchema, result.value)).toEqual([])
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
