import type { CheckedCitation } from '../../schemas/grade.ts'
import type { ClaimRule, ProofRule } from '../rubric/rubric.ts'
import type { Position } from '../trajectory/trajectory.ts'

/**
 * What stands at a place, as proof of a claim: `sure`, a search confirms it; `unsure`, it may be, so that it holds with confidence `low`; else why
 * it proves nothing.
 */
export type Proved = 'sure' | 'unsure' | { readonly not: string }

export const isProof = (proved: Proved | null | undefined): boolean => proved === 'sure' || proved === 'unsure'

/** What a citation is to prove. */
export interface Cited {
  readonly claim: ClaimRule
  readonly rule: ProofRule
  /** Whether it is to show that the instructions were seen. */
  readonly isSight: boolean
}

/** A citation with what came of it. */
export interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
  /** What stands there as proof of its claim; null: the citation itself does not hold. */
  readonly proved: Proved | null
}
