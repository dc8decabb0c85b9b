import type { Ratings } from './ratings.ts'

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
