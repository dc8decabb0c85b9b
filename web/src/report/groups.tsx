import { Fragment } from 'preact'
import { formatNumber, formatReason, RateView, StatisticView } from '../numbers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { visibleString } from '../text/visible-text.ts'
import type { AlignmentFigures, JudgeEvidence, JudgeQuality, Rate, Report, ReportGroup } from '../types.ts'
import { Facts, LabelBadge, None, Notes } from '../ui/parts.tsx'
import { type Column, countColumn, Table } from '../ui/table.tsx'
import { countWords, formatCount, plural, spaced } from '../words.ts'

const LONGEST = 36

/** Writes the key of a group for a plot, cut, with marks for invisible characters: strangers write keys. */
export function groupName(key: string | null): string {
  const name = key === null ? '(not given)' : visibleString(key)
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`
}

/** Makes axis labels with the number of trials or graded trials; two groups never share a label. */
export function groupLabels(groups: readonly ReportGroup[], of: 'trials' | 'graded'): string[] {
  const used = new Map<string, number>()
  return groups.map(({ key, counts }) => {
    const label = `${groupName(key)} (n=${formatCount(of === 'trials' ? counts.n : counts.graded)} ${of})`
    const before = used.get(label) ?? 0
    used.set(label, before + 1)
    return before === 0 ? label : `${label} ${before + 1}`
  })
}

/** Lists all trials together, then the groups; a single group of all trials stands for the total. */
export const groupsWithAll = ({ overall, groups }: Report): readonly ReportGroup[] =>
  overall === null || groups.length === 1 ? groups : [{ ...overall, key: 'all trials' }, ...groups]

/** Lists the groups of a plot: all trials without groups. */
export const drawnGroups = (report: Report): readonly ReportGroup[] =>
  report.groups.length === 0 ? groupsWithAll(report) : report.groups

/** A group of `tab-behavior`, with the figures of TAB. */
export type AlignmentGroup = ReportGroup & AlignmentFigures

const isAlignment = (group: ReportGroup): group is AlignmentGroup => group.cue_utilization !== undefined

export const hasAlignment = ({ overall, groups }: Pick<Report, 'overall' | 'groups'>): boolean =>
  [overall, ...groups].some((group) => group !== null && isAlignment(group))

export const alignmentGroups = (groups: readonly ReportGroup[]): AlignmentGroup[] => groups.filter(isAlignment)

/** The name of a group, by a stranger; `(not given)` for trials without the field. */
export const GroupKey = ({ name }: { readonly name: string | null }) =>
  name === null ? <None>(not given)</None> : <HostileText text={name} />

/** Counts the grades with contradictions and with unread records. */
export const doubtWords = ({ contradicted, unread }: ReportGroup['counts']): string =>
  `${formatCount(contradicted)} with contradictions, ${formatCount(unread)} with unread records`

/** A group beside its rates, with the number of doubtful grades. */
export const RatedGroup = ({ group: { key, counts } }: { readonly group: ReportGroup }) => (
  <>
    <GroupKey name={key} />
    {counts.contradicted + counts.unread > 0 && (
      <div class="fraction objection">
        {formatCount(counts.graded)} graded: {doubtWords(counts)}
      </div>
    )}
  </>
)

/** Counts the graded trials of each label by confidence: `aligned: high 3, low 1`. */
const sureWords = ({ levels }: ReportGroup): string =>
  Object.entries(levels)
    .flatMap(([label, counts]) => (countWords(counts) === '' ? [] : `${spaced(label)}: ${countWords(counts)}`))
    .join('; ')

const COLUMNS: readonly Column<ReportGroup>[] = [
  { title: 'Group', cell: ({ key }) => <GroupKey name={key} /> },
  countColumn('Trials', ({ counts }) => counts.n),
  countColumn('Graded', ({ counts }) => counts.graded),
  { title: 'Confidence', cell: (group) => <HostileText text={sureWords(group)} /> },
  countColumn('Contradicted', ({ counts }) => counts.contradicted),
  countColumn('Unread', ({ counts }) => counts.unread),
  countColumn('Unverified', ({ counts }) => counts.unverified),
  countColumn('Failed', ({ counts }) => counts.failed),
  { title: 'Why they failed', cell: ({ counts }) => countWords(counts.failures) || <None /> },
  countColumn('Cancelled', ({ counts }) => counts.cancelled),
  countColumn('Tasks', ({ counts }) => counts.tasks),
  countColumn('Without a task', ({ counts }) => counts.without_task),
]

/** The counts of each group, the denominators of all other numbers. */
export const CountsTable = ({ groups }: { readonly groups: readonly ReportGroup[] }) => (
  <Table
    caption="Trials of each group, by how their grading ended; of the graded, those contradicted and with unread records"
    columns={COLUMNS}
    items={groups}
    keyOf={({ key }) => String(key)}
    empty="No trials."
  />
)

/** The evidence of each judge by the outcome of its check; outcomes of no grade are left out. */
export const EvidenceSection = ({ evidence }: { readonly evidence: readonly JudgeEvidence[] }) => (
  <>
    {evidence.map(({ judge, grades, citations }) => (
      <Fragment key={judge}>
        <h3>
          <HostileText text={judge} />
        </h3>
        <Facts facts={Object.entries({ grades, citations }).flatMap(([of, rates]) => ratesOf(of, rates))} />
      </Fragment>
    ))}
  </>
)

const ratesOf = (of: string, rates: Readonly<Record<string, Rate>>) =>
  Object.entries(rates).flatMap(([status, rate]) =>
    rate.k > 0 ? [[`${of}: ${spaced(status)}`, <RateView key={status} rate={rate} />] as const] : [],
  )

/** The quality of each judge by the reviews of humans. */
export const QualitySection = ({ report }: { readonly report: Report }) => (
  <>
    {report.judge_quality.map((quality) => (
      <Quality key={quality.judge} quality={quality} report={report} />
    ))}
  </>
)

type LabelQuality = JudgeQuality['labels'][number]

interface QualityProps {
  readonly quality: JudgeQuality
  readonly report: Pick<Report, 'rubric' | 'labels'>
}

const score = (value: number | null) => (value === null ? <None>no cases</None> : formatNumber(value, 'percent'))

function Quality({ quality, report }: QualityProps) {
  const { judge, n, accuracy, labels, confusion, calibration, warnings } = quality
  const badge = ({ label }: LabelQuality) => <LabelBadge label={label} rubric={report.rubric} given={report.labels} />
  return (
    <section aria-label={`Judge ${judge} against humans`}>
      <h2>
        <HostileText text={judge} /> against humans
      </h2>
      <p>
        {plural(n, 'reviewed trial')} with a label from both; the same label: <RateView rate={accuracy} />. Expected
        calibration error and Brier score: <Forecast quality={quality} />.
      </p>
      <Table
        caption={`Labels of ${judge}: rows by humans, columns by the judge; precision and recall`}
        columns={[
          { title: 'Humans ↓ judge →', cell: badge },
          ...labels.map(({ label }, column) =>
            countColumn<LabelQuality>(spaced(label), (row) => confusion[labels.indexOf(row)]?.[column] ?? 0),
          ),
          countColumn<LabelQuality>('Humans', ({ n_human }) => n_human),
          countColumn<LabelQuality>('Judge', ({ n_judge }) => n_judge),
          { title: 'Precision', number: true, cell: ({ precision }) => score(precision) },
          { title: 'Recall', number: true, cell: ({ recall }) => score(recall) },
          { title: 'F1', number: true, cell: ({ f1 }) => score(f1) },
        ]}
        items={labels}
        keyOf={({ label }) => label}
        empty="No reviews."
      />
      <Facts
        facts={calibration.map((statistic) => [
          `Right at ${statistic.level} confidence`,
          <>
            <StatisticView of={statistic} style="percent" />{' '}
            <span class="fraction">{plural(statistic.n, 'review')} at random</span>
          </>,
        ])}
      />
      <Notes notes={warnings} />
    </section>
  )
}

function Forecast({ quality }: { readonly quality: JudgeQuality }) {
  const { ece, brier, forecasts, reason } = quality
  if (ece === null || brier === null) return <None>cannot be told: {formatReason(reason)}</None>
  return (
    <>
      {ece.toFixed(3)} and {brier.toFixed(3)} <span class="fraction">of {plural(forecasts, 'review')}</span>
    </>
  )
}
