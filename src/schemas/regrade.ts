import { type Static, Type } from 'typebox'
import { AgreementSchema, EvidenceAgreementSchema, statistic, UndefinedReasonSchema } from './agreement.ts'
import { BatchOptionsSchema, FailureCountsSchema } from './batch.ts'
import { GradeSchema } from './grade.ts'
import { GradeSelectionSchema } from './trial.ts'
import * as t from './type.ts'
import { ITEM_STATUSES, LabelSchema } from './vocabulary.ts'

/** A batch over stored grades. An absent member stays as each grade has it. */
export const RegradeRequestSchema = t.Closed({
  query: GradeSelectionSchema,
  recheck: t.Opt.Bool('Only checks stored replies under the evidence rules of today; asks no judge.'),
  ...BatchOptionsSchema.properties,
})
export type RegradeRequest = Static<typeof RegradeRequestSchema>

const { status, label, claimed_label, receipt } = GradeSchema.properties
const Side = t.Closed({ grade_id: t.Text, status, label, claimed_label, receipt })

/** Two grades of one question that differ. */
const FlipSchema = t.Closed({
  ...t.Each(['trajectory', 'ground_truth'], t.Text),
  task: t.NullableText,
  ...t.Each(['base', 'head'], Side),
})
export type Flip = Static<typeof FlipSchema>

const ComparisonAgreementSchema = Type.Pick(
  AgreementSchema,
  [
    ...(['raw_agreement', 'cohen_kappa', 'krippendorff_alpha', 'gwet_ac1', 'weighted', 'bootstrap'] as const),
    ...(['base_rate', 'constant_guess', 'effective_raters'] as const),
  ],
  {
    additionalProperties: false,
    description: 'Of both sides as raters of the pairs; tasks resampled where trials name them.',
  },
)
export type ComparisonAgreement = Static<typeof ComparisonAgreementSchema>

const ComparisonTestsSchema = t.Documented('Tests of moved labels. The p-values take pairs as independent.', {
  bowker: t.Closed({
    statistic: t.Nullable(t.Num('χ² of symmetry of the matrix.')),
    df: Type.Integer(),
    p: t.Nullable(Type.Number()),
    reason: t.Nullable(UndefinedReasonSchema),
  }),
  labels: Type.Array(
    t.Documented('One label against the rest. `reason`: why its p-value is null or says nothing.', {
      label: LabelSchema,
      ...t.Counts(['base_only', 'head_only'], 'Pairs with the label on that side alone.').properties,
      mcnemar_p: t.Nullable(t.Num('Exact, two-sided.')),
      holm_p: t.Nullable(t.Num('Holm’s adjustment of `mcnemar_p` for all labels.')),
      ...t.Each(['base_share', 'head_share'], t.Nullable(Type.Number())),
      difference: statistic('Share in the head minus share in the base; tasks resampled.'),
      reason: t.Nullable(UndefinedReasonSchema),
    }),
  ),
  notes: Type.Array(t.Text),
})
export type ComparisonTests = Static<typeof ComparisonTestsSchema>

const RepeatNoiseSchema = t.Documented('How many flips asking the same judge again would give: its repeat noise.', {
  expected_flips: t.Nullable(t.Num('Flips that asking the same judge twice would give on so many pairs.')),
  ci95: t.Nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  from: t.Nullable(t.Choice(['votes_of_both', 'votes_of_base', 'votes_of_head', 'same_key'])),
  ...t.Each(
    ['base', 'head'],
    t.Closed({
      questions: t.Count('Pairs of which this side has two or more valid votes.'),
      disagreement: statistic('Chance that two answers of this judge to one question differ.'),
    }),
  ),
  same_key: t.Closed({
    pairs: t.Count('Pairs of two grades of one key: the same judge was asked the very same again.'),
    flipped: t.Count('Of those, with another label.'),
  }),
  reason: t.Nullable(t.Str('Why it is null; or what the number rests on.')),
})
export type RepeatNoise = Static<typeof RepeatNoiseSchema>

/** The members by which sides of a comparison differ, the most basic first. */
export const ASPECTS = ['cases', 'rubric', 'prompt', 'reader', 'rendering', 'evidence', 'judge', 'settings'] as const
const DifferenceSchema = t.Documented('Where the sides differ in more than their answers.', {
  what: t.Choice(
    ASPECTS,
    '`cases`: the questions; `rubric`: its content; `prompt`, `reader`, `rendering`, `evidence`: versions of the software; `judge`: its name and model; `settings`: of the calls, with the samples.',
  ),
  n: t.Count('Pairs that differ; of `cases`, questions that one side alone asks.'),
  ...t.Each(['base', 'head'], t.List(t.Text, 'Of the pairs that differ; at most ten.')),
  blocks_tests: t.Bool('True: another question was asked or checked, and `tests` take `across=true`.'),
})
export type Difference = Static<typeof DifferenceSchema>

/** The comparison of two batches; `statistics=false` leaves out `differs`, `agreement`, `tests`, `repeat_noise` and `evidence_agreement`. */
export const ComparisonSchema = t.Closed({
  base: t.Str('The base batch, or `sources of bat_…`: the grades that a re-grade started from.'),
  head: t.Text,
  pairs: t.Int('Questions that both sides have a label for.'),
  ...t.Each(['same', 'flipped'], Type.Integer()),
  differs: t.Opt.List(DifferenceSchema, 'Read first: what else than the answers differs; empty where nothing does.'),
  unpaired: t.Closed({
    base_only: t.Int('Questions of the base that the head does not ask.'),
    head_only: Type.Integer(),
    without_label: t.Int('Asked on both sides, but one or both have no label.'),
    other_truth: t.Int('Trajectories with another ground truth on each side; in `base_only` and `head_only`, too.'),
    other_rubric: t.Int('Trajectories with another rubric on each side; never compared.'),
  }),
  ...t.Each(
    ['base_counts', 'head_counts'],
    t.Documented('Every item of that side by its end; nothing is left out.', {
      ...t.Counts(['n', ...ITEM_STATUSES]).properties,
      failures: FailureCountsSchema,
    }),
  ),
  matrix: t.Closed({
    labels: t.List(
      LabelSchema,
      'All labels of the rubric in its order, then further labels that occur; of a sum, the numbers that occur.',
    ),
    counts: t.List(Type.Array(Type.Integer()), 'Rows: base; columns: head.'),
  }),
  agreement: t.Opt(ComparisonAgreementSchema),
  tests: t.Opt(ComparisonTestsSchema),
  repeat_noise: t.Opt(RepeatNoiseSchema),
  evidence_agreement: t.Opt(EvidenceAgreementSchema),
  flips: t.List(FlipSchema, 'Pairs with different labels, one page of them.'),
  next_cursor: t.NullableText,
})
export type Comparison = Static<typeof ComparisonSchema>
