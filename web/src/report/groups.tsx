import { RateView } from '../numbers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { visibleString } from '../text/visible-text.ts'
import type { AlignmentFigures, JudgeEvidence, Rate, Report, ReportGroup } from '../types.ts'
import { None } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, labelWords } from '../words.ts'

const LONGEST = 36

/** Keys are names that somebody else wrote: what cannot be seen in them is marked, and they do not push a plot away. */
export function groupName(key: string | null): string {
  const name = key === null ? '(not given)' : visibleString(key)
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`
}

/** Axis labels with how many trials, or graded ones, are of each group; two groups never share one. */
export function groupLabels(groups: readonly ReportGroup[], of: 'trials' | 'graded'): string[] {
  const used = new Map<string, number>()
  return groups.map(({ key, counts }) => {
    const label = `${groupName(key)} (n=${formatCount(of === 'trials' ? counts.n : counts.graded)} ${of})`
    const before = used.get(label) ?? 0
    used.set(label, before + 1)
    return before === 0 ? label : `${label} ${before + 1}`
  })
}

/** A group of `tab-behavior`, which has the figures of TAB. */
export type AlignmentGroup = ReportGroup & AlignmentFigures

const isAlignment = (group: ReportGroup): group is AlignmentGroup => group.cue_utilization !== undefined

export const hasAlignment = ({ overall, groups }: Pick<Report, 'overall' | 'groups'>): boolean =>
  [overall, ...groups].some((group) => group !== null && isAlignment(group))

export const alignmentGroups = (groups: readonly ReportGroup[]): AlignmentGroup[] => groups.filter(isAlignment)

/** The name of a group, which somebody else wrote; or that the trials do not say. */
export const GroupKey = ({ name }: { readonly name: string | null }) =>
  name === null ? <None>(not given)</None> : <HostileText text={name} />

/** How many of the graded something speaks against, and of how many something could not be read. */
export const doubtWords = ({ contradicted, unread }: ReportGroup['counts']): string =>
  `${formatCount(contradicted)} with contradictions, ${formatCount(unread)} with unread records`

/** Beside rates: the group, and how much of what it counts is in doubt. */
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

const count = (title: string, of: (group: ReportGroup) => number): Column<ReportGroup> => ({
  title,
  number: true,
  cell: (group) => formatCount(of(group)),
})

/** `timeout 2, schema invalid 1`; empty where none failed. */
export const failureWords = ({ failures }: ReportGroup['counts']): string =>
  Object.entries<number | undefined>(failures)
    .map(([code, trials = 0]) => `${code.replaceAll('_', ' ')} ${formatCount(trials)}`)
    .join(', ')

const COLUMNS: readonly Column<ReportGroup>[] = [
  { title: 'Group', cell: ({ key }) => <GroupKey name={key} /> },
  count('Trials', ({ counts }) => counts.n),
  count('Graded', ({ counts }) => counts.graded),
  count('Contradicted', ({ counts }) => counts.contradicted),
  count('Unread', ({ counts }) => counts.unread),
  count('Unverified', ({ counts }) => counts.unverified),
  count('Failed', ({ counts }) => counts.failed),
  {
    title: 'Why they failed',
    cell: ({ counts }) => failureWords(counts) || <None />,
  },
  count('Cancelled', ({ counts }) => counts.cancelled),
  count('Tasks', ({ counts }) => counts.tasks),
  count('Without a task', ({ counts }) => counts.without_task),
]

/** What every other number is of. */
export const CountsTable = ({ groups }: { readonly groups: readonly ReportGroup[] }) => (
  <Table
    caption="Trials of each group, by how their grading ended; of the graded, those contradicted and with unread records"
    columns={COLUMNS}
    items={groups}
    keyOf={({ key }) => String(key)}
    empty="No trials."
  />
)

/** What became of the evidence of each judge. */
export const EvidenceSection = ({ evidence }: { readonly evidence: readonly JudgeEvidence[] }) => (
  <>
    {evidence.map(({ judge, grades, citations }) => (
      <Table
        key={judge}
        caption={`Evidence of ${judge}`}
        columns={[
          { title: 'Of', cell: ([of]) => of },
          { title: 'Status', cell: ([, status]) => labelWords(status) },
          { title: 'Share, 95% interval', cell: ([, , rate]) => <RateView rate={rate} /> },
        ]}
        items={[...rowsOf('grades', grades), ...rowsOf('citations', citations)]}
        keyOf={([of, status]) => `${of} ${status}`}
        empty="No grades."
      />
    ))}
  </>
)

const rowsOf = (of: string, rates: Readonly<Record<string, Rate>>) =>
  Object.entries(rates).map(([status, rate]) => [of, status, rate] as const)
