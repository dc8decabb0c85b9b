import type { JSX } from 'preact'
import { withQuery } from '../api.ts'
import type { Grade, Page } from '../api-types.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Outcome } from '../ui/badges.tsx'
import { type Filter, Filters, readFilters } from '../ui/filters.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { Pager } from '../ui/pager.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useLoad } from '../use-load.ts'
import { formatTime, LABEL_WORDS, STATUS_WORDS } from '../words.ts'
import { LoadedCounts } from './loaded-counts.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'label', title: 'Label', options: LABEL_WORDS },
  { name: 'status', title: 'Status', options: STATUS_WORDS },
  { name: 'judge', title: 'Judge' },
  { name: 'rubric', title: 'Rubric' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'task', title: 'Task' },
  { name: 'batch', title: 'Batch' },
]

const text = (value: unknown) =>
  typeof value === 'string' ? <HostileText text={value} /> : <span class="none">–</span>

const COLUMNS: readonly Column<Grade>[] = [
  {
    title: 'Grade',
    cell: ({ id }) => (
      <code>
        {id.slice(0, 12)}…{id.slice(-4)}
      </code>
    ),
  },
  { title: 'Outcome', cell: (grade) => <Outcome grade={grade} /> },
  { title: 'Confidence', cell: ({ confidence }) => confidence.reported ?? <span class="none">–</span> },
  { title: 'Contradictions', number: true, cell: ({ contradictions }) => contradictions.length },
  { title: 'Judge', cell: ({ receipt }) => text(receipt.judge) },
  { title: 'Rubric', cell: ({ receipt }) => text(receipt.rubric) },
  { title: 'Agent', cell: ({ metadata }) => text(metadata.agent) },
  { title: 'Model', cell: ({ metadata }) => text(metadata.model) },
  { title: 'Task', cell: ({ metadata }) => text(metadata.task) },
  { title: 'Made', cell: ({ created_at }) => <time dateTime={created_at}>{formatTime(created_at)}</time> },
]

/** All grades, newest first, with filters. */
export function GradesPage(): JSX.Element {
  const { query } = usePlace()
  const cursor = query.get('cursor')
  const load = useLoad<Page<Grade>>(withQuery('/v1/grades', { ...readFilters(FILTERS, query), cursor, limit: 100 }))
  return (
    <>
      <h1>Grades</h1>
      <Filters filters={FILTERS} query={query} />
      <LoadView load={load} what="the grades">
        {({ items, next_cursor }) => (
          <>
            <LoadedCounts grades={items} more={next_cursor !== null} />
            <Table
              caption="Grades, newest first"
              columns={COLUMNS}
              items={items}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/audit/grades/${id}`}
              empty="No grade fits."
            />
            <Pager cursor={cursor} next={next_cursor} />
          </>
        )}
      </LoadView>
    </>
  )
}
