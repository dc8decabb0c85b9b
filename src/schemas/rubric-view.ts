import type { Static } from 'typebox'
import { SIGNALS } from './ground-truth.ts'
import { CLAIM_TYPES, RubricManifestSchema, UNCLEAR_RULES } from './rubric.ts'
import { Choice, Closed, Int, Nullable, Str, Type } from './type.ts'
import { ActorSchema, LabelSchema } from './vocabulary.ts'

const CLAIM_VIEW = {
  id: Type.String(),
  type: Choice(CLAIM_TYPES),
  values: Type.Array(Type.String(), { description: 'Of an enum.' }),
  minimum: Type.Optional(Int('Of an integer; of a list, its fewest entries.')),
  maximum: Type.Optional(Int('Of an integer; of a list, its most entries.')),
  unclear: Choice(
    UNCLEAR_RULES,
    'What an unclear answer leads to. Judges that differ in a claim that `refuses` disagree, whatever their labels.',
  ),
  measured_by: Nullable(Choice(SIGNALS)),
  evidence: Type.Array(ActorSchema, { description: 'Whose text can support it; empty: it takes no quote.' }),
}

const ClaimViewSchema = Closed({
  ...CLAIM_VIEW,
  of: Type.Optional(
    Type.Array(Closed(CLAIM_VIEW), {
      description: 'Of a list: what each of its entries says.',
    }),
  ),
})

/** A loaded rubric; a list of rubrics leaves the prompt texts out. */
export const RubricViewSchema = Closed({
  id: Type.String(),
  version: Type.Integer(),
  name: Str('`id@version`'),
  title: Type.String(),
  description: Type.String(),
  digest: Str('Digest of the content: part of every cache key.'),
  about: Type.Optional(RubricManifestSchema.properties.about),
  truth: Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of `ground_truth`.' }),
  claims: Type.Array(ClaimViewSchema, { description: 'What is asked, in the order in which it is answered.' }),
  labels: Type.Array(
    Closed({
      label: LabelSchema,
      claims: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.String(), Type.Number(), Type.Null()]), {
        description: 'What the label says of claims.',
      }),
    }),
    { description: 'What can come out, in order; empty where the outcome is a sum.' },
  ),
  outcome: RubricManifestSchema.properties.outcome,
  system: Type.Optional(Str('The frozen system text.')),
  question: Type.Optional(Str('Asked after the trajectory; holds variables.')),
  answer_schema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of the judge’s answer.' }),
  ),
})
export type RubricView = Static<typeof RubricViewSchema>
