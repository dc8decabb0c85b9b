import type { JSX } from 'preact'
import type { JudgeEvidence, Rate, ReportGroup } from '../audit-types.ts'
import { RateView } from '../numbers/number-view.tsx'
import { None } from '../ui/none.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, labelWords } from '../words.ts'
import { GroupKey } from './groups.tsx'

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
export const CountsTable = ({ groups }: { readonly groups: readonly ReportGroup[] }): JSX.Element => (
  <Table
    caption="Trials of each group, by how their grading ended; of the graded, those contradicted and with unread records"
    columns={COLUMNS}
    items={groups}
    keyOf={({ key }) => String(key)}
    empty="No trials."
  />
)

/** What became of the evidence of each judge. */
export const EvidenceSection = ({ evidence }: { readonly evidence: readonly JudgeEvidence[] }): JSX.Element => (
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
