import type { ClaimRule, ProofRule } from '../rubric/rubric.ts'

/** What a citation is to prove. */
export interface Cited {
  readonly claim: ClaimRule
  readonly rule: ProofRule
  /** Whether it is to show that the instructions were seen. */
  readonly isSight: boolean
}
