import { type Static, type TSchema, Type } from 'typebox'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

/** Matches one visible character: neither white space nor of no width. A search for a single character is linear. */
export const NOT_BLANK = '[^\\s\\u0000-\\u001f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]'
const isNotBlank = new RegExp(NOT_BLANK, 'u')
export const isBlank = (text: string): boolean => !isNotBlank.test(text)
const notBlank = (maxLength: number) => ({ minLength: 1, maxLength, pattern: NOT_BLANK })

const MOST_ANCHOR_CHARS = 500
const Anchors = (description: string) =>
  Type.Array(Type.String(notBlank(MOST_ANCHOR_CHARS)), { maxItems: 50, description })

/** Makes an object whose first text may stand for it. One schema in place of a choice lets an error name its place. */
const orText = <S extends TSchema>(schema: S, maxLength: number, description: string) =>
  Type.Unsafe<string | Static<S>>({ ...schema, type: ['object', 'string'], ...notBlank(maxLength), description })

const ACTED_BY = ['action', 'message', 'output'] as const
export type ActedBy = (typeof ACTED_BY)[number]

const CallAnchorSchema = t.Documented('A call that carries the instruction out: of a tool, with a whole argument.', {
  tool: t.Str('Name of the tool, as the run has it.', notBlank(200)),
  argument: t.Opt.Str('One whole argument of the call.', notBlank(MOST_ANCHOR_CHARS)),
})
export type CallAnchor = Static<typeof CallAnchorSchema>

const ActionAnchorSchema = orText(
  CallAnchorSchema,
  MOST_ANCHOR_CHARS,
  'A text of the act, at best its whole command; or `{"tool": …, "argument": …}`, a call.',
)
export type ActionAnchor = Static<typeof ActionAnchorSchema>

const MOST_INSTRUCTION_CHARS = 20_000
const InstructionSchema = t.Documented('An instruction that stands in the environment.', {
  text: t.Str('The instruction as it stands on the surface; not blank.', notBlank(MOST_INSTRUCTION_CHARS)),
  anchors: t.Opt(
    Anchors('Distinctive strings that show that the agent saw the instruction. Derived from the text where absent.'),
  ),
  action_anchors: t.Opt.Array(ActionAnchorSchema, {
    maxItems: 50,
    description:
      'Acts that follow the instruction: whole commands or calls allow confidence `high`, words of them `medium`. Derived from the text where absent: then `low`.',
  }),
  acted_by: t.Opt.Choice(
    ACTED_BY,
    'The way to carry out the instruction. `message`: saying something; `output`: printing text, as `echo` does.',
    { default: 'action' },
  ),
})
export type Instruction = Static<typeof InstructionSchema>

/** An instruction as requests and files write it: a text alone stands for `{"text": …}`. */
export const GivenInstructionSchema = orText(
  InstructionSchema,
  MOST_INSTRUCTION_CHARS,
  'An instruction that stands in the environment, not blank; its text alone stands for `{"text": …}`.',
)
export type GivenInstruction = Static<typeof GivenInstructionSchema>

export const SIGNALS = ['appeared', 'executed', 'resolved'] as const
export type Signal = (typeof SIGNALS)[number]

export const SignalsSchema = t.Documented('What the harness measured. An absent signal is unknown, not false.', {
  appeared: t.Opt.Bool('The injected text surfaced in the agent’s tool output.'),
  executed: t.Opt.Bool('The harness measured that the distractor was carried out.'),
  resolved: t.Opt.Bool('The task’s own tests passed.'),
})
export type Signals = Static<typeof SignalsSchema>

/** The places in which the marker audit expects the instructions. Neither prompts nor cache keys contain them. */
export const ExpectedInSchema = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
  maxItems: 50,
  description:
    'Globs of the files in which cue and distractor are expected, relative to the task’s folder; one that begins with `/` is a path in the container. For `veridict audit-markers` alone: it changes no question, grade or cache key.',
})

const membersWith = <T extends typeof InstructionSchema | typeof GivenInstructionSchema>(instruction: T) => ({
  instruction: t.Str('What the user asked the agent to do; not blank.', notBlank(100_000)),
  ...t.Each(['cue', 'distractor'], t.Opt(instruction)),
  signals: t.Opt(SignalsSchema),
})

const TRUTH = {
  additionalProperties: false,
  description:
    'What is known of the trial. Leave `cue` or `distractor` out in an ablation that has none; one of the two is required.',
  anyOf: [{ required: ['cue'] }, { required: ['distractor'] }],
}

export const GroundTruthSchema = Type.Object(membersWith(InstructionSchema), TRUTH)

/** A ground truth in its normal form, whose members its rubric defines. Every member that is an object with a text is an instruction. */
export type GroundTruth = AnyMembers & Partial<Static<typeof GroundTruthSchema>>
type AnyMembers = Readonly<Record<string, unknown>>

/** Lists the instructions of a ground truth in its normal form, in their order. */
export const instructionsOf = (truth: GroundTruth): [name: string, instruction: Instruction][] =>
  Object.entries(truth).flatMap(([name, value]): [string, Instruction][] =>
    isInstruction(value) ? [[name, value]] : [],
  )

export const isInstruction = (value: unknown): value is Instruction =>
  typeof value === 'object' && value !== null && 'text' in value

/** A ground truth as requests and files write it. `normalizeGroundTruth` turns it into a `GroundTruth`, without `expected_in`. */
export const GivenGroundTruthSchema = Type.Object(
  { ...membersWith(GivenInstructionSchema), expected_in: t.Opt(ExpectedInSchema) },
  TRUTH,
)
export type GivenGroundTruth = Static<typeof GivenGroundTruthSchema>

/** A ground truth of a request for any rubric. Its members are checked once its rubric is known. */
export type GivenTruth = AnyMembers & Partial<GivenGroundTruth>

const GivenTruthSchema = Type.Unsafe<GivenTruth>({
  type: 'object',
  anyOf: [GivenGroundTruthSchema, { type: 'object', description: 'For another rubric: its own members.' }],
  description:
    'What is known of the trial: its members are those of the rubric’s `truth` (`GET /v1/rubrics/{id}`); for `tab-behavior`, those of `GroundTruth`, where the text of an instruction alone stands for `{"text": …}`.',
})

/** Chooses the schema of a ground truth in a file; the service checks the members for other rubrics than `tab-behavior`. */
export const truthSchemaFor = (rubric: string | undefined) =>
  isDefaultRubric(rubric) ? GivenGroundTruthSchema : GivenTruthSchema

export const isDefaultRubric = (rubric: string | undefined): boolean =>
  rubric === undefined || v.rubricIdOf(rubric) === v.TAB_BEHAVIOR

export const MOST_NAME_CHARS = 300
export const MOST_FIELDS = 50
const Name = Type.String({ maxLength: MOST_NAME_CHARS })

export const TrialMetadataSchema = Type.Object(
  {
    ...t.Each(['agent', 'model', 'task', 'trial'], t.Opt(Name)),
    run_index: t.Opt(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    variant: t.Opt(Name),
  },
  {
    additionalProperties: Type.Union([
      Type.String({ maxLength: 2000 }),
      Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      Type.Boolean(),
      Type.Null(),
    ]),
    maxProperties: MOST_FIELDS,
    description:
      'Where the trial came from. Never shown to the judge and never part of the cache key. `agent` and `model` are those that the trajectory names where they are left out.',
  },
)
export type TrialMetadata = Static<typeof TrialMetadataSchema>

/** The document of a run. The schema asks for an object; `formats/` reads the document and reports every path that it cannot read. */
export const TrajectoryDocumentSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'An ATIF document (v1.0 to v1.8), a plain step list `{ "steps": [ … ] }`, the lines or the array of a log as `{ "records": [ … ] }`, or `{ "id": "sha256:…" }` of an uploaded one.',
})

export const GradeRequestSchema = t.Closed({
  trajectory: TrajectoryDocumentSchema,
  ground_truth: GivenTruthSchema,
  rubric: t.Opt.Str('`id@version`; the newest version when only an id.', { maxLength: 200 }),
  judge: t.Opt.Str('A name of `GET /v1/judges`.', { maxLength: 200 }),
  samples: t.Opt.Int('Independent answers; every vote is stored.', { minimum: 1, maximum: v.MOST_SAMPLES, default: 1 }),
  cache: t.Opt(v.CacheModeSchema),
  allow_self: t.Opt.Bool(
    'True: the judge may be the model that `metadata.model` names as the agent’s; else 400 `self_judging`.',
    { default: false },
  ),
  metadata: t.Opt(TrialMetadataSchema),
})
export type GradeRequest = Static<typeof GradeRequestSchema>

export const GradeOptionsSchema = Type.Pick(GradeRequestSchema, ['rubric', 'judge', 'samples', 'cache'], {
  additionalProperties: false,
})
export type GradeOptions = Static<typeof GradeOptionsSchema>

export const nameFilter = (description?: string) =>
  t.Opt.String({ maxLength: 300, ...(description !== undefined && { description }) })

export const TRIAL_FILTERS = { agent: nameFilter(), model: nameFilter(), task: nameFilter() }

export const GRADE_FILTERS = {
  label: t.Opt(v.LabelSchema),
  status: t.Opt.Choice(v.GRADE_STATUSES),
  judge: nameFilter(),
  rubric: nameFilter('`id@version`, or an id for all of its versions.'),
  ...TRIAL_FILTERS,
  batch: nameFilter(),
}
export const GradeSelectionSchema = t.Closed(
  { ...GRADE_FILTERS, ids: t.Opt.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 10_000 }) },
  { minProperties: 1, description: 'Stored grades that fit every given field; at least one field.' },
)
export type GradeSelection = Static<typeof GradeSelectionSchema>
