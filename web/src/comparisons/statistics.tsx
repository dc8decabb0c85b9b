import { formatNumber, formatP, formatReason, limitsOf, StatisticView } from '../numbers.tsx'
import type { Comparison, EvidenceAgreement } from '../types.ts'
import { Facts, LabelBadge, None, Notes, Section } from '../ui/parts.tsx'
import { type Column, countColumn, nameColumn, Table } from '../ui/table.tsx'
import { formatCount, plural, spaced } from '../words.ts'

type Agreement = NonNullable<Comparison['agreement']>

/** The agreement of base and head as two raters of the same questions. */
export function AgreementTable({ agreement }: { readonly agreement: Agreement }) {
  const { bootstrap } = agreement
  const rows = [
    { name: 'Raw agreement', of: agreement.raw_agreement },
    { name: 'Cohen’s κ', of: agreement.cohen_kappa },
    { name: 'Krippendorff’s α', of: agreement.krippendorff_alpha },
    { name: 'Gwet’s AC1', of: agreement.gwet_ac1 },
    ...weightedRows(agreement.weighted),
  ]
  return (
    <Section id="agreement-title" title="Agreement of base and head">
      <Facts
        facts={rows.map(({ name, of }) => [
          name,
          <StatisticView key={name} of={of} style={of === agreement.raw_agreement ? 'percent' : 'coefficient'} />,
        ])}
      />
      <p class="aside">{baselineWords(agreement)}</p>
      <p class="aside">
        Intervals: {plural(bootstrap.draws, 'resample')} of{' '}
        {bootstrap.unit === 'cluster'
          ? `${plural(bootstrap.n_units, 'cluster')} (a task, or where none is named a run)`
          : plural(bootstrap.n_units, 'question')}
        , seed {bootstrap.seed}.
      </p>
    </Section>
  )
}

/** Writes the base rate, the agreement of a constant guess, and the effective number of raters: a constant answer must not pass for agreement. */
const baselineWords = ({ base_rate, constant_guess, effective_raters: { value } }: Agreement): string =>
  [
    base_rate &&
      `Most frequent: ${spaced(base_rate.label)}, ${formatNumber(base_rate.share, 'percent')} of all labels. `,
    constant_guess &&
      `Always answering ${spaced(constant_guess.label)} agrees with the base in ${formatNumber(constant_guess.agreement, 'percent')}. `,
    value !== null && `Both sides are worth ${value.toFixed(2)} independent judges.`,
  ]
    .filter(Boolean)
    .join('')

/** Makes the rows of labels with an order, where a larger distance weighs more. */
const weightedRows = (weighted: Agreement['weighted']) =>
  weighted === undefined
    ? []
    : [
        { name: 'κ, linear weights', of: weighted.linear_kappa },
        { name: 'κ, quadratic weights', of: weighted.quadratic_kappa },
        { name: `Krippendorff’s α, ${weighted.scale}`, of: weighted.krippendorff_alpha },
      ]

type Tests = NonNullable<Comparison['tests']>
type LabelTest = Tests['labels'][number]

const share = (value: number | null) => (value === null ? <None /> : formatNumber(value, 'percent'))
const pValue = (p: number | null, { reason }: LabelTest) =>
  p === null ? <None>{formatReason(reason)}</None> : formatP(p)

const columnsOf = (rubric: string | null, given: readonly string[]): readonly Column<LabelTest>[] => [
  { title: 'Label', cell: ({ label }) => <LabelBadge label={label} rubric={rubric} given={given} /> },
  { title: 'Base', number: true, cell: ({ base_share }) => share(base_share) },
  { title: 'Head', number: true, cell: ({ head_share }) => share(head_share) },
  { title: 'Difference, 95% interval', cell: ({ difference }) => <StatisticView of={difference} style="points" /> },
  countColumn('Base alone', ({ base_only }) => base_only),
  countColumn('Head alone', ({ head_only }) => head_only),
  { title: 'McNemar p', number: true, cell: (test) => pValue(test.mcnemar_p, test) },
  { title: 'Holm p', number: true, cell: (test) => pValue(test.holm_p, test) },
]

interface TestsProps {
  readonly tests: Tests
  /** The rubric of the labels. */
  readonly rubric: string | null
  readonly given: readonly string[]
}

/** Tests for a move of the labels in one direction. */
export function TestsTable({ tests, rubric, given }: TestsProps) {
  const { bowker, labels, notes } = tests
  return (
    <Section id="tests-title" title="Did the labels move one way?">
      <p>
        Bowker’s test of symmetry:{' '}
        {bowker.p === null || bowker.statistic === null ? (
          <None>cannot be told: {formatReason(bowker.reason)}</None>
        ) : (
          <>
            χ² = {bowker.statistic.toFixed(2)}, df = {bowker.df}, p {bowker.p < 0.001 ? '' : '= '}
            {formatP(bowker.p)}
          </>
        )}
      </p>
      <Table
        caption="Each label against the rest"
        columns={columnsOf(rubric, given)}
        items={labels}
        keyOf={({ label }) => label}
        empty="No pairs."
      />
      <Notes notes={notes} />
    </Section>
  )
}

type Noise = NonNullable<Comparison['repeat_noise']>

const FROM: Readonly<Record<NonNullable<Noise['from']>, string>> = {
  votes_of_both: 'the votes of both sides',
  votes_of_base: 'the votes of the base',
  votes_of_head: 'the votes of the head',
  same_key: 'questions that were asked the very same again',
}

/** The flips that the same judge would make on its own, by a second answer to each question. */
export function NoiseView({ noise, flipped }: { readonly noise: Noise; readonly flipped: number }) {
  const limits = limitsOf(noise.ci95)
  return (
    <Section id="noise-title" title="Flips that asking the same judge again would give">
      {noise.expected_flips === null ? (
        <p class="none">Cannot be told: {noise.reason ?? 'the reason is not known'}</p>
      ) : (
        <p>
          Asking the same judge twice would flip <strong>{noise.expected_flips.toFixed(1)}</strong>
          {limits !== null && ` (95% interval ${limits[0].toFixed(1)} to ${limits[1].toFixed(1)})`} of as many pairs;{' '}
          <strong>{formatCount(flipped)}</strong> flipped.
          {noise.from !== null && ` From ${FROM[noise.from]}${noise.reason === null ? '' : `: ${noise.reason}`}.`}
        </p>
      )}
      <p class="aside">
        Base: <Repeats side={noise.base} />. Head: <Repeats side={noise.head} />.
        {noise.same_key.pairs > 0 &&
          ` Of ${plural(noise.same_key.pairs, 'pair')} of one key, ${formatCount(noise.same_key.flipped)} flipped.`}
      </p>
    </Section>
  )
}

const Repeats = ({ side: { questions, disagreement } }: { readonly side: Noise['base'] }) =>
  questions === 0 ? (
    <>no question was asked twice</>
  ) : (
    <>
      disagrees with itself: <StatisticView of={disagreement} style="percent" />, over {plural(questions, 'question')}
    </>
  )

type Pair = EvidenceAgreement[number]

const PAIR_COLUMNS: readonly Column<Pair>[] = [
  nameColumn('Judges', ({ raters }) => [...new Set(raters)].join(' and ')),
  countColumn('Same label, overlapping quotes', ({ overlapping }) => overlapping),
  countColumn('Same label, other quotes', ({ disjoint }) => disjoint),
  countColumn('Same label, no quote needed', ({ unquoted }) => unquoted),
  countColumn('Other label', ({ other_label }) => other_label),
  countColumn('Not known', ({ unknown }) => unknown),
]

/** Pairs of answers by label and quotes: judges may agree on a label and not on its evidence. */
export const EvidencePairs = ({ pairs = [] }: { readonly pairs: EvidenceAgreement | undefined }) =>
  pairs.length === 0 ? null : (
    <Section id="evidence-pairs" title="Agreement on evidence">
      <Table
        caption="Pairs of answers by label and quotes"
        columns={PAIR_COLUMNS}
        items={pairs}
        keyOf={({ raters }) => raters.join('\n')}
        empty="No pairs."
      />
    </Section>
  )
