import type { JSX } from 'preact'
import type { Batch, BatchResult } from '../api-types.ts'
import { setQuery, usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import { type Filter, Filters } from '../ui/filters.tsx'
import { Trouble } from '../ui/load-view.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, LABEL_WORDS, STATUS_WORDS } from '../words.ts'
import { MOST_RESULTS, useResults } from './use-results.ts'

const FILTERS: readonly Filter[] = [
  { name: 'label', title: 'Label', options: LABEL_WORDS },
  { name: 'status', title: 'Status', options: { ...STATUS_WORDS, cancelled: 'cancelled' } },
  { name: 'item', title: 'Item holds' },
]
const PAGE = 100

const COLUMNS: readonly Column<BatchResult>[] = [
  { title: 'Item', cell: ({ item_id }) => <HostileText text={item_id} /> },
  {
    title: 'Outcome',
    cell: ({ status, label }) => (label === null ? <StatusBadge status={status} /> : <LabelBadge label={label} />),
  },
  {
    title: 'Why',
    cell: ({ failure }) =>
      failure === null ? (
        <span class="none">–</span>
      ) : (
        <>
          {failure.code.replaceAll('_', ' ')}: <HostileText text={failure.message} />
        </>
      ),
  },
  { title: 'Agent', cell: ({ metadata }) => <HostileText text={metadata.agent ?? '–'} /> },
  { title: 'Task', cell: ({ metadata }) => <HostileText text={metadata.task ?? '–'} /> },
  { title: 'Cached', cell: ({ cached }) => (cached ? 'yes' : 'no') },
]

/** The ended items, filtered and paged here: the page has them all. */
export function Results({ batch }: { readonly batch: Batch }): JSX.Element {
  const { query } = usePlace()
  const { items, complete, trouble, reload } = useResults(batch)
  const wanted = (name: string) => query.get(name) ?? ''
  const fitting = items.filter(
    ({ label, status, item_id }) =>
      (wanted('label') === '' || label === wanted('label')) &&
      (wanted('status') === '' || status === wanted('status')) &&
      item_id.includes(wanted('item')),
  )
  const page = Math.max(1, Number.parseInt(wanted('page'), 10) || 1)
  const shown = fitting.slice((page - 1) * PAGE, page * PAGE)
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      <Filters filters={FILTERS} query={query} />
      <p class="counts">
        <span>
          {formatCount(fitting.length)} of {formatCount(items.length)} ended items
          {!complete && items.length === MOST_RESULTS && ', more are only in the NDJSON'}
        </span>
        <button type="button" class="quiet" onClick={reload}>
          Read again
        </button>
        <a href={`/v1/batches/${encodeURIComponent(batch.id)}/results`} data-native>
          NDJSON
        </a>
      </p>
      {trouble !== null && <Trouble what="the results" message={trouble} />}
      <Table
        caption="Results of the batch, in the order of its items"
        columns={COLUMNS}
        items={shown}
        keyOf={({ index }) => String(index)}
        hrefOf={({ grade_id }) => (grade_id === null ? null : `/audit/grades/${encodeURIComponent(grade_id)}`)}
        empty={items.length === 0 ? 'Nothing has ended yet.' : 'No result fits.'}
      />
      {fitting.length > PAGE && (
        <nav class="pager" aria-label="Pages of the results">
          <button type="button" disabled={page === 1} onClick={() => setQuery({ page: String(page - 1) })}>
            Page before
          </button>
          <span>
            Page {page} of {Math.ceil(fitting.length / PAGE)}
          </span>
          <button
            type="button"
            disabled={page * PAGE >= fitting.length}
            onClick={() => setQuery({ page: String(page + 1) })}
          >
            Next page
          </button>
        </nav>
      )}
    </section>
  )
}
