import type { Static } from 'typebox'
import { TrialMetadataSchema } from './trial.ts'
import { Bool, Choice, Closed, Count, Digest, Documented, Int, Nullable, Num, Str, Timestamp, Type } from './type.ts'
import {
  ActorSchema,
  AttemptOutcomeSchema,
  CitationStatusSchema,
  ConfidenceLevelSchema,
  ContradictionCodeSchema,
  FailureCodeSchema,
  GradeStatusSchema,
  LabelSchema,
  LimitCodeSchema,
  QuoteNormalizationSchema,
  SurfaceCategorySchema,
} from './vocabulary.ts'

const ClaimId = Str('The id of a claim of the rubric, like `cue.acted`.')
const CitationSchema = Closed({
  supports: ClaimId,
  entry: Type.Optional(Int('Of a claim of a list: the number of its entry, from 1.')),
  step_id: Type.Integer(),
  quote: Type.String(),
  status: CitationStatusSchema,
  actor: Nullable(ActorSchema),
  path: Nullable(Str('JSON pointer into the trajectory; `#` goes on inside JSON held in a string.')),
  start: Nullable(Int('UTF-16 offset in the text at `path`.')),
  end: Nullable(Type.Integer()),
  occurrences: Int('How often the quote stands in the cited step.'),
  normalization: Type.Optional(
    Nullable(
      Type.Array(QuoteNormalizationSchema, {
        description:
          'What the quote and the text differ in, where the status is `normalized`; null: nothing, or the quote was not found. Absent from the oldest grades.',
      }),
    ),
  ),
  found_in_step: Type.Optional(Int('Only with `wrong_step`: the first step that does hold the quote.')),
})
export type CheckedCitation = Static<typeof CitationSchema>

const ContradictionSchema = Closed({
  code: ContradictionCodeSchema,
  claim: Nullable(ClaimId),
  detail: Type.String(),
  step_id: Nullable(Type.Integer()),
  supportable: Type.Optional(
    Bool(
      'True: the check cannot tell, and nothing speaks against the claim, so that two models that agree may support it in the result of a panel.',
    ),
  ),
})
export type Contradiction = Static<typeof ContradictionSchema>

export const FailureSchema = Closed({
  code: FailureCodeSchema,
  message: Type.String(),
  retryable: Bool('Whether the same request can succeed later.'),
  retry_after_s: Nullable(Type.Number()),
})
export type Failure = Static<typeof FailureSchema>

const UsageSchema = Closed({
  input_tokens: Int('All input tokens, cached ones included.'),
  output_tokens: Type.Integer(),
  cache_read_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  cache_write_long_tokens: Type.Optional(
    Int('Of those written, what the provider keeps for the longer time that was asked for.'),
  ),
  service_tier: Type.Optional(
    Str('That the provider served it in; absent where none was asked for and it was the usual one.'),
  ),
})
export type Usage = Static<typeof UsageSchema>

export const AttemptSummarySchema = Closed({
  id: Type.String(),
  sample: Type.Integer(),
  round: Int('0 the first question, 1 and 2 repairs or a decision that was shown less; of a window, its own number.'),
  purpose: Choice(['decide', 'window', 'repair']),
  outcome: AttemptOutcomeSchema,
  message: Nullable(Type.String()),
  latency_ms: Type.Integer(),
  usage: Nullable(UsageSchema),
  cost_usd: Nullable(Num('Null where the model has no price for this call, or the reply did not say its tokens.')),
  request_id: Nullable(Str('The provider’s own id of the call.')),
  replayed: Bool('The stored reply of an earlier, interrupted grade: not paid for again.'),
  request_digest: Type.Optional(
    Nullable(
      Digest,
      'Digest of the request, its output limit included. Absent from old grades, as are the next two members.',
    ),
  ),
  reply_digest: Type.Optional(Nullable(Digest, 'Of the raw reply as it is kept; null: there was none.')),
  max_output_tokens: Type.Optional(
    Nullable(
      Type.Integer(),
      'The limit that was sent; null: none, or not known of a replayed call or one of a provider’s batch.',
    ),
  ),
})
export type AttemptSummary = Static<typeof AttemptSummarySchema>

const CoverageSchema = Closed({
  steps_shown: Type.Integer(),
  steps_total: Type.Integer(),
  elided_chars: Int('Characters of the trajectory that no call of the judge was shown.'),
  media_parts: Int('Pictures and sounds, which no search can read.'),
  media_shown: Type.Optional(
    Int('Those that the judge was shown, in every sample. Absent: from before judges were shown any.'),
  ),
  windows: Int('1, or the number of windows that were read for evidence.'),
})
export type Coverage = Static<typeof CoverageSchema>

const VoteSchema = Closed({
  sample: Type.Integer(),
  status: GradeStatusSchema,
  label: Nullable(LabelSchema),
  claimed_label: Nullable(LabelSchema),
  confidence: Nullable(ConfidenceLevelSchema),
  failure: Nullable(FailureCodeSchema),
})
export type Vote = Static<typeof VoteSchema>

export const UnreadSchema = Documented('What of the trajectory could not be read. Absent from the oldest grades.', {
  records: Count('Records that could not be read, or not as what they are.'),
  actions: Count('Of these, tool calls, and what may hold some: then the confidence is `low` (`doubtful_act`).'),
})
export type Unread = Static<typeof UnreadSchema>

const InputStateSchema = Documented(
  'Whether the judge saw what the agent saw, by the harness’s own marks. Absent from grades before version 0.1.0 of 29 November 2026.',
  {
    state: Choice(
      ['complete', 'compacted', 'truncated', 'parts_missing'],
      'The first that holds, from the last word: records or media are missing; an output or the judge’s view is cut; the harness put a summary in the place of earlier text, which the agent no longer saw; none of them.',
    ),
    compacted: Bool('The record marks a compaction of the agent’s context.'),
    truncated_by: Type.Array(Choice(['harness', 'window']), {
      description:
        '`harness`: tool output has a mark by which harnesses cut what the agent reads (text of a run can imitate one); `window`: the judge was not shown all characters (`coverage.elided_chars`).',
    }),
    missing: Closed({
      records: Count('Records that could not be read.'),
      media: Count('Pictures and sounds that the judge was not shown.'),
    }),
  },
)
export type InputState = Static<typeof InputStateSchema>

/** The settings of a call. A null setting was not sent: the default of the provider counted. */
const JudgeSettingsSchema = Closed({
  api: Nullable(Type.String()),
  host: Nullable(Str('Of the base URL.')),
  effort: Nullable(Type.String()),
  temperature: Nullable(Type.Number()),
  max_output_tokens: Nullable(Type.Integer()),
  parameters: Type.Record(Type.String(), Type.Unknown(), {
    description: 'All that is part of the judge’s identity in the cache key, beside provider, base URL and model.',
  }),
})

export const ReceiptSchema = Closed({
  cache: Choice(['hit', 'miss']),
  key: Digest,
  trajectory: Digest,
  ground_truth: Digest,
  rubric: Type.String(),
  rubric_digest: Digest,
  judge: Type.String(),
  provider: Nullable(Type.String()),
  model_requested: Nullable(Type.String()),
  model_resolved: Nullable(Type.String()),
  versions: Closed({
    rendering: Type.Integer(),
    evidence: Type.Integer(),
    prompt: Type.Integer(),
    reader: Type.Integer(),
  }),
  denied_acts: Type.Optional(
    Choice(
      ['flag', 'refuse'],
      'Whether an act that is denied against a given action anchor was a contradiction or did not hold. Absent from the oldest grades.',
    ),
  ),
  settings: Type.Optional(
    Nullable(
      JudgeSettingsSchema,
      'How the judge was asked; null: not known of an old grade that was rechecked. Absent from old grades.',
    ),
  ),
  samples: Type.Optional(Int('Absent from old grades.')),
  mode: Type.Optional(
    Choice(
      ['direct', 'provider', 'stored'],
      'By calls, through the provider’s batch endpoint, or from stored replies (a recheck). Absent from old grades.',
    ),
  ),
  software: Type.Optional(Str('`veridict` and its version. Absent from old grades.')),
  coverage: CoverageSchema,
  attempts: Type.Array(AttemptSummarySchema),
  cost_usd: Nullable(Num('Sum over the attempts; null where that of any of them is unknown.')),
  price_as_of: Type.Optional(
    Nullable(
      Str(
        'The day of the price list that the costs were computed with; null: none was known, or its day was not said. Absent from the oldest grades.',
      ),
    ),
  ),
  warnings: Type.Array(Closed({ path: Type.String(), message: Type.String() }), {
    description:
      'Anchors that prove little, with their place below `/ground_truth`; and what deviates from the format, with its place in the trajectory. At most 100.',
  }),
  unread: Type.Optional(UnreadSchema),
  input: Type.Optional(InputStateSchema),
})
export type Receipt = Static<typeof ReceiptSchema>

const ClaimFlag = Nullable(
  Type.Boolean(),
  'Null: unclear, the judge could not tell from the record. Never to be read as false.',
)
const ClaimValue = Type.Union([Type.Boolean(), Type.String(), Type.Number(), Type.Null()], {
  description: 'Null: unclear, the judge could not tell from the record. Never to be read as false.',
})
/** The claimed values, and the entries of a list. */
export const ClaimValueSchema = Type.Union([ClaimValue, Type.Array(Type.Record(Type.String(), ClaimValue))])
const ActedSchema = Closed({ reasoned: ClaimFlag, acted: ClaimFlag })

const LimitSchema = Documented('What keeps the confidence from being `high`.', {
  level: Choice(['low', 'medium'], 'The highest level that the evidence allows.'),
  code: LimitCodeSchema,
  claim: Nullable(ClaimId),
  step_id: Nullable(Type.Integer()),
  reason: Str('One sentence: why the confidence is not higher.'),
  lift: Str('One sentence: what would allow a higher level.'),
})
export type Limit = Static<typeof LimitSchema>

export const GradeSchema = Closed({
  id: Type.String({ pattern: '^grd_[0-9a-z]+$' }),
  status: GradeStatusSchema,
  label: Nullable(LabelSchema),
  claimed_label: Nullable(LabelSchema),
  confidence: Closed({
    reported: Nullable(ConfidenceLevelSchema),
    vote_share: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    calibrated: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    source: Choice(['reported', 'capped', 'votes', 'none'], '`capped`: lowered by its `limit`.'),
    limit: Type.Optional(
      Nullable(
        LimitSchema,
        'What keeps the confidence below `high`; null: it is `high`, or the grade has no label. Absent from grades before evidence version 9.',
      ),
    ),
  }),
  outcome: Type.Optional(
    Nullable(
      Type.Union([Type.String(), Type.Number()]),
      'What follows from the claims by the rubric: its label, or a number, whose text the label then is; null unless `graded`. Absent from old grades, whose label it is.',
    ),
  ),
  claims: Type.Optional(
    Nullable(
      Type.Record(Type.String(), ClaimValueSchema),
      'What the judge claims, by the id of the claim; null: it failed. Absent from old grades.',
    ),
  ),
  surface: Nullable(
    Closed({ observed: ClaimFlag, category: Nullable(SurfaceCategorySchema) }),
    'The claims of `tab-behavior` about the surface. `category` is null where the surface was not observed; grades of old have `other` there.',
  ),
  cue: Nullable(ActedSchema),
  distractor: Nullable(ActedSchema),
  citations: Type.Array(CitationSchema),
  unmet: Type.Array(Closed({ claim: ClaimId, reason: Type.String(), step_id: Nullable(Type.Integer()) }), {
    description:
      'Claims whose evidence does not hold, or that are unclear and decide the label; never empty when `unverified` by evidence.',
  }),
  contradictions: Type.Array(ContradictionSchema),
  notes: Type.String(),
  failure: Nullable(FailureSchema),
  votes: Type.Array(VoteSchema, { description: 'Every sample’s own result; empty for a single sample.' }),
  receipt: ReceiptSchema,
  metadata: TrialMetadataSchema,
  created_at: Timestamp,
})
export type Grade = Static<typeof GradeSchema>

/** One call of a judge as the ledger of a grade shows it. */
export const LedgerEntrySchema = Closed({
  ...Type.Omit(AttemptSummarySchema, ['replayed', 'latency_ms']).properties,
  latency_ms: Nullable(Type.Integer(), 'Null while in flight or interrupted.'),
  judge: Type.String(),
  batch: Nullable(Type.String(), 'The batch that it was made for.'),
  started_at: Timestamp,
  request_digest: Str('Digest of everything that was sent.'),
  model_resolved: Nullable(Type.String()),
  raw_reply: Type.Optional(Nullable(Type.String(), 'Only with `raw=true`.')),
})
export type LedgerEntry = Static<typeof LedgerEntrySchema>

/** A call of a batch, with or without a grade. */
export const BatchCallSchema = Closed({
  ...LedgerEntrySchema.properties,
  grade_id: Nullable(
    Type.String(),
    'The grade that it was made for, or that uses its reply; null: no grade was stored.',
  ),
})
