/** Vectors and matrices of tables of up to about ten labels; a matrix is a list of rows. */
export type Vector = readonly number[]
export type Matrix = readonly Vector[]

/** Returns entry `i`. Throws outside the vector: a shape error is a mistake of ours. */
export function at(vector: Vector, i: number): number {
  const value = vector[i]
  if (value === undefined) throw new RangeError(`no entry ${i} in a vector of length ${vector.length}`)
  return value
}

/** Returns row `i`. Throws outside the matrix. */
export function rowAt(matrix: Matrix, i: number): Vector {
  const row = matrix[i]
  if (row === undefined) throw new RangeError(`no row ${i} in a matrix of ${matrix.length} rows`)
  return row
}

export const sum = (vector: Vector): number => vector.reduce((total, x) => total + x, 0)
export const range = (k: number): readonly number[] => Array.from({ length: k }, (_, i) => i)
