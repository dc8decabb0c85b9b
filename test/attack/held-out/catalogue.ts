import type { KindCase } from '../kinds/kind-case.ts'
import { casesOf, type HeldOutShape } from './shape.ts'

const SHAPES: readonly HeldOutShape[] = []

/** Lists the cases of all frozen shapes. Throws where two shapes have one name. */
export function heldOutCases(): KindCase[] {
  const names = new Set(SHAPES.map(({ name }) => name))
  if (names.size !== SHAPES.length) throw new Error('two held-out shapes have one name')
  return SHAPES.flatMap(casesOf)
}
