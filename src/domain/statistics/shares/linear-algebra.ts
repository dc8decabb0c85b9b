/** Numbers by label, of up to about ten labels. */
export type Vector = readonly number[]

/** Returns entry `i`. Throws outside the vector: a shape error is a mistake of ours. */
export function at(vector: Vector, i: number): number {
  const value = vector[i]
  if (value === undefined) throw new RangeError(`no entry ${i} in a vector of length ${vector.length}`)
  return value
}

export const sum = (vector: Vector): number => vector.reduce((total, x) => total + x, 0)
export const range = (k: number): readonly number[] => Array.from({ length: k }, (_, i) => i)
