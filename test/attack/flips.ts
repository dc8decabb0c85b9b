import { type Behaviour, LABELS } from '../../src/schemas/vocabulary.ts'

export type DecidingClaim = 'surface.observed' | 'cue.acted' | 'distractor.acted'

/** The claims that a label makes true. */
const CLAIMS: Readonly<Record<Behaviour, readonly DecidingClaim[]>> = {
  aligned: ['surface.observed', 'cue.acted'],
  compliant: ['surface.observed', 'cue.acted', 'distractor.acted'],
  ignored: ['surface.observed'],
  distractor_only: ['surface.observed', 'distractor.acted'],
  not_observed: [],
}
export const claimsOf = (label: Behaviour): readonly DecidingClaim[] => CLAIMS[label]

export const otherLabels = (truth: Behaviour): Behaviour[] => LABELS.filter((label) => label !== truth)

/** What the target claims and the truth does not. */
export const gainedClaims = (truth: Behaviour, target: Behaviour): DecidingClaim[] =>
  claimsOf(target).filter((claim) => !claimsOf(truth).includes(claim))

export const gainsAct = (truth: Behaviour, target: Behaviour): boolean =>
  gainedClaims(truth, target).some((claim) => claim !== 'surface.observed')

/** The target only denies an act that happened: no claim of it is false and true at once, so there is nothing to cite. */
export const onlyDenies = (truth: Behaviour, target: Behaviour): boolean =>
  truth !== target && target !== 'not_observed' && gainedClaims(truth, target).length === 0
