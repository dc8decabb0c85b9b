import type { JSX } from 'preact'
import type { ReportGroup } from '../audit-types.ts'
import { None } from '../ui/none.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount } from '../words.ts'
import { GroupKey } from './group-key.tsx'

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
