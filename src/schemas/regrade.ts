import type { Static } from 'typebox'
import { AgreementSchema, statistic, UndefinedReasonSchema } from './agreement.ts'
import { BatchOptions, FailureCountsSchema } from './batch.ts'
import { ReceiptSchema } from './grade.ts'
import { Bool, Choice, Closed, Count, Documented, Int, Nullable, Num, Str, Type } from './type.ts'
import { GradeStatusSchema, LabelSchema } from './vocabulary.ts'

const text = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 300, ...(description && { description }) }))

/** Selects the stored grades that fit every given field. */
export const GradeSelectionSchema = Closed(
  {
    label: Type.Optional(LabelSchema),
    status: Type.Optional(GradeStatusSchema),
    judge: text(),
    rubric: text('`id@version`, or an id for all of its versions.'),
    agent: text(),
    model: text(),
    task: text(),
    batch: text(),
    ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 10_000 })),
  },
  { minProperties: 1, description: 'Stored grades that fit every given field; at least one field.' },
)
export type GradeSelection = Static<typeof GradeSelectionSchema>

const { name, key, mode, max_cost_usd, dry_run, judge, rubric, samples, cache } = BatchOptions

/** A batch over stored grades. An absent member stays as each grade has it. */
export const RegradeRequestSchema = Closed({
  query: GradeSelectionSchema,
  judge,
  rubric,
  samples,
  cache,
  recheck: Type.Optional(
    Bool('Only the evidence rules: stored replies are checked again under the rules of today, and no judge is asked.'),
  ),
  name,
  key,
  mode,
  max_cost_usd,
  dry_run,
})
export type RegradeRequest = Static<typeof RegradeRequestSchema>

const Side = Closed({
  grade_id: Type.String(),
  status: GradeStatusSchema,
  label: Nullable(LabelSchema),
  claimed_label: Nullable(LabelSchema),
  receipt: ReceiptSchema,
})

/** Two grades of one question that differ. */
const FlipSchema = Closed({
  trajectory: Type.String(),
  ground_truth: Type.String(),
  task: Nullable(Type.String()),
  base: Side,
  head: Side,
})
export type Flip = Static<typeof FlipSchema>

const Counted = Documented('Every item of that side by its end; nothing is left out.', {
  n: Type.Integer(),
  graded: Type.Integer(),
  unverified: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  failures: FailureCountsSchema,
})

const ComparisonAgreementSchema = Type.Pick(
  AgreementSchema,
  ['raw_agreement', 'cohen_kappa', 'krippendorff_alpha', 'gwet_ac1', 'weighted', 'bootstrap'],
  {
    additionalProperties: false,
    description: 'Of both sides as raters of the pairs; tasks resampled where trials name them.',
  },
)
export type ComparisonAgreement = Static<typeof ComparisonAgreementSchema>

const LabelTestSchema = Documented(
  'One label against the rest. `reason`: why there is no p-value, or why it says nothing.',
  {
    label: LabelSchema,
    base_only: Count('Pairs with the label in the base alone.'),
    head_only: Count('Pairs with the label in the head alone.'),
    mcnemar_p: Nullable(Num('Exact, two-sided.')),
    holm_p: Nullable(Num('Holm’s adjustment of `mcnemar_p` for all labels.')),
    base_share: Nullable(Type.Number()),
    head_share: Nullable(Type.Number()),
    difference: statistic('Share in the head minus share in the base; tasks resampled.'),
    reason: Nullable(UndefinedReasonSchema),
  },
)

const ComparisonTestsSchema = Documented('Whether the labels moved one way. The p-values take pairs as independent.', {
  bowker: Closed({
    statistic: Nullable(Num('χ² of symmetry of the matrix.')),
    df: Type.Integer(),
    p: Nullable(Type.Number()),
    reason: Nullable(UndefinedReasonSchema),
  }),
  labels: Type.Array(LabelTestSchema),
  notes: Type.Array(Type.String()),
})
export type ComparisonTests = Static<typeof ComparisonTestsSchema>

const SideNoiseSchema = Closed({
  questions: Count('Pairs of which this side has two or more valid votes.'),
  disagreement: statistic('Chance that two answers of this judge to one question differ.'),
})

const NOISE_SOURCES = ['votes_of_both', 'votes_of_base', 'votes_of_head', 'same_key'] as const
const RepeatNoiseSchema = Documented('How many flips lie inside the judge’s own repeat noise.', {
  expected_flips: Nullable(Num('Flips that asking the same judge twice would give on so many pairs.')),
  ci95: Type.Unsafe<[number, number] | null>(Nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))),
  from: Nullable(Choice(NOISE_SOURCES)),
  base: SideNoiseSchema,
  head: SideNoiseSchema,
  same_key: Closed({
    pairs: Count('Pairs of two grades of one key: the same judge was asked the very same again.'),
    flipped: Count('Of those, with another label.'),
  }),
  reason: Nullable(Str('Why it is null; or what the number rests on.')),
})
export type RepeatNoise = Static<typeof RepeatNoiseSchema>

/** The comparison of two batches; without `agreement`, `tests` and `repeat_noise` for `statistics=false`. */
export const ComparisonSchema = Closed({
  base: Str('The base batch, or `sources of bat_…`: the grades that a re-grade started from.'),
  head: Type.String(),
  pairs: Int('Questions that both sides have a label for.'),
  same: Type.Integer(),
  flipped: Type.Integer(),
  unpaired: Closed({
    base_only: Int('Questions of the base that the head does not ask.'),
    head_only: Type.Integer(),
    without_label: Int('Asked on both sides, but one or both have no label.'),
    other_truth: Int(
      'Trajectories that both sides graded, each against another ground truth: they are in `base_only` and in `head_only`, too.',
    ),
    other_rubric: Int('The same of trajectories that each side graded by another rubric, which are never compared.'),
  }),
  base_counts: Counted,
  head_counts: Counted,
  matrix: Closed({
    labels: Type.Array(LabelSchema, {
      description:
        'Of the rubric, in its order, whether they occur or not; then what occurs beyond them. Of sums, what occurs.',
    }),
    counts: Type.Array(Type.Array(Type.Integer()), { description: 'Rows: base; columns: head.' }),
  }),
  agreement: Type.Optional(ComparisonAgreementSchema),
  tests: Type.Optional(ComparisonTestsSchema),
  repeat_noise: Type.Optional(RepeatNoiseSchema),
  flips: Type.Array(FlipSchema, { description: 'Pairs with different labels, one page of them.' }),
  next_cursor: Nullable(Type.String()),
})
export type Comparison = Static<typeof ComparisonSchema>
