import type { Static } from 'typebox'
import { TrajectoryDocumentSchema } from './trial.ts'
import { Bool, Choice, Closed, Count, Counts, Documented, Int, Nullable, Str, Timestamp, Type } from './type.ts'
import {
  ACT_LANGUAGES,
  ACT_OUTCOMES,
  ACT_ROLES,
  ActorSchema,
  type Behaviour,
  GRADE_STATUSES,
  LABELS,
} from './vocabulary.ts'

const NullableInteger = (description: string) => Nullable(Type.Integer(), description)
const NullableString = Nullable(Type.String())

/** Describes a configured judge to callers, without its key and without the credentials of its base URL. */
export const JudgeViewSchema = Closed({
  name: Type.String(),
  kind: Choice(['lexical', 'model'], '`lexical` is no model.'),
  description: Type.String(),
  default: Bool('Asked where a request names no judge.'),
  provider: NullableString,
  base_url: Nullable(Type.String(), 'Host and path of what is asked; null: nothing leaves the process.'),
  model: NullableString,
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'Part of the cache key.' }),
  window_tokens: NullableInteger('Input that the judge can take; null: no limit.'),
  max_output_tokens: NullableInteger('Null: no limit.'),
  images: Bool('Whether it is sent the pictures of a trajectory.'),
  price: Nullable(
    Closed({
      input_per_mtok: Type.Number(),
      output_per_mtok: Type.Number(),
      cache_read_per_mtok: Type.Number(),
      cache_write_per_mtok: Type.Number(),
      as_of: Nullable(Type.String(), 'The day on which the price was read; null: not said.'),
    }),
    'Dollars per million tokens; null: unknown, and costs are null.',
  ),
})
export type JudgeView = Static<typeof JudgeViewSchema>

/** Describes a judge that lacks its key, or another setting. */
export const UnconfiguredJudgeSchema = Closed({
  name: Type.String(),
  default: Bool('Asked where a request names no judge, which is refused.'),
  reason: Str('What to do to have it.'),
})

/** A stored trajectory without its text. */
export const TrajectorySummarySchema = Closed({
  id: Str('Digest of the content.'),
  format: Str('`atif-1.7`, `steps`, …'),
  agent: Closed({ name: NullableString, model: NullableString }),
  steps: Type.Integer(),
  parts: Type.Integer(),
  chars: Int('UTF-16 units of text.'),
  first_step: Type.Integer(),
  last_step: Type.Integer(),
  warnings: Type.Array(Closed({ path: Type.String(), message: Type.String() }), {
    description: 'What deviates from the format and was read all the same.',
  }),
  document: Type.Optional(TrajectoryDocumentSchema),
})
export type TrajectorySummary = Static<typeof TrajectorySummarySchema>

const ActSchema = Documented('What an action of the agent is, from the format’s own facts.', {
  tool: Type.String(),
  role: Choice(ACT_ROLES, 'What this argument of the tool call is.'),
  language: Nullable(Choice(ACT_LANGUAGES)),
  target: Nullable(Type.String(), 'The file that the call writes, edits or reads.'),
  outcome: Choice(ACT_OUTCOMES, 'What the record says became of the call.'),
})

export const TrajectoryStepSchema = Closed({
  id: Int('What citations name.'),
  name: Nullable(Type.String(), 'The source’s own name where it is not the id.'),
  at: Nullable(Type.Number(), 'When it happened: milliseconds since 1970, where the source says so.'),
  copied: Bool('Repeated from an earlier segment of the same run.'),
  parts: Type.Array(
    Closed({
      actor: ActorSchema,
      text: Type.String(),
      path: Str('Where the text stands in the source document.'),
      name: Type.String(),
      media: Bool('A picture or a sound: `text` is a placeholder.'),
      act: Nullable(ActSchema),
    }),
  ),
})
export type TrajectoryStep = Static<typeof TrajectoryStepSchema>

/** The sign-in of a browser. */
export const SignInSchema = Documented('A key, exchanged for a session.', {
  key: Str('A key as `veridict keys create` printed it.', { minLength: 1, maxLength: 200 }),
})

const caller = {
  name: Str('The name of the key; `anybody` where none is needed and none was sent.'),
  scopes: Type.Array(Type.String(), {
    description: 'Of `grade`, `read`, `review`, `admin`; `admin` includes the others.',
  }),
}

/** A session at its opening; its signature is in the cookie alone. */
export const OpenedSessionSchema = Documented('A session that was opened.', { ...caller, expires_at: Timestamp })
export type OpenedSession = Static<typeof OpenedSessionSchema>

/** The caller of a request. */
export const WhoSchema = Documented('Who asks, and what they may do.', {
  required: Bool('Whether the service asks for a key.'),
  session: Bool('Whether this is known by a session, which can be ended, and not by a key.'),
  ...caller,
})
export type Who = Static<typeof WhoSchema>

/** Names that filter grades, in the order of choice. */
export const NAMED_BY = ['judge', 'rubric', 'agent', 'model', 'task'] as const
export type NamedBy = (typeof NAMED_BY)[number]

const Names = Type.Array(Type.String(), { description: 'Of all stored grades, in order; the first 200.' })

/** The count of fitting grades, and the names to filter by. */
export const GradeOverviewSchema = Closed({
  total: Count(),
  complete: Bool('False: more may fit. Counted is among the newest 20,000 that fit the most selective filter.'),
  statuses: Counts(GRADE_STATUSES),
  labels: Type.Unsafe<Record<Behaviour, number> & Record<string, number>>({
    type: 'object',
    properties: Object.fromEntries(LABELS.map((label) => [label, Count()])),
    required: LABELS,
    additionalProperties: Count(),
    description: 'Those of `tab-behavior` always; of other rubrics those that occur.',
  }),
  names: Closed({ judge: Names, rubric: Names, agent: Names, model: Names, task: Names }),
})
export type GradeOverview = Static<typeof GradeOverviewSchema>
