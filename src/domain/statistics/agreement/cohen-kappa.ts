import { type Estimate, missing, ratio } from '../estimate.ts'

/**
 * Cohen’s κ of two raters, unweighted: (po − pe) / (1 − pe), with po the share on the diagonal and pe = Σ_k r_k c_k / n² of the
 * margins. Cohen, "A coefficient of agreement for nominal scales", EPM 20 (1960). Null where nothing was rated by both, or where both
 * gave one and the same category only (pe = 1; scikit-learn 1.9 gives NaN).
 *
 * @param cells of the K × K matrix, row by row.
 * @example cohenKappa([20, 5, 10, 15], 2) // → { value: 0.4, reason: null }
 */
export function cohenKappa(cells: ArrayLike<number>, size: number): Estimate {
  const rows = new Float64Array(size)
  const columns = new Float64Array(size)
  let total = 0
  let agreed = 0
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const count = cells[row * size + column] ?? 0
      rows[row] = (rows[row] ?? 0) + count
      columns[column] = (columns[column] ?? 0) + count
      total += count
      if (row === column) agreed += count
    }
  }
  if (total === 0) return missing('no_pairs')
  let chance = 0
  for (let label = 0; label < size; label++) chance += (rows[label] ?? 0) * (columns[label] ?? 0)
  return ratio(total * agreed - chance, total * total - chance, 'one_category')
}

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
