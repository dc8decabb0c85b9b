import { formatNumber, formatP, formatReason, limitsOf, StatisticView } from '../numbers.tsx'
import type { Comparison } from '../types.ts'
import { Facts, LabelBadge, None } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, plural } from '../words.ts'

type Agreement = NonNullable<Comparison['agreement']>

/** Base and head as two raters of the same questions. */
export function AgreementTable({ agreement }: { readonly agreement: Agreement }) {
  const { bootstrap } = agreement
  const rows = [
    { name: 'Raw agreement', of: agreement.raw_agreement, style: 'percent' as const },
    { name: 'Cohen’s κ', of: agreement.cohen_kappa, style: 'coefficient' as const },
    { name: 'Krippendorff’s α', of: agreement.krippendorff_alpha, style: 'coefficient' as const },
    { name: 'Gwet’s AC1', of: agreement.gwet_ac1, style: 'coefficient' as const },
    ...weightedRows(agreement.weighted),
  ]
  return (
    <section aria-labelledby="agreement-title">
      <h2 id="agreement-title">Agreement of base and head</h2>
      <Table
        caption="Agreement of base and head, with 95% intervals"
        columns={[
          { title: 'Measure', cell: ({ name }) => name },
          { title: 'Value, 95% interval', cell: ({ of, style }) => <StatisticView of={of} style={style} /> },
        ]}
        items={rows}
        keyOf={({ name }) => name}
        empty="No pair has a label on both sides."
      />
      <p class="aside">
        Intervals: {plural(bootstrap.draws, 'resample')} of{' '}
        {bootstrap.unit === 'cluster'
          ? `${plural(bootstrap.n_units, 'cluster')} (a task, or where none is named a run)`
          : plural(bootstrap.n_units, 'question')}
        , seed {bootstrap.seed}.
      </p>
    </section>
  )
}

/** Of labels with an order: what is further apart counts as more. */
const weightedRows = (weighted: Agreement['weighted']) =>
  weighted === undefined
    ? []
    : [
        { name: 'κ, linear weights', of: weighted.linear_kappa, style: 'coefficient' as const },
        { name: 'κ, quadratic weights', of: weighted.quadratic_kappa, style: 'coefficient' as const },
        {
          name: `Krippendorff’s α, ${weighted.scale}`,
          of: weighted.krippendorff_alpha,
          style: 'coefficient' as const,
        },
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
  { title: 'Base alone', number: true, cell: ({ base_only }) => formatCount(base_only) },
  { title: 'Head alone', number: true, cell: ({ head_only }) => formatCount(head_only) },
  { title: 'McNemar p', number: true, cell: (test) => pValue(test.mcnemar_p, test) },
  { title: 'Holm p', number: true, cell: (test) => pValue(test.holm_p, test) },
]

interface TestsProps {
  readonly tests: Tests
  /** Whose labels they are, and those that were given. */
  readonly rubric: string | null
  readonly given: readonly string[]
}

/** Whether the labels moved one way, or only moved. */
export function TestsTable({ tests, rubric, given }: TestsProps) {
  const { bowker, labels, notes } = tests
  return (
    <section aria-labelledby="tests-title">
      <h2 id="tests-title">Did the labels move one way?</h2>
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
      {notes.map((note) => (
        <p key={note} class="aside">
          {note}
        </p>
      ))}
    </section>
  )
}

type Noise = NonNullable<Comparison['repeat_noise']>

const FROM: Readonly<Record<NonNullable<Noise['from']>, string>> = {
  votes_of_both: 'the votes of both sides',
  votes_of_base: 'the votes of the base',
  votes_of_head: 'the votes of the head',
  same_key: 'questions that were asked the very same again',
}

/** How many of the flips the same judge would have made by being asked twice. */
export function NoiseView({ noise, flipped }: { readonly noise: Noise; readonly flipped: number }) {
  const limits = limitsOf(noise.ci95)
  return (
    <section aria-labelledby="noise-title">
      <h2 id="noise-title">Inside of the judge’s own repeat noise</h2>
      {noise.expected_flips === null ? (
        <p class="none">Cannot be told: {noise.reason ?? 'the reason is not known'}</p>
      ) : (
        <p>
          Asking the same judge twice would flip <strong>{noise.expected_flips.toFixed(1)}</strong>
          {limits !== null && ` (95% interval ${limits[0].toFixed(1)} to ${limits[1].toFixed(1)})`} of as many pairs;{' '}
          <strong>{formatCount(flipped)}</strong> flipped.
          {noise.from !== null && ` From ${FROM[noise.from]}.`} {noise.reason}
        </p>
      )}
      <Facts
        facts={[
          ['Base', <Side key="base" side={noise.base} />],
          ['Head', <Side key="head" side={noise.head} />],
          [
            'Same key',
            `${formatCount(noise.same_key.flipped)} of ${formatCount(noise.same_key.pairs)} pairs of one key have another label`,
          ],
        ]}
      />
    </section>
  )
}

const Side = ({ side }: { readonly side: Noise['base'] }) => (
  <>
    disagrees with itself: <StatisticView of={side.disagreement} style="percent" />{' '}
    <span class="fraction">{plural(side.questions, 'question')} with votes</span>
  </>
)
