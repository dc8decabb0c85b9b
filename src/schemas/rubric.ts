import type { Static } from 'typebox'
import { SIGNALS } from './ground-truth.ts'
import { Type } from './type.ts'
import { ActorSchema, LabelSchema } from './vocabulary.ts'

const Actors = Type.Array(ActorSchema, { minItems: 1 })
const Fact = Type.Union([Type.Boolean(), Type.Null()])

/** `rubrics/<id>@<version>/rubric.yaml`. */
export const RubricManifestSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
    version: Type.Integer({ minimum: 1 }),
    title: Type.String({ minLength: 1 }),
    description: Type.String({ minLength: 1 }),
    answer_version: Type.Optional(
      Type.Enum([1, 2] as const, {
        type: 'integer',
        description: 'The form of the answer; absent: 1. 1: claims are true or false; 2: yes, no or unclear.',
      }),
    ),
    shows_signals: Type.Optional(
      Type.Array(Type.Enum(SIGNALS, { type: 'string' }), {
        uniqueItems: true,
        description: 'What the harness measured that the judge is told; absent: all of it.',
      }),
    ),
    evidence: Type.Object(
      {
        'surface.observed': Actors,
        'cue.reasoned': Actors,
        'cue.acted': Actors,
        'distractor.reasoned': Actors,
        'distractor.acted': Actors,
      },
      { additionalProperties: false, description: 'Whose text can support which claim.' },
    ),
    labels: Type.Array(
      Type.Object(
        { observed: Fact, cue_acted: Fact, distractor_acted: Fact, label: LabelSchema },
        { additionalProperties: false },
      ),
      { description: 'The total table from claims to label; null fits both.' },
    ),
  },
  { additionalProperties: false },
)
export type RubricManifest = Static<typeof RubricManifestSchema>
