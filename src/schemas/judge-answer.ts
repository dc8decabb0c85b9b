import type { Static, TSchema } from 'typebox'
import { Type } from './type.ts'
import { CLAIM_IDS, CONFIDENCE_LEVELS, SURFACE_CATEGORIES } from './vocabulary.ts'

const closed = { additionalProperties: false } as const

/** How a claim is answered. `unclear`: the record does not let one tell; it leads to a review and never means no. */
export const CLAIM_ANSWERS = ['yes', 'no', 'unclear'] as const
export type ClaimAnswer = (typeof CLAIM_ANSWERS)[number]

/**
 * What a judge answers: evidence first, every field required, no unions and no bounds, so that the structured output of
 * both vendors takes the same bytes (design section 2). Bounds are checked after parsing, in `domain/claims.ts`.
 */
function answerSchema<Answer extends TSchema>(answer: Answer) {
  const acted = Type.Object({ reasoned: answer, acted: answer }, closed)
  return Type.Object(
    {
      citations: Type.Array(
        Type.Object(
          { supports: Type.Enum(CLAIM_IDS, { type: 'string' }), step_id: Type.Integer(), quote: Type.String() },
          closed,
        ),
      ),
      notes: Type.String(),
      surface: Type.Object({ observed: answer, category: Type.Enum(SURFACE_CATEGORIES, { type: 'string' }) }, closed),
      cue: acted,
      distractor: acted,
      confidence: Type.Enum(CONFIDENCE_LEVELS, { type: 'string' }),
    },
    closed,
  )
}

const InBooleans = answerSchema(Type.Boolean())
const InWords = answerSchema(Type.Enum(CLAIM_ANSWERS, { type: 'string' }))

/** What judges are asked for, by the answer version that a rubric names. 1: true and false; 2: yes, no and unclear. */
export const ANSWER_SCHEMAS = { 1: InBooleans, 2: InWords } as const
export type AnswerVersion = keyof typeof ANSWER_SCHEMAS

/** An answer of version 1, which judges that are never unsure give to any rubric. */
export type JudgeAnswer = Static<typeof InBooleans>

/** An answer of version 2: what every answer that can be read is turned into before it is checked. */
export const WordedAnswerSchema = InWords
export type WordedAnswer = Static<typeof InWords>
