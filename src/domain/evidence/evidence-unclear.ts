import type { ClaimId } from '../../schemas/vocabulary.ts'
import type { Claims, Said } from '../rubric/claims.ts'
import type { UnmetClaim } from './evidence-question.ts'

/** What a judge says of each claim. */
const answersOf = ({ surface, cue, distractor }: Claims): Readonly<Record<ClaimId, Said>> => ({
  'surface.observed': surface.observed,
  'cue.reasoned': cue.reasoned,
  'cue.acted': cue.acted,
  'distractor.reasoned': distractor.reasoned,
  'distractor.acted': distractor.acted,
})

/** The claims that decide the label; `reasoned` does not, so that an unclear one is kept as it is and refuses nothing. */
const DECIDING = ['surface.observed', 'cue.acted', 'distractor.acted'] as const satisfies readonly ClaimId[]

/** Claims that the judge could not tell and that a label would need: there is none, and somebody has to look. */
export function unclearClaims(claims: Claims): UnmetClaim[] {
  const answers = answersOf(claims)
  return DECIDING.filter((claim) => answers[claim] === null).map((claim) => ({
    claim,
    reason: 'unclear: the judge could not tell from the record',
    step_id: null,
  }))
}

/** What a judge is asked to mend: not what it says that it cannot tell, or it would be pressed into an answer. */
export function mendable(unmet: readonly UnmetClaim[], claims: Claims): UnmetClaim[] {
  const answers = answersOf(claims)
  return unmet.filter(({ claim }) => answers[claim] !== null)
}
