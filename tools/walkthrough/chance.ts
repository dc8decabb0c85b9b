import { createHash } from 'node:crypto'

/** A number in [0, 1) that depends on its names alone: whatever is asked first, the same story comes out. */
export function chance(...names: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify(['audit walkthrough', 20261121, ...names]))
    .digest()
  return digest.readUInt32BE(0) / 2 ** 32
}

/** The name on which the luck falls; weights need not add to 1. */
export function pickBy<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>, luck: number): Name {
  const entries = Object.entries(weights) as [Name, number][]
  let left = luck * entries.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [name, weight] of entries) {
    if (left < weight) return name
    left -= weight
  }
  const last = entries.findLast(([, weight]) => weight > 0)
  if (last === undefined) throw new RangeError('nothing to pick from')
  return last[0]
}
