import { type Static, Type } from 'typebox'
import { TrajectoryDocumentSchema } from './trial.ts'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

const PRICES = ['input_per_mtok', 'output_per_mtok', 'cache_read_per_mtok', 'cache_write_per_mtok'] as const

export const JudgeViewSchema = t.Closed({
  name: t.Text,
  kind: t.Choice(['lexical', 'model'], '`lexical` is no model.'),
  description: t.Text,
  default: t.Bool('Asked where a request names no judge.'),
  provider: t.NullableText,
  base_url: t.Nullable(t.Text, 'Host and path of what is asked; null: nothing leaves the process.'),
  model: t.NullableText,
  parameters: t.Dict(Type.Unknown(), 'Part of the cache key.'),
  window_tokens: t.Nullable(Type.Integer(), 'Input that the judge can take; null: no limit.'),
  max_output_tokens: t.Nullable(Type.Integer(), 'Null: no limit.'),
  images: t.Bool('Whether it is sent the pictures of a trajectory.'),
  price: t.Nullable(
    t.Closed({ ...t.Each(PRICES, Type.Number()), as_of: t.Nullable(t.Text, 'Day of the price; null: not said.') }),
    'Dollars per million tokens; null: unknown.',
  ),
})
export type JudgeView = Static<typeof JudgeViewSchema>

export const UnconfiguredJudgeSchema = t.Closed({
  name: t.Text,
  default: t.Bool('Asked where a request names no judge, which is refused.'),
  reason: t.Str('What to do to have it.'),
})

export const TrajectorySummarySchema = t.Closed({
  id: t.Str('Digest of the content.'),
  format: t.Str('`atif-1.7`, `steps`, …'),
  agent: t.Closed({ name: t.NullableText, model: t.NullableText }),
  ...t.Each(['steps', 'parts'], Type.Integer()),
  chars: t.Int('UTF-16 units of text.'),
  ...t.Each(['first_step', 'last_step'], Type.Integer()),
  warnings: t.List(t.Closed({ path: t.Text, message: t.Text }), 'Deviations from the format, read all the same.'),
  document: t.Opt(TrajectoryDocumentSchema),
})
export type TrajectorySummary = Static<typeof TrajectorySummarySchema>

export const TrajectoryStepSchema = t.Closed({
  id: t.Int('What citations name.'),
  name: t.Nullable(t.Text, 'The source’s own name where it is not the id.'),
  at: t.Nullable(Type.Number(), 'When it happened: milliseconds since 1970, where the source says so.'),
  copied: t.Bool('Repeated from an earlier segment of the same run.'),
  parts: Type.Array(
    t.Closed({
      actor: v.ActorSchema,
      text: t.Text,
      path: t.Str('Where the text stands in the source document.'),
      name: t.Text,
      media: t.Bool('A picture or a sound: `text` is a placeholder.'),
      act: t.Nullable(
        t.Documented('What an action of the agent is, from the format’s own facts.', {
          tool: t.Text,
          role: t.Choice(v.ACT_ROLES, 'What this argument of the tool call is.'),
          language: t.Nullable(t.Choice(v.ACT_LANGUAGES)),
          target: t.Nullable(t.Text, 'The file that the call writes, edits or reads.'),
          outcome: t.Choice(v.ACT_OUTCOMES, 'What the record says became of the call.'),
        }),
      ),
    }),
  ),
})
export type TrajectoryStep = Static<typeof TrajectoryStepSchema>

export const SignInSchema = t.Documented('A key, exchanged for a session.', {
  key: t.Str('A key as `veridict keys create` printed it.', { minLength: 1, maxLength: 200 }),
})

const caller = {
  name: t.Str('The name of the key; `anybody` where none is needed and none was sent.'),
  scopes: t.List(t.Text, 'Of `grade`, `read`, `review`, `admin`; `admin` includes the others.'),
}

/** A session at its opening; its signature is in the cookie alone. */
export const OpenedSessionSchema = t.Documented('A session that was opened.', { ...caller, expires_at: t.Timestamp })
export type OpenedSession = Static<typeof OpenedSessionSchema>

export const WhoSchema = t.Documented('Who asks, and what they may do.', {
  required: t.Bool('Whether the service asks for a key.'),
  session: t.Bool('Whether this is known by a session, which can be ended, and not by a key.'),
  ...caller,
})
export type Who = Static<typeof WhoSchema>

export const NAMED_BY = ['judge', 'rubric', 'agent', 'model', 'task'] as const
export type NamedBy = (typeof NAMED_BY)[number]

export const GradeOverviewSchema = t.Closed({
  total: t.Count(),
  complete: t.Bool('False: more may fit. Counted is among the newest 20,000 that fit the most selective filter.'),
  statuses: t.Counts(v.GRADE_STATUSES),
  labels: Type.Unsafe<Record<v.Behaviour, number> & Record<string, number>>({
    type: 'object',
    properties: Object.fromEntries(v.LABELS.map((label) => [label, t.Count()])),
    required: v.LABELS,
    additionalProperties: t.Count(),
    description: 'Those of `tab-behavior` always; of other rubrics those that occur.',
  }),
  names: t.Closed(t.Each(NAMED_BY, t.List(t.Text, 'Of all stored grades, in order; the first 200.'))),
})
export type GradeOverview = Static<typeof GradeOverviewSchema>
