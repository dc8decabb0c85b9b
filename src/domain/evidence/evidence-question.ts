import type { CheckedCitation, Contradiction } from '../../schemas/grade.ts'
import type { GroundTruth } from '../../schemas/trial.ts'
import type { Anchors } from '../anchors/anchors.ts'
import type { ClaimRule, ProofRule, Rubric } from '../rubric/rubric.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import type { Position } from '../trajectory/trajectory.ts'

export interface EvidenceQuestion {
  readonly rendering: Rendering
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly denied_acts: DeniedActs
}

export interface UnmetClaim {
  /** The id of a claim of the rubric. */
  readonly claim: string
  readonly reason: string
  /** The step that refutes the claim, where one does. */
  readonly step_id: number | null
}

/**
 * Meanings of a denied act while a given action anchor stands in an action: `flag`, a contradiction (design rule 7); `refuse`, a
 * claim that does not hold, as any other absence (rule 5).
 */
export const DENIED_ACTS = ['flag', 'refuse'] as const

export type DeniedActs = (typeof DENIED_ACTS)[number]

/**
 * Proof of a claim by the text at a place, named by the confidence that it allows: `whole` allows `high`, `sure` `medium`, `maybe` `low`; else the
 * reason why the text proves nothing.
 */
export type Proved = 'whole' | 'sure' | 'maybe' | { readonly not: string }

export const isProof = (proved: Proved | null | undefined): boolean => typeof proved === 'string'

/** The claim that a citation is to prove. */
export interface Cited {
  readonly claim: ClaimRule
  readonly rule: ProofRule
  /** Whether the citation is to show a sight of the instructions. */
  readonly isSight: boolean
}

/** A citation with what came of it. */
export interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
  /** The proof of the claim at the place of the citation; null: the citation itself does not hold. */
  readonly proved: Proved | null
}

/** Returns the measurement of the harness for a claim; undefined: none. */
export const measuredOf = (
  { measured_by: signal }: ClaimRule,
  { ground_truth: truth }: Pick<EvidenceQuestion, 'ground_truth'>,
): boolean | undefined => (signal === null ? undefined : truth.signals?.[signal])

/** Makes a contradiction of a claim. */
export const doubt = (
  code: Contradiction['code'],
  claim: string,
  detail: string,
  step_id: number | null = null,
): Contradiction => ({ code, claim, detail, step_id })
