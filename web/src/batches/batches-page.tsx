import type { JSX } from 'preact'
import { queryOf } from '../api.ts'
import type { Batch } from '../api-types.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Empty, FIRST_COMMAND } from '../ui/empty.tsx'
import { type Filter, Filters, readFilters } from '../ui/filters.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { Pager } from '../ui/pager.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useLoad } from '../use-load.ts'
import { BATCH_STATUS_WORDS, formatCount, formatTime, formatUsd } from '../words.ts'
import { ProgressBar } from './progress-bar.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'status', title: 'Status', options: BATCH_STATUS_WORDS },
  { name: 'key', title: 'Key' },
]

const COLUMNS: readonly Column<Batch>[] = [
  { title: 'Batch', cell: ({ id, name }) => (name === null ? <code>{id}</code> : <HostileText text={name} />) },
  { title: 'Status', cell: ({ status }) => BATCH_STATUS_WORDS[status] },
  { title: 'Kind', cell: ({ kind, mode }) => (mode === 'provider' ? `${kind}, provider’s batches` : kind) },
  { title: 'Progress', cell: ({ counts }) => <ProgressBar counts={counts} /> },
  { title: 'Items', number: true, cell: ({ counts }) => formatCount(counts.total) },
  { title: 'Unverified', number: true, cell: ({ counts }) => formatCount(counts.unverified) },
  { title: 'Failed', number: true, cell: ({ counts }) => formatCount(counts.failed) },
  { title: 'Cost', number: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
  { title: 'Made', cell: ({ created_at }) => <time dateTime={created_at}>{formatTime(created_at)}</time> },
]

/** All batches, newest first. */
export function BatchesPage(): JSX.Element {
  const { query } = usePlace()
  const cursor = query.get('cursor')
  const load = useLoad('listBatches', {
    query: queryOf<'listBatches'>({ ...readFilters(FILTERS, query), cursor }),
  })
  return (
    <>
      <h1>Batches</h1>
      <Filters filters={FILTERS} query={query} />
      <LoadView load={load} what="the batches">
        {({ items, next_cursor }) => (
          <>
            <Table
              caption="Batches, newest first"
              columns={COLUMNS}
              items={items}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/audit/batches/${encodeURIComponent(id)}`}
              empty={
                Object.keys(readFilters(FILTERS, query)).length > 0 ? (
                  <Empty>No batch fits these filters: clear some of them.</Empty>
                ) : (
                  <Empty command={FIRST_COMMAND}>There is no batch yet. This makes one of the bundled examples.</Empty>
                )
              }
            />
            <Pager cursor={cursor} next={next_cursor} />
          </>
        )}
      </LoadView>
    </>
  )
}
