import { type Static, type TProperties, Type } from 'typebox'
import { BatchOptionsSchema, FailureCountsSchema } from './batch.ts'
import { GradeSchema } from './grade.ts'
import { GradeSelectionSchema } from './trial.ts'
import * as t from './type.ts'
import { EVIDENCE_MATCHES, ITEM_STATUSES, LabelSchema, MATCH_WORDS, PROVENANCES } from './vocabulary.ts'
import { REASON_WORDS } from './words.ts'

export const MAX_AGREEMENT_LABELS = 100
export const DEFAULT_DRAWS = 2000
export const DEFAULT_SEED = 1

export type UndefinedReason = keyof typeof REASON_WORDS
export const UndefinedReasonSchema = t.Choice(
  Object.keys(REASON_WORDS) as UndefinedReason[],
  '`no_ratings`; `no_pairs`: no item has two ratings to compare; `one_category`: all ratings are of one category, so that chance explains them; `not_two_raters`, `unequal_ratings`: the statistic is for two raters, or for items with equally many ratings; `no_cases`: nothing to divide by; `no_discordant_pairs`: nothing differs; `too_few_reviews`. Of an interval alone: `too_few_units`: one item or cluster cannot be resampled; `mostly_undefined`: in half of the draws or more; `no_spread`: every draw gave the same value, so that the bootstrap knows no interval.',
)

const AgreementLabelSchema = t.Str('Any category.', { minLength: 1, maxLength: 100 })

const RatingSchema = t.Closed({
  item: t.Name('What was rated.', 300),
  rater: t.Name('Who rated it; an item once at most.', 300),
  label: AgreementLabelSchema,
  cluster: t.Opt(t.Name('The group of the item, such as its task; resampled as a whole.', 300)),
})
export type Rating = Static<typeof RatingSchema>

export const BootstrapSettingsSchema = t.Closed({
  draws: t.Opt(Type.Integer({ minimum: 100, maximum: 20_000, default: DEFAULT_DRAWS })),
  seed: t.Opt.Int('The same seed gives the same intervals.', {
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: DEFAULT_SEED,
  }),
})

export const Ci95 = t.Nullable(
  Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'Lower and upper limit of the 95% interval.' }),
)

export const Figure = <C extends TProperties>(counts: C, description = '') =>
  t.Documented(`${description}\`reason\` says why \`value\`, or else \`ci95\`, is null.`, {
    value: t.Nullable(Type.Number()),
    ci95: Ci95,
    ...counts,
    reason: t.Nullable(UndefinedReasonSchema),
  })

export const StatisticSchema = Figure({})
export type Statistic = Static<typeof StatisticSchema>

export const statistic = (description: string) => Type.Unsafe<Statistic>({ ...StatisticSchema, description })

const UNDEFINED_DRAWS = 'Draws in which it was undefined; its interval is of the others.'
const WEIGHTED = ['linear_kappa', 'quadratic_kappa', 'krippendorff_alpha'] as const

const StoredRatersSchema = t.Documented(
  'Items are the questions (a trajectory with its ground truth) that have a standing grade that fits `query`, all of them where it is absent; clusters are tasks. Where `query` names a batch, its own trials are chosen from, and of the judges that it asked its own grades are compared.',
  {
    raters: Type.Array(
      t.Str(
        '`judge:<name>` or `judge:<name>@<rubric>`: its standing grade; `samples:…`: each of its samples is a rater; `human:<name>`; `humans`: each of them but labels that an agent made; `signals`: what the harness measured, for claims that the rubric says are measured (of `tab-behavior`: observed by appeared, distractor_acted by executed).',
        { maxLength: 300, pattern: '^((judge|samples|human):.+|humans|signals)$' },
      ),
      { minItems: 1, maxItems: 50, uniqueItems: true },
    ),
    query: t.Opt(GradeSelectionSchema),
    rubric: t.Opt.Str('Its id without a version; needed where several rubrics graded the questions.', {
      maxLength: 200,
    }),
    measure: t.Opt.Str(
      '`label` or `outcome`: what follows from the claims; or the id of a claim of the rubric (of `tab-behavior` also observed, cue_acted, distractor_acted). A judge’s claims are its own; those of samples, and of humans who gave none, are what their label says of them, and what was not seen was not acted on: where it says nothing, they have no rating. Numbers and ordered labels are also answered with `weighted`.',
      { maxLength: 100, default: 'label' },
    ),
  },
)
export type StoredRaters = Static<typeof StoredRatersSchema>

export const AgreementCallSchema = t.Documented('Either `ratings`, perhaps with `labels` and `scale`, or `stored`.', {
  ratings: t.Opt.Array(RatingSchema, { minItems: 1, maxItems: 100_000 }),
  labels: t.Opt.List(
    AgreementLabelSchema,
    'All categories that could be given, in the order of the matrix. Where absent, those that were given, sorted. Gwet’s AC1 depends on how many there are.',
    { minItems: 1, maxItems: MAX_AGREEMENT_LABELS, uniqueItems: true },
  ),
  scale: t.Opt(
    t.Choice(
      ['nominal', 'ordinal', 'interval'],
      'What the labels are: `nominal`: names; `ordinal`: in the order of `labels`, which is required; `interval`: numbers. With an order the answer has `weighted`, too.',
      { default: 'nominal' },
    ),
  ),
  bootstrap: t.Opt(BootstrapSettingsSchema),
  stored: t.Opt(StoredRatersSchema),
})
export type AgreementCall = Static<typeof AgreementCallSchema>
export type Scale = NonNullable<AgreementCall['scale']>
export type AgreementRequest = Omit<AgreementCall, 'ratings' | 'stored'> & Required<Pick<AgreementCall, 'ratings'>>

const ENDS = ['n', 'graded', 'unverified', 'failed', 'cancelled', 'undecided', 'missing'] as const
const COVERAGE =
  'The `n` questions by how they ended. `graded`: with a rating; `unverified`: the evidence does not hold; `failed`: the judge failed; `cancelled`: the batch was cancelled before the judge was asked; `undecided`: a human cannot tell; `missing`: was not asked, has not measured it, or says nothing of the claim.'
const RaterCoverageSchema = t.Documented(COVERAGE, {
  rater: t.Text,
  ...t.Counts(ENDS).properties,
  provenance: t.Opt(t.Counts(PROVENANCES, 'Ratings of a human, or of `signals`, by the provenance of the label.')),
})

export const EvidenceAgreementSchema = t.List(
  t.Closed({
    raters: t.List(t.Text, 'Two rater words or judges; one of them twice: the samples of that judge among themselves.'),
    ...t.Counts(EVIDENCE_MATCHES).properties,
  }),
  `Of each two judges, and of the samples of one judge: pairs of labels. ${MATCH_WORDS}.`,
)
export type EvidenceAgreement = Static<typeof EvidenceAgreementSchema>

/** The figures beside each coefficient: a constant answer must not pass for agreement. */
export const BASELINES = {
  base_rate: t.Nullable(
    t.Closed({ label: t.Text, share: Type.Number() }),
    'The most frequent label, and its share among all ratings; null without ratings.',
  ),
  constant_guess: t.Nullable(
    t.Closed({ label: t.Text, agreement: Type.Number() }),
    'The most frequent label of the rater named first, and the raw agreement with that rater of always giving it.',
  ),
}

const COEFFICIENTS = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const
export const AgreementSchema = t.Closed({
  ...t.Counts(['n_items', 'n_raters', 'n_ratings']).properties,
  ...t.Each(COEFFICIENTS, StatisticSchema),
  weighted: t.Opt.Documented(
    'Only of labels with an order: what is further apart counts as more. κ of two raters by the places of ordinal labels, or by the numbers of interval ones; α with the ordinal or interval metric.',
    {
      scale: t.Choice(['ordinal', 'interval']),
      ...t.Each(WEIGHTED, StatisticSchema),
      undefined: t.Counts(WEIGHTED, UNDEFINED_DRAWS),
    },
  ),
  confusion: t.Nullable(
    t.Closed({
      labels: t.List(AgreementLabelSchema, 'Of rows and columns.'),
      ...t.Each(['row_rater', 'column_rater'], t.Text),
      matrix: t.List(Type.Array(Type.Integer({ minimum: 0 })), 'Items that both rated.'),
    }),
  ),
  prevalence: t.Dict(Type.Number({ minimum: 0, maximum: 1 }), 'Share of each label among all ratings.'),
  ...BASELINES,
  effective_raters: t.Documented('Independent raters that the raters are worth.', {
    value: t.Nullable(t.Num('n / (1 + (n − 1) · the mean κ, at least 0); of judges, their effective number.')),
    mean_kappa: t.Nullable(t.Num('Mean of Cohen’s κ of each two raters.')),
    reason: t.Nullable(UndefinedReasonSchema),
  }),
  bootstrap: t.Documented('Resampling of whole items or clusters; expanded percentile intervals.', {
    draws: t.Count('Resamples.'),
    seed: t.Count('Of the random numbers.'),
    unit: t.Choice(['item', 'cluster'], 'What was resampled.'),
    n_units: t.Count('How many there are.'),
    undefined: t.Counts(COEFFICIENTS, UNDEFINED_DRAWS),
  }),
  coverage: t.Opt.List(RaterCoverageSchema, 'Of stored raters, each as it was named or expanded to.'),
  evidence_agreement: t.Opt(EvidenceAgreementSchema),
})
export type Agreement = Static<typeof AgreementSchema>

/** A batch over stored grades. An absent member stays as each grade has it. */
export const RegradeRequestSchema = t.Closed({
  query: GradeSelectionSchema,
  recheck: t.Opt.Bool('Only checks stored replies under the evidence rules of today; asks no judge.'),
  ...BatchOptionsSchema.properties,
})
export type RegradeRequest = Static<typeof RegradeRequestSchema>

const { status, label, claimed_label, receipt } = GradeSchema.properties
const Side = t.Closed({ grade_id: t.Text, status, label, claimed_label, receipt })

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

export const ASPECTS = ['cases', 'rubric', 'prompt', 'reader', 'rendering', 'evidence', 'judge', 'settings'] as const

const FlipSchema = t.Closed({
  ...t.Each(['trajectory', 'ground_truth'], t.Text),
  task: t.NullableText,
  trial: t.Opt(t.NullableText),
  ...t.Each(['base', 'head'], Side),
})
export type Flip = Static<typeof FlipSchema>

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
