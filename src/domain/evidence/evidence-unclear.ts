import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { Claims } from '../rubric/claims.ts'
import { type ClaimRule, type ClaimValue, instructionBefore, instructionDone, type Rubric } from '../rubric/rubric.ts'
import type { UnmetClaim } from './evidence-question.ts'

export const claimedValue = ({ values }: Claims, { id }: ClaimRule): ClaimValue => values[id] ?? null

/** Whether a claim counts at all: one that is asked only if another is true does not where that is false. */
export const counts = ({ values }: Claims, { only_if }: ClaimRule): boolean =>
  only_if === null || values[only_if] !== false

/** Claims that the judge could not tell and that the outcome needs: there is none, and somebody has to look. */
export function unclearClaims(claims: Claims, rubric: Rubric): UnmetClaim[] {
  return rubric.claims
    .filter((claim) => claim.unclear === 'refuses' && counts(claims, claim) && claimedValue(claims, claim) === null)
    .map(({ id }) => ({ claim: id, reason: 'unclear: the judge could not tell from the record', step_id: null }))
}

/** What a judge is asked to mend: not what it says that it cannot tell, or it would be pressed into an answer. */
export const mendable = (unmet: readonly UnmetClaim[], { values }: Claims): UnmetClaim[] =>
  unmet.filter(({ claim }) => (values[claim] ?? null) !== null)

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
