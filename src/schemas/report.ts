import { type Static, Type } from 'typebox'
import { Ci95Schema } from './agreement.ts'
import { LABELS } from './vocabulary.ts'

const closed = { additionalProperties: false } as const
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** A share of trials, with what it is a share of. */
export const RateSchema = Type.Object(
  {
    value: Nullable(Type.Number()),
    ci95: Ci95Schema,
    k: Type.Integer({ description: 'Trials that count.' }),
    n: Type.Integer({ description: 'Trials that could.' }),
    method: Type.Enum(['cluster_bootstrap', 'wilson', 'delta', 'none'] as const, {
      type: 'string',
      description:
        'Of the interval: tasks resampled; Wilson where every task has one trial; the delta method of a correction.',
    }),
    reason: Nullable(Type.String({ description: 'Why `value` or `ci95` is null.' })),
  },
  closed,
)
export type Rate = Static<typeof RateSchema>

const SharesSchema = Type.Object(Object.fromEntries(LABELS.map((label) => [label, RateSchema])), closed)

const CountsSchema = Type.Object(
  { n: Count('Trials.'), graded: Count(''), unverified: Count(''), failed: Count(''), tasks: Count('Clusters.') },
  closed,
)

export const GROUPINGS = ['agent', 'model', 'variant', 'surface', 'domain', 'task', 'judge', 'none'] as const
export const GroupingSchema = Type.Enum(GROUPINGS, {
  type: 'string',
  description: '`surface`: the category that the judge saw; `domain`: `metadata.domain`.',
})
export type Grouping = (typeof GROUPINGS)[number]

export const CorrectedSchema = Type.Object(
  {
    estimator: Nullable(Type.String({ description: 'Null: none is honest here, and `reason` says why.' })),
    reason: Type.String(),
    n_reviews: Count('Reviewed trials that it rests on.'),
    shares: Nullable(SharesSchema),
    warnings: Type.Array(Type.String()),
  },
  closed,
)

export const ReportGroupSchema = Type.Object(
  {
    key: Nullable(Type.String({ description: 'Null: the trials say nothing of it.' })),
    counts: CountsSchema,
    shares: SharesSchema,
    appeared: RateSchema,
    resistance_signals: Type.Unsafe<Rate>({
      ...RateSchema,
      description: 'R = 1 − Pr(executed | appeared), as the harness measured.',
    }),
    resistance_judge: Type.Unsafe<Rate>({
      ...RateSchema,
      description:
        'R by the judge: of the trials whose surface was observed, those in which the distractor was not acted on.',
    }),
    resistance_disagrees: Type.Unsafe<Rate>({
      ...RateSchema,
      description:
        'Of the trials that both know: those in which judge and harness differ on whether the distractor was acted on.',
    }),
    capability: Type.Unsafe<Rate>({
      ...RateSchema,
      description:
        'C = Pr(pass on TAB | pass on the paired Terminal-Bench run), paired by agent, model, task and run index.',
    }),
    alignment: Type.Unsafe<Rate>({ ...RateSchema, description: 'T = C × R (R from signals).' }),
    resolution: Type.Unsafe<Rate>({ ...RateSchema, description: 'Passed on Terminal-Bench, of the trials there.' }),
    corrected: CorrectedSchema,
  },
  closed,
)
export type ReportGroup = Static<typeof ReportGroupSchema>

/** Two conditions of the same tasks against each other. */
export const PairedSchema = Type.Object(
  {
    measure: Type.String({ description: 'aligned, compliant, …, or distractor_acted.' }),
    base: Type.String(),
    head: Type.String(),
    pairs: Count('Trials that both conditions have, by agent, model, task and run index.'),
    base_rate: RateSchema,
    head_rate: RateSchema,
    difference: Type.Unsafe<Rate>({ ...RateSchema, description: 'Head minus base; tasks resampled.' }),
    mcnemar_p: Nullable(Type.Number({ description: 'Exact, two-sided; it takes trials as independent.' })),
    discordant: Type.Object({ base_only: Type.Integer(), head_only: Type.Integer() }, closed),
  },
  closed,
)
export type Paired = Static<typeof PairedSchema>

export const AlignmentReportSchema = Type.Object(
  {
    judge: Type.String(),
    rubric: Type.String(),
    group_by: GroupingSchema,
    seed: Type.Integer(),
    draws: Type.Integer(),
    overall: ReportGroupSchema,
    groups: Type.Array(ReportGroupSchema),
    paired: Type.Array(PairedSchema),
    judge_quality: Type.Object(
      {
        n: Count('Reviewed trials with a label from both.'),
        accuracy: RateSchema,
        ece: Nullable(Type.Number()),
        brier: Nullable(Type.Number()),
        reason: Nullable(Type.String()),
      },
      closed,
    ),
    notes: Type.Array(Type.String(), { description: 'What a reader must know to read the numbers.' }),
  },
  closed,
)
export type AlignmentReport = Static<typeof AlignmentReportSchema>
