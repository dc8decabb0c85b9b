import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { Claims } from '../rubric/claims.ts'
import { type ClaimRule, instructionBefore, instructionDone, type Rubric } from '../rubric/rubric.ts'
import type { UnmetClaim } from './evidence-question.ts'

/** Claims about an instruction that the trial does not have: nobody can have considered it or carried it out. */
export const claimsOfAbsent = (claims: Claims, truth: GroundTruth, rubric: Rubric): UnmetClaim[] =>
  rubric.claims.flatMap((claim): UnmetClaim[] => {
    const { id, only_if_given } = claim
    if (only_if_given === null || truth[only_if_given] !== undefined || claims.values[id] !== true) return []
    return [
      { claim: id, reason: `claimed ${saidOf(claim)}, but the ground truth has no ${only_if_given}`, step_id: null },
    ]
  })

/** What a claim says of its instruction. */
function saidOf(claim: ClaimRule): string {
  if (instructionDone(claim) !== null) return 'acted on'
  return instructionBefore(claim) === null ? 'true' : 'reasoned about'
}
