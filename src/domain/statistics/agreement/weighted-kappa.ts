import { type Estimate, missing, ratio } from '../estimate.ts'

/** How far two categories, given by index, are apart; 0 for the same one. */
export type Distance = (one: number, other: number) => number

export const linear =
  (values: readonly number[]): Distance =>
  (one, other) =>
    Math.abs((values[one] ?? 0) - (values[other] ?? 0))

export const quadratic =
  (values: readonly number[]): Distance =>
  (one, other) =>
    ((values[one] ?? 0) - (values[other] ?? 0)) ** 2

/**
 * Weighted κ of two raters: 1 − Σ v_ij n_ij / Σ v_ij r_i c_j / n, with v the distance of the categories and r, c the margins. Cohen, "Weighted
 * kappa", Psychological Bulletin 70 (1968); with quadratic distances it is the intraclass correlation of Fleiss & Cohen (1973). Null where
 * nothing was rated by both, or where chance leaves no distance.
 *
 * @param cells of the K × K matrix, row by row.
 */
export function weightedKappa(cells: ArrayLike<number>, size: number, distance: Distance): Estimate {
  const rows = new Float64Array(size)
  const columns = new Float64Array(size)
  let total = 0
  let apart = 0
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const count = cells[row * size + column] ?? 0
      if (count === 0) continue
      rows[row] = (rows[row] ?? 0) + count
      columns[column] = (columns[column] ?? 0) + count
      total += count
      apart += count * distance(row, column)
    }
  }
  if (total === 0) return missing('no_pairs')
  let chance = 0
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      chance += (rows[row] ?? 0) * (columns[column] ?? 0) * distance(row, column)
  return ratio(chance - total * apart, chance, 'one_category')
}
