import { type Static, Type } from 'typebox'
import { ClaimIdSchema, ConfidenceLevelSchema, SurfaceCategorySchema } from './vocabulary.ts'

/**
 * What a judge answers: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2). Bounds are checked after parsing, in `domain/claims.ts`.
 */
const Acted = Type.Object({ reasoned: Type.Boolean(), acted: Type.Boolean() }, { additionalProperties: false })

export const JudgeAnswerSchema = Type.Object(
  {
    citations: Type.Array(
      Type.Object(
        { supports: bare(ClaimIdSchema), step_id: Type.Integer(), quote: Type.String() },
        { additionalProperties: false },
      ),
    ),
    notes: Type.String(),
    surface: Type.Object(
      { observed: Type.Boolean(), category: bare(SurfaceCategorySchema) },
      { additionalProperties: false },
    ),
    cue: Acted,
    distractor: Acted,
    confidence: bare(ConfidenceLevelSchema),
  },
  { additionalProperties: false },
)
export type JudgeAnswer = Static<typeof JudgeAnswerSchema>

/** The same enum without its description: the answer schema is part of the cache key and of what providers compile. */
function bare<T extends { enum: readonly string[] }>(schema: T) {
  return Type.Enum(schema.enum as T['enum'], { type: 'string' })
}
