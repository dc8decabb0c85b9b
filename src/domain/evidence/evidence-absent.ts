import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { Claims } from '../rubric/claims.ts'
import type { UnmetClaim } from './evidence-question.ts'

/** Claims about an instruction that the trial does not have: nobody can have considered it or carried it out. */
export const claimsOfAbsent = (claims: Claims, groundTruth: GroundTruth): UnmetClaim[] =>
  (['cue', 'distractor'] as const)
    .filter((which) => groundTruth[which] === undefined)
    .flatMap((which) =>
      (['reasoned', 'acted'] as const)
        .filter((what) => claims[which][what] === true)
        .map((what) => ({
          claim: `${which}.${what}` as const,
          reason: `claimed ${what === 'acted' ? 'acted on' : 'reasoned about'}, but the ground truth has no ${which}`,
          step_id: null,
        })),
    )
