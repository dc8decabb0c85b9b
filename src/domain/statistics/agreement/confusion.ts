import type { Ratings } from './ratings.ts'

/** Counts: `matrix[i][j]` items have label i by the row’s rater and label j by the column’s. */
export type SquareMatrix = readonly (readonly number[])[]

/** For each item the cell (row · K + column) of two raters, given by index; −1 where one of them did not rate it. */
export function confusionCells(ratings: Ratings, row: number, column: number): number[] {
  return ratings.items.map((item) => {
    const given = item.labels[item.raters.indexOf(row)]
    const other = item.labels[item.raters.indexOf(column)]
    return given === undefined || other === undefined ? -1 : given * ratings.labels.length + other
  })
}

/** A matrix of its cells, row by row. */
export const unfoldCells = (cells: ArrayLike<number>, size: number): number[][] =>
  Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => cells[row * size + column] ?? 0))

/** The cells of a matrix, row by row. Throws a RangeError where it is not square or a count is not a whole number from 0. */
export function foldMatrix(matrix: SquareMatrix): Float64Array {
  const size = matrix.length
  const cells = new Float64Array(size * size)
  matrix.forEach((row, at) => {
    if (row.length !== size) throw new RangeError('a confusion matrix has as many columns as rows')
    row.forEach((count, column) => {
      if (!Number.isSafeInteger(count) || count < 0) throw new RangeError('counts are whole, from 0')
      cells[at * size + column] = count
    })
  })
  return cells
}
