import { useContext, useState } from 'preact/hooks'
import { ask, queryOf, toApiError, useLoad } from '../api.ts'
import { usePlace } from '../location.ts'
import type { PageProps } from '../routes.tsx'
import { onlyRubric, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Batch } from '../types.ts'
import { type Filter, Filters, labelsToChoose, readFilters } from '../ui/filters.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Facts, FIRST_COMMAND, LabelBadge, LoadView, Trouble } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { BATCH_STATUS_WORDS, ENDS, formatCount, formatTime, formatUsd } from '../words.ts'
import { Results } from './results.tsx'
import { type Connection, useBatch } from './use-batch.tsx'

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
export function BatchesPage() {
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

/** How much of a batch has ended, and in what. The words say all of it. */
export function ProgressBar({ counts }: { readonly counts: Batch['counts'] }) {
  const ended = ENDS.reduce((sum, end) => sum + counts[end], 0)
  const share = (count: number) => (counts.total === 0 ? 0 : (count / counts.total) * 100)
  return (
    <div class="progress">
      <div class="progress-bar" aria-hidden="true">
        {ENDS.map((end) => (
          <span key={end} data-end={end} style={{ width: `${share(counts[end])}%` }} />
        ))}
      </div>
      <span>
        {formatCount(ended)} of {formatCount(counts.total)} ended
      </span>
    </div>
  )
}

/** One batch, live: how far it is, what came out, what it cost, and every result. */
export function BatchPage({ id }: PageProps) {
  const { load, connection } = useBatch(id)
  return (
    <>
      <h1>
        Batch{' '}
        {load.value?.name ? (
          <HostileText text={load.value.name} />
        ) : (
          <code>
            <HostileText text={id} />
          </code>
        )}
      </h1>
      <LoadView load={load} what="the batch" list={{ href: '/audit/batches', name: 'All batches' }}>
        {(batch) => <BatchView batch={batch} connection={connection} />}
      </LoadView>
    </>
  )
}

function BatchView({ batch, connection }: { readonly batch: Batch; readonly connection: Connection }) {
  const asked = useLoad('listBatchRubrics', { path: { id: batch.id } })
  const names = (asked.value?.items ?? []).map(({ name }) => name)
  const labels = labelsToChoose(useContext(Rubrics), names, batch.labels)
  return (
    <>
      <section aria-labelledby="state">
        <h2 id="state">
          <span role="status">{BATCH_STATUS_WORDS[batch.status]}</span>
        </h2>
        <ProgressBar counts={batch.counts} />
        {connection === 'lost' && <p class="aside">The connection is lost; this page tries to come back.</p>}
        {batch.parked_reason !== null && (
          <p class="trouble">
            <strong>Parked.</strong> <HostileText text={batch.parked_reason} />{' '}
            {batch.resumes_at === null
              ? 'It waits for somebody to resume it.'
              : `It tries again by itself at ${formatTime(batch.resumes_at)}.`}
          </p>
        )}
        <BatchActions batch={batch} />
      </section>
      <div class="columns">
        <Counts batch={batch} />
        <Outcomes batch={batch} labels={labels} rubric={onlyRubric(names)} />
        <About batch={batch} />
      </div>
      <Results batch={batch} labels={labels} />
    </>
  )
}

const Counts = ({ batch: { counts } }: { readonly batch: Batch }) => (
  <section aria-labelledby="counts">
    <h2 id="counts">Counts</h2>
    <Facts
      facts={(['total', 'pending', 'running', ...ENDS] as const).map((name) => [name, formatCount(counts[name])])}
    />
  </section>
)

interface OutcomesProps {
  readonly batch: Batch
  /** Of its rubrics, and what else came out. */
  readonly labels: readonly string[]
  /** Null: it asks by several. */
  readonly rubric: string | null
}

function Outcomes({ batch, labels, rubric }: OutcomesProps) {
  const counts: Readonly<Record<string, number | undefined>> = batch.labels
  const failures = Object.entries<number | undefined>(batch.failures)
  return (
    <section aria-labelledby="outcomes">
      <h2 id="outcomes">Labels</h2>
      <dl class="facts">
        {labels.map((label) => (
          <div key={label}>
            <dt>
              <LabelBadge label={label} rubric={rubric} />
            </dt>
            <dd>{formatCount(counts[label] ?? 0)}</dd>
          </div>
        ))}
      </dl>
      {failures.length > 0 && (
        <>
          <h3>Failures</h3>
          <Facts facts={failures.map(([code, count]) => [code.replaceAll('_', ' '), formatCount(count ?? 0)])} />
        </>
      )}
    </section>
  )
}

const About = ({ batch }: { readonly batch: Batch }) => (
  <section aria-labelledby="about">
    <h2 id="about">Cost and calls</h2>
    <Facts
      facts={[
        ['Cost', formatUsd(batch.cost_usd)],
        ['Perhaps also paid', batch.uncertain_usd > 0 && formatUsd(batch.uncertain_usd)],
        ['Cap', batch.max_cost_usd !== null && formatUsd(batch.max_cost_usd)],
        ['Calls', formatCount(batch.calls.made)],
        ['Calls of unknown end', batch.calls.unknown > 0 && formatCount(batch.calls.unknown)],
        ['Answered by a grade of another item or of before', formatCount(batch.cached)],
        ['Kind', `${batch.kind}, ${batch.mode}`],
        ['Id', <code key="id">{batch.id}</code>],
        ['Key', batch.key !== null && <HostileText key="key" text={batch.key} />],
        ['Made', formatTime(batch.created_at)],
        ['Ended', batch.finished_at !== null && formatTime(batch.finished_at)],
      ]}
    />
  </section>
)

/** Stop a batch (asked twice: what is cancelled is never graded), or let a parked one go on. */
export function BatchActions({ batch }: { readonly batch: Batch }) {
  const [sure, setSure] = useState(false)
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const tell = async (verb: 'cancel' | 'resume') => {
    setBusy(true)
    setTrouble(null)
    setSure(false)
    try {
      await ask(verb === 'cancel' ? 'cancelBatch' : 'resumeBatch', { path: { id: batch.id } })
    } catch (error) {
      setTrouble(toApiError(error).message)
    }
    setBusy(false)
  }
  if (batch.status === 'done' || batch.status === 'cancelled') return null
  return (
    <>
      <p class="actions">
        {batch.status === 'parked' && (
          <button type="button" disabled={busy} onClick={() => void tell('resume')}>
            Resume
          </button>
        )}
        {batch.status !== 'cancelling' && !sure && (
          <button type="button" disabled={busy} onClick={() => setSure(true)}>
            Cancel…
          </button>
        )}
        {sure && (
          <>
            <button type="button" class="danger" onClick={() => void tell('cancel')}>
              Cancel what has not begun
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Go on
            </button>
          </>
        )}
      </p>
      {trouble !== null && <Trouble what="what was asked for" message={trouble} />}
    </>
  )
}
