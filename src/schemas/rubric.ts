import type { Static } from 'typebox'
import { SIGNALS } from './trial.ts'
import { Choice, Closed, Documented, Int, Nullable, Str, Type } from './type.ts'
import {
  ActorSchema,
  CitationStatusSchema,
  ConfidenceLevelSchema,
  ContradictionCodeSchema,
  FailureCodeSchema,
  GradeStatusSchema,
  LabelSchema,
} from './vocabulary.ts'

const Instruction = Str('An instruction of the ground truth.', { pattern: '^[a-z][a-z0-9_]*$' })
const ClaimName = Str('The id of a claim of this rubric: `name`, or `group.name`.', {
  pattern: '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)?$',
})
const Value = Type.Union([Type.Boolean(), Type.String(), Type.Integer()])

/** The proof of a value of a claim. Every given member must hold. */
const ProofSchema = Closed({
  quote: Type.Optional(
    Type.Array(ActorSchema, {
      minItems: 1,
      uniqueItems: true,
      description: 'At least one verbatim quote that one of these wrote.',
    }),
  ),
  in_step: Type.Optional(Str('The quote stands in the step that this claim names.')),
  after: Type.Optional(Str('The quote comes after the first sight of this instruction.')),
  shows: Type.Optional(
    Type.Array(Instruction, {
      minItems: 1,
      uniqueItems: true,
      description: 'What is quoted shows one of these instructions, as far as a search can tell.',
    }),
  ),
  does: Type.Optional(Str('What is quoted carries this instruction out, after its first sight.')),
  search_finds_nothing_of: Type.Optional(
    Type.Array(Instruction, {
      minItems: 1,
      uniqueItems: true,
      description: 'No search finds one of these instructions in what came to the agent.',
    }),
  ),
  holds: Type.Optional(Str('The quote holds the text of this claim, of the same entry of a list.')),
  agent_of: Type.Optional(Str('The value names the agent that acted in the step that this claim names.')),
})

export const CLAIM_TYPES = ['boolean', 'enum', 'integer', 'step', 'agent', 'text', 'list'] as const
export type ClaimType = (typeof CLAIM_TYPES)[number]

/** The consequence of an answer `unclear`. */
export const UNCLEAR_RULES = ['refuses', 'kept', 'never'] as const

const CLAIM = {
  type: Choice(CLAIM_TYPES, 'The kind of its answer, such as boolean.'),
  description: Type.Optional(Type.String({ minLength: 1 })),
  values: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }), {
      minItems: 2,
      maxItems: 50,
      uniqueItems: true,
      description: 'Of an enum: its values, in small letters; of an ordinal one in rising order.',
    }),
  ),
  minimum: Type.Optional(Int('Of an integer.')),
  maximum: Type.Optional(Int('Of an integer; of a list, the most entries.')),
  only_if: Type.Optional(Str('Counts only where this boolean claim is true.')),
  only_if_given: Type.Optional(Str('Cannot be true where the ground truth does not have this instruction.')),
  unclear: Type.Optional(
    Choice(
      UNCLEAR_RULES,
      '`refuses` (default): a grade with this claim unclear is unverified; `kept`: it is kept as it is; `never`: the judge may not answer so.',
    ),
  ),
  measured_by: Type.Optional(Choice(SIGNALS, 'The signal of the harness that measures the same.')),
  computed: Type.Optional(
    Documented('Of an integer: not asked, but counted by code; at most its maximum.', {
      runs_of: Str('In how many runs this claim has citations that hold.'),
    }),
  ),
  capped_by_document: Type.Optional(
    Documented('Of an integer: no more than this where a line of a document holds the name and one of the words.', {
      maximum: Type.Integer(),
      names: Str('The text claim whose last name of a path the line holds.'),
      words: Type.Array(Type.String({ pattern: '^..' }), { minItems: 1, maxItems: 20 }),
    }),
  ),
  proof: Type.Optional(
    Type.Record(Type.String(), ProofSchema, {
      description: 'By value: `true`, `false`, a value of the enum, or `any` for every value that has none of its own.',
    }),
  ),
}

const ClaimSchema = Closed({
  ...CLAIM,
  of: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Closed(CLAIM), {
      minProperties: 1,
      additionalProperties: false,
      description: 'Of a list: what each of its entries says.',
    }),
  ),
})
export type ClaimManifest = Static<typeof ClaimSchema>

const OutcomeSchema = Documented('What follows from the claims: exactly one of `table`, `label`, `sum` and `best`.', {
  table: Type.Optional(
    Type.Array(
      Closed({
        when: Type.Record(Type.String(), Value, { description: 'Claims and the values that this row is for.' }),
        label: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }),
      }),
      { minItems: 1, maxItems: 200, description: 'Every combination of the claims fits exactly one row.' },
    ),
  ),
  label: Type.Optional(Str('The enum claim whose value is the label.')),
  sum: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'The integer claims whose sum is the outcome.' }),
  ),
  best: Type.Optional(
    Documented('The label of the entry with the greatest sum; `none` where the list is empty.', {
      of: Str('A list.'),
      by: Type.Array(Type.String(), {
        minItems: 1,
        description: 'The integer claims of an entry that are summed.',
      }),
      label: Str('The enum claim of an entry whose value is the label.'),
    }),
  ),
  scale: Type.Optional(
    Choice(['nominal', 'ordinal'], 'Whether labels have an order: that in which they stand. Default: nominal.'),
  ),
})

/** The schema of `rubrics/<id>@<version>/rubric.yaml`. */
export const RubricManifestSchema = Closed({
  id: Str('Small letters, digits and -.', { pattern: '^[a-z][a-z0-9-]*$' }),
  version: Int('A whole number from 1, another one with every change.', { minimum: 1 }),
  title: Str('What it asks, in a few words.', { minLength: 1 }),
  description: Str('What it asks, in a few sentences.', { minLength: 1 }),
  answers: Type.Optional(
    Choice(['words', 'booleans'], 'How a boolean claim is answered: yes, no or unclear (default), or true and false.'),
  ),
  shows_signals: Type.Optional(
    Type.Array(Choice(SIGNALS), {
      uniqueItems: true,
      description: 'What the harness measured that the judge is told; absent: none of it.',
    }),
  ),
  about: Type.Optional(
    Choice(
      ['run', 'runs'],
      '`runs`: several runs of one task, and documents beside them (`{"runs": […], "documents": […]}`).',
    ),
  ),
  truth: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description:
      'JSON Schema of the ground truth. `x-kind: instruction` marks an instruction in the environment, `x-kind: signals` what the harness measured.',
  }),
  claims: Type.Record(ClaimName, ClaimSchema, {
    ...{ minProperties: 1, maxProperties: 40, additionalProperties: false },
    description:
      'What is asked, 1 to 40 claims by their names: `name` or `group.name`, in small letters, digits and _.',
  }),
  outcome: OutcomeSchema,
})
export type RubricManifest = Static<typeof RubricManifestSchema>

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

const Text = Nullable(Type.String())

/** Expected members of a grade; absent members are not compared. */
const ExpectSchema = Closed(
  {
    status: Type.Optional(GradeStatusSchema),
    outcome: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    label: Type.Optional(Text),
    claimed_label: Type.Optional(Text),
    confidence: Type.Optional(ConfidenceLevelSchema),
    claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Values of claims by their ids; null: unclear.' }),
    ),
    unmet: Type.Optional(
      Type.Array(Type.String(), { description: 'Ids of the claims that do not hold; []: all hold.' }),
    ),
    contradictions: Type.Optional(Type.Array(ContradictionCodeSchema, { description: 'Their codes; []: none.' })),
    citations: Type.Optional(Type.Array(CitationStatusSchema, { description: 'The status of each, in their order.' })),
    failure: Type.Optional(FailureCodeSchema),
  },
  { minProperties: 1, description: 'What the grade must say.' },
)

/** A file `rubrics/<id>@<version>/examples/*.yaml`: a run, the answer of a judge, and the expected grade. */
export const RubricExampleSchema = Closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  run: Type.Unsafe<Readonly<Record<string, unknown>> | readonly unknown[]>({
    type: ['array', 'object'],
    description: 'A list of steps, `- tool_output: what it says`, or a trajectory of any format.',
  }),
  truth: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'What the truth of the rubric wants to know of a run.',
  }),
  reply: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>> | string>({
      type: ['object', 'string'],
      description: 'What the judge answers, as an object, or as its very text.',
    }),
  ),
  judge: Type.Optional(Choice(['lexical'], 'The built-in judge answers instead of `reply`.')),
  expect: ExpectSchema,
})
export type RubricExample = Static<typeof RubricExampleSchema>
