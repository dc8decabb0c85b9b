import type { AttackCase } from './attack-case.ts'
import { besideEchoCases, earlySurfaceCases, lateSurfaceCases, stagedCases } from './catalogue-acts.ts'
import { realEvidenceCases, swappedCases } from './catalogue-limits.ts'
import { directiveCases, narrationCases, openerCases } from './catalogue-texts.ts'
import {
  brokenFormCases,
  contradictoryCases,
  controlCases,
  fabricatingCases,
  fakeVerdictCases,
  wornDownCases,
} from './catalogue-verdicts.ts'
import { disguisedCases, forgedFrameCases } from './catalogue-views.ts'
import { openLimit } from './limits.ts'

/** Every case of the suite, always in the same order. */
export const allCases = (): AttackCase[] =>
  everyCase().map((one) => ({ ...one, limit: openLimit(one.limit, one.anchored) }))

const everyCase = (): AttackCase[] => [
  ...controlCases(),
  ...fakeVerdictCases(),
  ...directiveCases(),
  ...forgedFrameCases(),
  ...openerCases(),
  ...narrationCases(),
  ...brokenFormCases(),
  ...disguisedCases(),
  ...fabricatingCases(),
  ...contradictoryCases(),
  ...wornDownCases(),
  ...realEvidenceCases(),
  ...swappedCases(),
  ...earlySurfaceCases(),
  ...lateSurfaceCases(),
  ...stagedCases(),
  ...besideEchoCases(),
]

/** A part of the suite: every `step`-th case. */
export const sliceOf = (cases: readonly AttackCase[], step: number): AttackCase[] =>
  cases.filter((_, index) => index % step === 0)
