import { type Static, Type } from 'typebox'
import { SIGNALS } from './trial.ts'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

const Instruction = t.Str('An instruction of the ground truth.', { pattern: '^[a-z][a-z0-9_]*$' })
const ClaimName = t.Str('The id of a claim of this rubric: `name`, or `group.name`.', {
  pattern: '^[a-z][a-z0-9_]*([.][a-z][a-z0-9_]*)?$',
})
const Value = Type.Union([Type.Boolean(), t.Text, Type.Integer()])
const SOME = { minItems: 1, uniqueItems: true }

const ProofSchema = t.Closed({
  quote: t.Opt.List(v.ActorSchema, 'At least one verbatim quote of one of these.', SOME),
  in_step: t.Opt.Str('The quote stands in the step that this claim names.'),
  in_order: t.Opt.List(
    ClaimName,
    'The step that the first claim cites comes before every step that the second claim cites.',
    { minItems: 2, maxItems: 2, uniqueItems: true },
  ),
  after: t.Opt.Str('The quote comes after the first sight of this instruction.'),
  shows: t.Opt.List(Instruction, 'The quote shows one of these instructions, as far as a search can tell.', SOME),
  does: t.Opt.Str('What is quoted carries this instruction out, after its first sight.'),
  search_finds_nothing_of: t.Opt.List(Instruction, 'No search finds one of these in what came to the agent.', SOME),
  holds: t.Opt.Str('The quote holds the text of this claim, of the same entry of a list.'),
  agent_of: t.Opt.Str('The value names the agent that acted in the step that this claim names.'),
})

export const CLAIM_TYPES = ['boolean', 'enum', 'integer', 'step', 'agent', 'text', 'list'] as const
export type ClaimType = (typeof CLAIM_TYPES)[number]

const UNCLEAR_RULES = ['refuses', 'kept', 'never'] as const

const CLAIM = {
  type: t.Choice(CLAIM_TYPES, 'The kind of its answer, such as boolean.'),
  description: t.Opt.String({ minLength: 1 }),
  values: t.Opt.List(
    Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }),
    'Of an enum: its values, in small letters; of an ordinal one in rising order.',
    { minItems: 2, maxItems: 50, uniqueItems: true },
  ),
  minimum: t.Opt.Int('Of an integer.'),
  maximum: t.Opt.Int('Of an integer; of a list, the most entries.'),
  only_if: t.Opt.Str('Counts only where this boolean claim is true.'),
  only_if_given: t.Opt.Str('Cannot be true where the ground truth does not have this instruction.'),
  unclear: t.Opt.Choice(
    UNCLEAR_RULES,
    '`refuses` (default): a grade with this claim unclear is unverified; `kept`: it is kept as it is; `never`: the judge may not answer so.',
  ),
  measured_by: t.Opt.Choice(SIGNALS, 'The signal of the harness that measures the same.'),
  computed: t.Opt.Documented('Of an integer: not asked, but counted by code; at most its maximum.', {
    runs_of: t.Str('In how many runs this claim has citations that hold.'),
  }),
  capped_by_document: t.Opt.Documented(
    'Of an integer: no more than this where a line of a document holds the name and one of the words.',
    {
      maximum: Type.Integer(),
      names: t.Str('The text claim whose last name of a path the line holds.'),
      words: Type.Array(Type.String({ pattern: '^..' }), { minItems: 1, maxItems: 20 }),
    },
  ),
  proof: t.Opt.Dict(ProofSchema, 'By value: `true`, `false`, a value of the enum, or `any` for all others.'),
}

const ClaimSchema = t.Closed({
  ...CLAIM,
  of: t.Opt(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), t.Closed(CLAIM), {
      minProperties: 1,
      additionalProperties: false,
      description: 'Of a list: what each of its entries says.',
    }),
  ),
})
export type ClaimManifest = Static<typeof ClaimSchema>

const OutcomeSchema = t.Documented('What follows from the claims: exactly one of `table`, `label`, `sum` and `best`.', {
  table: t.Opt.Array(
    t.Closed({
      when: t.Dict(Value, 'Claims and the values that this row is for.'),
      label: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$' }),
    }),
    { minItems: 1, maxItems: 200, description: 'Every combination of the claims fits exactly one row.' },
  ),
  label: t.Opt.Str('The enum claim whose value is the label.'),
  sum: t.Opt.List(t.Text, 'The integer claims whose sum is the outcome.', { minItems: 1 }),
  best: t.Opt.Documented('The label of the entry with the greatest sum; `none` where the list is empty.', {
    of: t.Str('A list.'),
    by: Type.Array(t.Text, { minItems: 1, description: 'The integer claims of an entry that are summed.' }),
    label: t.Str('The enum claim of an entry whose value is the label.'),
  }),
  scale: t.Opt.Choice(['nominal', 'ordinal'], 'Ordinal: labels have the order in which they stand. Default: nominal.'),
})

/** The schema of `rubrics/<id>@<version>/rubric.yaml`. */
export const RubricManifestSchema = t.Closed({
  id: t.Str('Small letters, digits and -.', { pattern: '^[a-z][a-z0-9-]*$' }),
  version: t.Int('A whole number from 1, another one with every change.', { minimum: 1 }),
  title: t.Str('What it asks, in a few words.', { minLength: 1 }),
  description: t.Str('What it asks, in a few sentences.', { minLength: 1 }),
  answers: t.Opt.Choice(['words', 'booleans'], 'Of boolean claims: yes, no, unclear (default), or true and false.'),
  shows_signals: t.Opt.List(t.Choice(SIGNALS), 'Measurements of the harness that the judge is told; absent: none.', {
    uniqueItems: true,
  }),
  about: t.Opt.Choice(
    ['run', 'runs'],
    '`runs`: several runs of one task, and documents beside them (`{"runs": […], "documents": […]}`).',
  ),
  truth: t.Free(
    'JSON Schema of the ground truth. `x-kind: instruction` marks an instruction in the environment, `x-kind: signals` what the harness measured.',
  ),
  claims: Type.Record(ClaimName, ClaimSchema, {
    minProperties: 1,
    maxProperties: 40,
    additionalProperties: false,
    description:
      'What is asked, 1 to 40 claims by their names: `name` or `group.name`, in small letters, digits and _.',
  }),
  outcome: OutcomeSchema,
})
export type RubricManifest = Static<typeof RubricManifestSchema>

const CLAIM_VIEW = {
  id: t.Text,
  type: t.Choice(CLAIM_TYPES),
  values: t.List(t.Text, 'Of an enum.'),
  minimum: t.Opt.Int('Of an integer; of a list, its fewest entries.'),
  maximum: t.Opt.Int('Of an integer; of a list, its most entries.'),
  unclear: t.Choice(
    UNCLEAR_RULES,
    'The effect of an unclear answer. Judges that differ in a claim that `refuses` disagree.',
  ),
  measured_by: t.Nullable(t.Choice(SIGNALS)),
  evidence: t.List(v.ActorSchema, 'Whose text can support it; empty: it takes no quote.'),
}

const ClaimViewSchema = t.Closed({
  ...CLAIM_VIEW,
  of: t.Opt.List(t.Closed(CLAIM_VIEW), 'Of a list: what each of its entries says.'),
})

/** A loaded rubric; a list of rubrics leaves the prompt texts out. */
export const RubricViewSchema = t.Closed({
  id: t.Text,
  version: Type.Integer(),
  name: t.Str('`id@version`'),
  title: t.Text,
  description: t.Text,
  digest: t.Str('Digest of the content: part of every cache key.'),
  about: t.Opt(RubricManifestSchema.properties.about),
  truth: t.Dict(Type.Unknown(), 'The JSON Schema of `ground_truth`.'),
  claims: t.List(ClaimViewSchema, 'What is asked, in the order in which it is answered.'),
  labels: t.List(
    t.Closed({
      label: v.LabelSchema,
      claims: t.Dict(Type.Union([Type.Boolean(), t.Text, Type.Number(), Type.Null()]), 'Implied by the label.'),
    }),
    'Possible outcomes, in order; empty for a sum.',
  ),
  outcome: RubricManifestSchema.properties.outcome,
  system: t.Opt.Str('The frozen system text.'),
  question: t.Opt.Str('Asked after the trajectory; holds variables.'),
  answer_schema: t.Opt.Dict(Type.Unknown(), 'The JSON Schema of the judge’s answer.'),
})
export type RubricView = Static<typeof RubricViewSchema>

export const RubricExampleSchema = t.Closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  run: Type.Unsafe<Readonly<Record<string, unknown>> | readonly unknown[]>({
    type: ['array', 'object'],
    description: 'A list of steps, `- tool_output: what it says`, or a trajectory of any format.',
  }),
  truth: t.Free('What the truth of the rubric wants to know of a run.'),
  reply: t.Opt(
    Type.Unsafe<Readonly<Record<string, unknown>> | string>({
      type: ['object', 'string'],
      description: 'What the judge answers, as an object, or as its very text.',
    }),
  ),
  judge: t.Opt.Choice(['lexical'], 'The built-in judge answers instead of `reply`.'),
  expect: t.Closed(
    {
      status: t.Opt.Choice(v.GRADE_STATUSES),
      outcome: t.Opt(Type.Union([t.Text, Type.Number(), Type.Null()])),
      ...t.Each(['label', 'claimed_label'], t.Opt(t.NullableText)),
      confidence: t.Opt.Choice(v.CONFIDENCE_LEVELS),
      claims: t.Opt.Dict(Type.Unknown(), 'Values of claims by their ids; null: unclear.'),
      unmet: t.Opt.List(t.Text, 'Ids of the claims that do not hold; []: all hold.'),
      contradictions: t.Opt.List(v.ContradictionCodeSchema, 'Their codes; []: none.'),
      citations: t.Opt.List(v.CitationStatusSchema, 'The status of each, in their order.'),
      failure: t.Opt.Choice(v.FAILURE_CODES),
    },
    { minProperties: 1, description: 'What the grade must say.' },
  ),
})
export type RubricExample = Static<typeof RubricExampleSchema>
