import { RubricManifestSchema } from './rubric.ts'
import { Type } from './type.ts'

/** A loaded rubric; the prompt texts only where one is asked for. */
export const RubricViewSchema = Type.Object(
  {
    id: Type.String(),
    version: Type.Integer(),
    name: Type.String({ description: '`id@version`' }),
    title: Type.String(),
    description: Type.String(),
    digest: Type.String({ description: 'Digest of the content: part of every cache key.' }),
    evidence: RubricManifestSchema.properties.evidence,
    labels: RubricManifestSchema.properties.labels,
    system: Type.Optional(Type.String({ description: 'The frozen system text.' })),
    question: Type.Optional(Type.String({ description: 'Asked after the trajectory; holds variables.' })),
    answer_schema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of the judge’s answer.' }),
    ),
  },
  { additionalProperties: false },
)
