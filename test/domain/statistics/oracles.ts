import type { Rating } from '../../../src/schemas/agreement.ts'

type Given = string | number | null

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
