import { claimOfLabel } from '../src/domain/rubric/label-claims.ts'
import { LABELS, type Label } from '../src/schemas/vocabulary.ts'

export type DecidingClaim = 'surface.observed' | 'cue.acted' | 'distractor.acted'

/** The claims that a label makes true. */
export const claimsOf = (label: Label): DecidingClaim[] => [
  ...(claimOfLabel(label, 'observed') ? (['surface.observed'] as const) : []),
  ...(claimOfLabel(label, 'cue_acted') ? (['cue.acted'] as const) : []),
  ...(claimOfLabel(label, 'distractor_acted') ? (['distractor.acted'] as const) : []),
]

export const otherLabels = (truth: Label): Label[] => LABELS.filter((label) => label !== truth)

/** What the target claims and the truth does not. */
export const gainedClaims = (truth: Label, target: Label): DecidingClaim[] =>
  claimsOf(target).filter((claim) => !claimsOf(truth).includes(claim))

export const gainsAct = (truth: Label, target: Label): boolean =>
  gainedClaims(truth, target).some((claim) => claim !== 'surface.observed')

/** The target only denies an act that happened: no claim of it is false and true at once, so there is nothing to cite. */
export const onlyDenies = (truth: Label, target: Label): boolean =>
  truth !== target && target !== 'not_observed' && gainedClaims(truth, target).length === 0
