import { createHash } from 'node:crypto'
import type { AttackCase } from './attack-case.ts'
import { directiveCases, narrationCases, openerCases } from './catalogue-texts.ts'
import { brokenFormCases, controlCases, fakeVerdictCases, realEvidenceCases } from './catalogue-verdicts.ts'
import { forgedFrameCases } from './catalogue-views.ts'

/** Every case of the suite, always in the same order. */
export const allCases = (): AttackCase[] => [
  ...controlCases(),
  ...fakeVerdictCases(),
  ...directiveCases(),
  ...forgedFrameCases(),
  ...openerCases(),
  ...narrationCases(),
  ...brokenFormCases(),
  ...realEvidenceCases(),
]

/**
 * A part of the suite: one case in `step`, the same at every run, in the order of the catalogue. The grids repeat with short periods, so
 * every `step`-th case as they come could leave out all placements but one: they are mixed first, within each class and limit.
 */
export function sliceOf(cases: readonly AttackCase[], step: number): AttackCase[] {
  if (step === 1) return [...cases]
  const mixed = cases
    .map((one) => ({ one, key: `${one.attack} ${one.limit} ${digest(one.name)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const kept = new Set(mixed.filter((_, index) => index % step === 0).map(({ one }) => one))
  return cases.filter((one) => kept.has(one))
}

const digest = (name: string): string => createHash('sha256').update(name).digest('hex')
