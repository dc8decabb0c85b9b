import { type Static, Type } from 'typebox'
import { TrialMetadataSchema } from './trial.ts'
import * as t from './type.ts'
import * as v from './vocabulary.ts'

const ClaimId = t.Str('The id of a claim of the rubric, like `cue.acted`.')
const CitationSchema = t.Closed({
  supports: ClaimId,
  entry: t.Opt.Int('Of a claim of a list: the number of its entry, from 1.'),
  step_id: Type.Integer(),
  quote: t.Text,
  status: v.CitationStatusSchema,
  actor: t.Nullable(v.ActorSchema),
  path: t.Nullable(t.Str('JSON pointer into the trajectory; `#` goes on inside JSON held in a string.')),
  start: t.Nullable(t.Int('UTF-16 offset in the text at `path`.')),
  end: t.Nullable(Type.Integer()),
  occurrences: t.Int('How often the quote stands in the cited step.'),
  normalization: t.Opt.Nullable(
    t.List(
      v.QuoteNormalizationSchema,
      'Differences of a `normalized` quote; null: none. Absent from the oldest grades.',
    ),
  ),
  found_in_step: t.Opt.Int('Only with `wrong_step`: the first step that does hold the quote.'),
})
export type CheckedCitation = Static<typeof CitationSchema>

export const FailureSchema = t.Closed({
  code: t.Choice(v.FAILURE_CODES),
  message: t.Text,
  retryable: t.Bool('Whether the same request can succeed later.'),
  retry_after_s: t.Nullable(Type.Number()),
})
export type Failure = Static<typeof FailureSchema>

const UsageSchema = t.Closed({
  input_tokens: t.Int('All input tokens, cached ones included.'),
  ...t.Each(['output_tokens', 'cache_read_tokens', 'cache_write_tokens'], Type.Integer()),
  cache_write_long_tokens: t.Opt.Int('Of those written, those kept for the longer time.'),
  service_tier: t.Opt.Str('Of the provider; absent: none was asked for, and the call had the usual tier.'),
})
export type Usage = Static<typeof UsageSchema>

export const AttemptSummarySchema = t.Closed({
  id: t.Text,
  sample: Type.Integer(),
  round: t.Int('0: the first question; 1 and 2: repairs, or a decision that is shown less; of a window, its number.'),
  purpose: t.Choice(['decide', 'window', 'repair']),
  outcome: t.Choice(['ok', 'sent', 'unknown', ...v.FAILURE_CODES]),
  message: t.NullableText,
  latency_ms: Type.Integer(),
  usage: t.Nullable(UsageSchema),
  cost_usd: t.Nullable(t.Num('Null where the price or the tokens are unknown.')),
  request_id: t.Nullable(t.Str('The provider’s own id of the call.')),
  replayed: t.Bool('The stored reply of an earlier grade: not paid for again.'),
  request_digest: t.Opt.Nullable(t.Digest, 'Of the request with its limit. Absent from old grades, as the next two.'),
  reply_digest: t.Opt.Nullable(t.Digest, 'Of the raw reply as it is kept; null: there was none.'),
  max_output_tokens: t.Opt.Nullable(Type.Integer(), 'The limit that was sent; null: none, or not known of this call.'),
})
export type AttemptSummary = Static<typeof AttemptSummarySchema>

const VoteSchema = t.Closed({
  sample: Type.Integer(),
  status: t.Choice(v.GRADE_STATUSES),
  ...t.Each(['label', 'claimed_label'], t.Nullable(v.LabelSchema)),
  confidence: t.Nullable(t.Choice(v.CONFIDENCE_LEVELS)),
  failure: t.Nullable(t.Choice(v.FAILURE_CODES)),
  quotes: t.Opt.Dict(
    t.List(t.Closed({ step_id: Type.Integer(), path: t.Text, start: Type.Integer(), end: Type.Integer() })),
    'The quotes that hold, by each claim that the label needs quotes for. Absent without a label, and from old grades.',
  ),
})
export type Vote = Static<typeof VoteSchema>

export const UnreadSchema = t.Documented('What of the trajectory could not be read. Absent from the oldest grades.', {
  records: t.Count('Records that could not be read, or not as what they are.'),
  actions: t.Count('Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`).'),
})
export type Unread = Static<typeof UnreadSchema>

const InputStateSchema = t.Documented(
  'Whether the judge saw what the agent saw, by the harness’s own marks. Absent from grades before 29 November 2026.',
  {
    state: t.Choice(
      ['complete', 'compacted', 'truncated', 'parts_missing'],
      'The first that holds, from the last word: records or media are missing; an output or the judge’s view is cut; the harness put a summary in the place of earlier text, which the agent no longer saw; none of them.',
    ),
    compacted: t.Bool('The record marks a compaction of the agent’s context.'),
    truncated_by: t.List(
      t.Choice(['harness', 'window']),
      '`harness`: tool output has a mark by which harnesses cut what the agent reads (text of a run can imitate one); `window`: the judge was not shown all characters (`coverage.elided_chars`).',
    ),
    missing: t.Closed({
      records: t.Count('Records that could not be read.'),
      media: t.Count('Pictures and sounds that the judge was not shown.'),
    }),
  },
)
export type InputState = Static<typeof InputStateSchema>

const ReceiptSchema = t.Closed({
  cache: t.Choice(['hit', 'miss']),
  ...t.Each(['key', 'trajectory', 'ground_truth'], t.Digest),
  rubric: t.Text,
  rubric_digest: t.Digest,
  judge: t.Text,
  ...t.Each(['provider', 'model_requested', 'model_resolved'], t.NullableText),
  versions: t.Counts(['rendering', 'evidence', 'prompt', 'reader']),
  denied_acts: t.Opt.Choice(
    ['flag', 'refuse'],
    'Whether a denial that an action anchor contradicts was flagged or refused. Absent from the oldest grades.',
  ),
  // A null setting was not sent: the default of the provider counted.
  settings: t.Opt.Nullable(
    t.Closed({
      api: t.NullableText,
      host: t.Nullable(t.Str('Of the base URL.')),
      effort: t.NullableText,
      temperature: t.Nullable(Type.Number()),
      max_output_tokens: t.Nullable(Type.Integer()),
      parameters: t.Dict(
        Type.Unknown(),
        'The rest of the judge’s identity in the cache key, beside provider, base URL and model.',
      ),
    }),
    'How the judge was asked; null: not known. Absent from old grades.',
  ),
  samples: t.Opt.Int('Absent from old grades.'),
  mode: t.Opt.Choice(
    ['direct', 'provider', 'stored'],
    '`direct`: calls; `provider`: batch endpoint; `stored`: a recheck of stored replies. Absent from old grades.',
  ),
  software: t.Opt.Str('`veridict` and its version. Absent from old grades.'),
  coverage: t.Closed({
    ...t.Each(['steps_shown', 'steps_total'], Type.Integer()),
    elided_chars: t.Int('Characters of the trajectory that no call of the judge was shown.'),
    media_parts: t.Int('Pictures and sounds, which no search can read.'),
    media_shown: t.Opt.Int('Those that the judge was shown in every sample. Absent from old grades.'),
    windows: t.Int('1, or the number of windows that were read for evidence.'),
  }),
  attempts: Type.Array(AttemptSummarySchema),
  cost_usd: t.Nullable(t.Num('Sum over the attempts; null where any is unknown.')),
  price_as_of: t.Opt.Nullable(t.Str('Day of the price list; null: not known. Absent from the oldest grades.')),
  warnings: t.List(
    t.Closed({ path: t.Text, message: t.Text }),
    'Anchors that prove little, with their place below `/ground_truth`; and what deviates from the format, with its place in the trajectory. At most 100.',
  ),
  unread: t.Opt(UnreadSchema),
  input: t.Opt(InputStateSchema),
})
export type Receipt = Static<typeof ReceiptSchema>
export type Coverage = Receipt['coverage']

const MAY_BE_UNCLEAR = 'Null: unclear, the judge could not tell from the record. Never to be read as false.'
const ClaimFlag = t.Nullable(Type.Boolean(), MAY_BE_UNCLEAR)
const ClaimValue = Type.Union([Type.Boolean(), t.Text, Type.Number(), Type.Null()], { description: MAY_BE_UNCLEAR })
export const ClaimValueSchema = Type.Union([ClaimValue, Type.Array(t.Dict(ClaimValue))])

/**
 * Reasons why a confidence is not `high`, from the weakest evidence to the strongest. `contradiction`: of the grade. `judge`: the judge itself
 * reports no more. `searched`: a denial, or an absence, rests on a search that finds nothing. `part_of_act`: the anchor stands in a command or an
 * argument that ran, and is not the whole of it. `quotes`: quotes prove that words stand in the run, and not what the judge concludes from them.
 * `unmet`: a claim is unmet, and there is no label. The limit is `medium` for `searched`, `part_of_act` and `quotes`, `low` for others, and either for `judge`.
 */
const LIMIT_CODES = ['contradiction', 'judge', 'searched', 'part_of_act', 'quotes', 'unmet'] as const
const LimitSchema = t.Documented('What keeps the confidence from being `high`.', {
  level: t.Choice(['low', 'medium'], 'The highest level that the evidence allows.'),
  code: t.Choice(LIMIT_CODES, 'Reason why the confidence is not higher.'),
  claim: t.Nullable(ClaimId),
  step_id: t.Nullable(Type.Integer()),
  reason: t.Str('One sentence: why the confidence is not higher.'),
  lift: t.Str('One sentence: what would allow a higher level.'),
})
export type Limit = Static<typeof LimitSchema>

const ContradictionSchema = t.Closed({
  code: v.ContradictionCodeSchema,
  claim: t.Nullable(ClaimId),
  detail: t.Text,
  step_id: t.Nullable(Type.Integer()),
  supportable: t.Opt.Bool('True: the check cannot tell; two models that agree may support the claim.'),
})
export type Contradiction = Static<typeof ContradictionSchema>

export const GradeSchema = t.Closed({
  id: Type.String({ pattern: '^grd_[0-9a-z]+$' }),
  status: t.Choice(v.GRADE_STATUSES),
  ...t.Each(['label', 'claimed_label'], t.Nullable(v.LabelSchema)),
  confidence: t.Closed({
    reported: t.Nullable(t.Choice(v.CONFIDENCE_LEVELS)),
    ...t.Each(['vote_share', 'calibrated'], t.Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    source: t.Choice(['reported', 'capped', 'votes', 'none'], '`capped`: lowered by its `limit`.'),
    limit: t.Opt.Nullable(LimitSchema, 'Null: `high`, or no label. Absent before evidence version 9.'),
  }),
  outcome: t.Opt.Nullable(
    Type.Union([t.Text, Type.Number()]),
    'The result by the rubric: its label, or a number; null unless `graded`. Absent from old grades: the label.',
  ),
  claims: t.Opt.Nullable(t.Dict(ClaimValueSchema), 'By their ids; null: the judge failed. Absent from old grades.'),
  surface: t.Nullable(
    t.Closed({
      observed: ClaimFlag,
      category: t.Nullable(t.Choice(v.SURFACE_CATEGORIES, 'The carrier of the instructions.')),
    }),
    'Claims of `tab-behavior` about the surface; `category`: null (old grades: `other`) where no surface was observed.',
  ),
  ...t.Each(['cue', 'distractor'], t.Nullable(t.Closed({ reasoned: ClaimFlag, acted: ClaimFlag }))),
  citations: Type.Array(CitationSchema),
  unmet: t.List(
    t.Closed({ claim: ClaimId, reason: t.Text, step_id: t.Nullable(Type.Integer()) }),
    'Claims whose evidence does not hold, or that are unclear and decide the label; never empty when `unverified` by evidence.',
  ),
  contradictions: Type.Array(ContradictionSchema),
  notes: t.Text,
  failure: t.Nullable(FailureSchema),
  votes: t.List(VoteSchema, 'Every sample’s own result; empty for a single sample.'),
  receipt: ReceiptSchema,
  metadata: TrialMetadataSchema,
  created_at: t.Timestamp,
})
export type Grade = Static<typeof GradeSchema>

export const LedgerEntrySchema = t.Closed({
  ...Type.Omit(AttemptSummarySchema, ['replayed', 'latency_ms']).properties,
  latency_ms: t.Nullable(Type.Integer(), 'Null while in flight or interrupted.'),
  judge: t.Text,
  batch: t.Nullable(t.Text, 'The batch that it was made for.'),
  started_at: t.Timestamp,
  request_digest: t.Str('Digest of everything that was sent.'),
  model_resolved: t.NullableText,
  raw_reply: t.Opt.Nullable(t.Text, 'Only with `raw=true`.'),
})
export type LedgerEntry = Static<typeof LedgerEntrySchema>

export const BatchCallSchema = t.Closed({
  ...LedgerEntrySchema.properties,
  grade_id: t.Nullable(t.Text, 'The grade that the call was made for, or that uses its reply; null: none was stored.'),
})
