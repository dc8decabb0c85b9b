import type { Static } from 'typebox'
import { CLAIM_TYPES, RubricManifestSchema } from './rubric.ts'
import { Type } from './type.ts'
import { ActorSchema } from './vocabulary.ts'

const ClaimViewSchema = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(CLAIM_TYPES, { type: 'string' }),
    values: Type.Array(Type.String(), { description: 'Of an enum.' }),
    evidence: Type.Array(ActorSchema, { description: 'Whose text can support it; empty: it takes no quote.' }),
  },
  { additionalProperties: false },
)

/** A loaded rubric; the prompt texts only where one is asked for. */
export const RubricViewSchema = Type.Object(
  {
    id: Type.String(),
    version: Type.Integer(),
    name: Type.String({ description: '`id@version`' }),
    title: Type.String(),
    description: Type.String(),
    digest: Type.String({ description: 'Digest of the content: part of every cache key.' }),
    about: Type.Optional(RubricManifestSchema.properties.about),
    truth: Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of `ground_truth`.' }),
    claims: Type.Array(ClaimViewSchema, {
      description:
        'What is asked, in the order in which it is answered; what the entries of a list say stands behind it.',
    }),
    outcome: RubricManifestSchema.properties.outcome,
    system: Type.Optional(Type.String({ description: 'The frozen system text.' })),
    question: Type.Optional(Type.String({ description: 'Asked after the trajectory; holds variables.' })),
    answer_schema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of the judge’s answer.' }),
    ),
  },
  { additionalProperties: false },
)
export type RubricView = Static<typeof RubricViewSchema>
