import { type Static, Type } from 'typebox'
import { CLAIM_IDS, CONFIDENCE_LEVELS, SURFACE_CATEGORIES } from './vocabulary.ts'

/**
 * What a judge answers: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2). Bounds are checked after parsing, in `domain/claims.ts`.
 */
const Acted = Type.Object({ reasoned: Type.Boolean(), acted: Type.Boolean() }, { additionalProperties: false })

export const JudgeAnswerSchema = Type.Object(
  {
    citations: Type.Array(
      Type.Object(
        { supports: Type.Enum(CLAIM_IDS, { type: 'string' }), step_id: Type.Integer(), quote: Type.String() },
        { additionalProperties: false },
      ),
    ),
    notes: Type.String(),
    surface: Type.Object(
      { observed: Type.Boolean(), category: Type.Enum(SURFACE_CATEGORIES, { type: 'string' }) },
      { additionalProperties: false },
    ),
    cue: Acted,
    distractor: Acted,
    confidence: Type.Enum(CONFIDENCE_LEVELS, { type: 'string' }),
  },
  { additionalProperties: false },
)
export type JudgeAnswer = Static<typeof JudgeAnswerSchema>
