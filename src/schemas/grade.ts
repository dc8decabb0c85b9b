import { type Static, Type } from 'typebox'
import { TrialMetadataSchema } from './grade-request.ts'
import {
  ActorSchema,
  AttemptOutcomeSchema,
  CitationStatusSchema,
  ClaimIdSchema,
  ConfidenceLevelSchema,
  ContradictionCodeSchema,
  FailureCodeSchema,
  GradeStatusSchema,
  LabelSchema,
  SurfaceCategorySchema,
} from './vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })
const Timestamp = Type.String({ format: 'date-time' })

export const CitationSchema = Type.Object(
  {
    supports: ClaimIdSchema,
    step_id: Type.Integer(),
    quote: Type.String(),
    status: CitationStatusSchema,
    actor: Nullable(ActorSchema),
    path: Nullable(
      Type.String({ description: 'JSON pointer into the trajectory; `#` goes on inside JSON held in a string.' }),
    ),
    start: Nullable(Type.Integer({ description: 'UTF-16 offset in the text at `path`.' })),
    end: Nullable(Type.Integer()),
    occurrences: Type.Integer({ description: 'How often the quote stands in the cited step.' }),
    found_in_step: Type.Optional(
      Type.Integer({ description: 'Only with `wrong_step`: the first step that does hold the quote.' }),
    ),
  },
  closed,
)
export type CheckedCitation = Static<typeof CitationSchema>

export const ContradictionSchema = Type.Object(
  {
    code: ContradictionCodeSchema,
    claim: Nullable(ClaimIdSchema),
    detail: Type.String(),
    step_id: Nullable(Type.Integer()),
  },
  closed,
)
export type Contradiction = Static<typeof ContradictionSchema>

export const FailureSchema = Type.Object(
  {
    code: FailureCodeSchema,
    message: Type.String(),
    retryable: Type.Boolean({ description: 'Whether the same request can succeed later.' }),
    retry_after_s: Nullable(Type.Number()),
  },
  closed,
)
export type Failure = Static<typeof FailureSchema>

export const UsageSchema = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'All input tokens, cached ones included.' }),
    output_tokens: Type.Integer(),
    cache_read_tokens: Type.Integer(),
    cache_write_tokens: Type.Integer(),
  },
  closed,
)
export type Usage = Static<typeof UsageSchema>

export const AttemptSummarySchema = Type.Object(
  {
    id: Type.String(),
    sample: Type.Integer(),
    round: Type.Integer({ description: '0 the first question, 1 and 2 repairs.' }),
    purpose: Type.Enum(['decide', 'window', 'repair'] as const, { type: 'string' }),
    outcome: AttemptOutcomeSchema,
    message: Nullable(Type.String()),
    latency_ms: Type.Integer(),
    usage: Nullable(UsageSchema),
    cost_usd: Nullable(Type.Number({ description: 'Null where no price is configured for the model.' })),
    request_id: Nullable(Type.String({ description: 'The provider’s own id of the call.' })),
    replayed: Type.Boolean({ description: 'The stored reply of an earlier, interrupted grade: not paid for again.' }),
  },
  closed,
)
export type AttemptSummary = Static<typeof AttemptSummarySchema>

export const CoverageSchema = Type.Object(
  {
    steps_shown: Type.Integer(),
    steps_total: Type.Integer(),
    elided_chars: Type.Integer({ description: 'Characters of the trajectory that no call of the judge was shown.' }),
    media_parts: Type.Integer({ description: 'Pictures and sounds, which no judge is shown and no search can read.' }),
    windows: Type.Integer({ description: '1, or the number of windows that were read for evidence.' }),
  },
  closed,
)
export type Coverage = Static<typeof CoverageSchema>

export const VoteSchema = Type.Object(
  {
    sample: Type.Integer(),
    status: GradeStatusSchema,
    label: Nullable(LabelSchema),
    claimed_label: Nullable(LabelSchema),
    confidence: Nullable(ConfidenceLevelSchema),
    failure: Nullable(FailureCodeSchema),
  },
  closed,
)
export type Vote = Static<typeof VoteSchema>

export const ReceiptSchema = Type.Object(
  {
    cache: Type.Enum(['hit', 'miss'] as const, { type: 'string' }),
    key: Digest,
    trajectory: Digest,
    ground_truth: Digest,
    rubric: Type.String(),
    rubric_digest: Digest,
    judge: Type.String(),
    provider: Nullable(Type.String()),
    model_requested: Nullable(Type.String()),
    model_resolved: Nullable(Type.String()),
    versions: Type.Object(
      { rendering: Type.Integer(), evidence: Type.Integer(), prompt: Type.Integer(), reader: Type.Integer() },
      closed,
    ),
    denied_acts: Type.Optional(
      Type.Enum(['flag', 'refuse'] as const, {
        type: 'string',
        description:
          'Whether an act that is denied against a given action anchor was a contradiction or did not hold. Absent from the oldest grades.',
      }),
    ),
    coverage: CoverageSchema,
    attempts: Type.Array(AttemptSummarySchema),
    cost_usd: Nullable(Type.Number({ description: 'Sum over the attempts; null where any of them has no price.' })),
    price_as_of: Type.Optional(
      Nullable(
        Type.String({
          description:
            'The day of the price list that the costs were computed with; null: none was known. Absent from the oldest grades.',
        }),
      ),
    ),
    warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, closed), {
      description: 'What deviates from the format, with its place; at most 100.',
    }),
  },
  closed,
)
export type Receipt = Static<typeof ReceiptSchema>

const ActedSchema = Type.Object({ reasoned: Type.Boolean(), acted: Type.Boolean() }, closed)

export const GradeSchema = Type.Object(
  {
    id: Type.String({ pattern: '^grd_[0-9a-z]+$' }),
    status: GradeStatusSchema,
    label: Nullable(LabelSchema),
    claimed_label: Nullable(LabelSchema),
    confidence: Type.Object(
      {
        reported: Nullable(ConfidenceLevelSchema),
        vote_share: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
        calibrated: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
        source: Type.Enum(['reported', 'capped', 'votes', 'none'] as const, {
          type: 'string',
          description: '`capped`: lowered by a contradiction.',
        }),
      },
      closed,
    ),
    surface: Nullable(Type.Object({ observed: Type.Boolean(), category: SurfaceCategorySchema }, closed)),
    cue: Nullable(ActedSchema),
    distractor: Nullable(ActedSchema),
    citations: Type.Array(CitationSchema),
    unmet: Type.Array(
      Type.Object({ claim: ClaimIdSchema, reason: Type.String(), step_id: Nullable(Type.Integer()) }, closed),
      {
        description: 'Claims whose evidence does not hold; never empty when `unverified` by evidence.',
      },
    ),
    contradictions: Type.Array(ContradictionSchema),
    notes: Type.String(),
    failure: Nullable(FailureSchema),
    votes: Type.Array(VoteSchema, { description: 'Every sample’s own result; empty for a single sample.' }),
    receipt: ReceiptSchema,
    metadata: TrialMetadataSchema,
    created_at: Timestamp,
  },
  closed,
)
export type Grade = Static<typeof GradeSchema>
