import { useContext, useState } from 'preact/hooks'
import { ask, queryOf, useAction, useLoad } from '../api.ts'
import { usePlace } from '../location.ts'
import type { PageProps } from '../routes.tsx'
import { onlyRubric, Rubrics } from '../rubrics.ts'
import { HostileCode, HostileText } from '../text/hostile-text.tsx'
import type { Batch } from '../types.ts'
import { type Filter, Filters, labelsToChoose, readFilters, textFilters } from '../ui/filters.tsx'
import { Pager } from '../ui/pager.tsx'
import { Facts, LoadView, messageSentence, Nothing, OutcomeCounts, sentence, Trouble } from '../ui/parts.tsx'
import { type Column, countColumn, Table } from '../ui/table.tsx'
import {
  BATCH_STATUSES,
  countWords,
  ENDS,
  formatCount,
  formatTime,
  formatUsd,
  optionsOf,
  plural,
  spaced,
} from '../words.ts'
import { FindingsView } from './findings.tsx'
import { Results } from './results.tsx'
import { useBatch } from './use-batch.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'status', title: 'Status', options: optionsOf(BATCH_STATUSES) },
  ...textFilters('key'),
]

const COLUMNS: readonly Column<Batch>[] = [
  { title: 'Batch', cell: ({ id, name }) => (name === null ? <code>{id}</code> : <HostileText text={name} />) },
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Kind', cell: ({ kind, mode }) => (mode === 'provider' ? `${kind}, provider’s batches` : kind) },
  { title: 'Progress', cell: ({ counts }) => <ProgressBar counts={counts} /> },
  countColumn('Items', ({ counts }) => counts.total),
  countColumn('Unverified', ({ counts }) => counts.unverified),
  countColumn('Failed', ({ counts }) => counts.failed),
  { title: 'Cost', number: true, cell: ({ cost_usd }) => formatUsd(cost_usd) },
  { title: 'Made', cell: ({ created_at }) => <time dateTime={created_at}>{formatTime(created_at)}</time> },
]

/** All batches, newest first. */
export function BatchesPage() {
  const { query } = usePlace()
  const cursor = query.get('cursor')
  const filters = readFilters(FILTERS, query)
  const load = useLoad('listBatches', { query: queryOf<'listBatches'>({ ...filters, cursor }) })
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
                <Nothing
                  filtered={Object.keys(filters).length > 0}
                  fits="No batch fits these filters: clear some of them."
                  yet="There is no batch yet. This makes one of the bundled examples."
                />
              }
            />
            <Pager cursor={cursor} next={next_cursor} />
          </>
        )}
      </LoadView>
    </>
  )
}

/** The ended share of a batch, by end. The words repeat the bar. */
function ProgressBar({ counts }: { readonly counts: Batch['counts'] }) {
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
      {counts.running > 0 && <span>{formatCount(counts.running)} running</span>}
    </div>
  )
}

/** A batch, live: its progress, outcomes, cost and results. */
export function BatchPage({ id }: PageProps) {
  const load = useBatch(id)
  return (
    <>
      <h1>Batch {load.value?.name ? <HostileText text={load.value.name} /> : <HostileCode text={id} />}</h1>
      {load.value === null ? (
        <LoadView load={load} what="the batch" list={{ href: '/audit/batches', name: 'All batches' }}>
          {() => null}
        </LoadView>
      ) : (
        <BatchView batch={load.value} lost={load.state === 'failed'} />
      )}
    </>
  )
}

const nextTryText = ({ resumes_at }: Batch): string =>
  resumes_at === null ? 'It waits for somebody to resume it.' : `It tries again by itself at ${formatTime(resumes_at)}.`

/** Makes a sentence of a reason. The name of a judge before a colon stays as it is written. */
const reasonSentence = (reason: string): string => (/^\S+:/.test(reason) ? sentence(reason) : messageSentence(reason))

function BatchView({ batch, lost }: { readonly batch: Batch; readonly lost: boolean }) {
  const asked = useLoad('listBatchRubrics', { path: { id: batch.id } })
  const names = (asked.value?.items ?? []).map(({ name }) => name)
  const labels = labelsToChoose(useContext(Rubrics), names, batch.labels)
  const failures = countWords(batch.failures)
  return (
    <>
      <section class="batch-state" aria-label="State and labels">
        <h2 id="state">
          <span role="status">{batch.status}</span>
        </h2>
        <ProgressBar counts={batch.counts} />
        {lost && <p class="aside">The connection is lost; this page tries to come back.</p>}
        {batch.parked_reason !== null && (
          <p class="trouble">
            {batch.status === 'parked' && <strong>Parked.</strong>}{' '}
            <HostileText text={reasonSentence(batch.parked_reason)} /> {batch.status === 'parked' && nextTryText(batch)}
          </p>
        )}
        <BatchActions batch={batch} />
        <OutcomeCounts labels={batch.labels} ends={batch.counts} rubric={onlyRubric(names)} />
        {failures !== '' && <p class="objection">Why they failed: {failures}</p>}
        <About batch={batch} />
        <FindingsView key={batch.status} batch={batch} />
      </section>
      <Results batch={batch} labels={labels} />
    </>
  )
}

const About = ({ batch }: { readonly batch: Batch }) => (
  <details>
    <summary>
      {batch.kind === 'grade' ? 'Graded' : spaced(batch.kind)}{' '}
      {batch.cost_usd === null ? 'at an unknown cost' : `for ${formatUsd(batch.cost_usd)}`}, with{' '}
      {plural(batch.calls.made, 'call')}
    </summary>
    <Facts
      facts={[
        ['Perhaps also paid', batch.uncertain_usd > 0 && formatUsd(batch.uncertain_usd)],
        ['Cap', batch.max_cost_usd !== null && formatUsd(batch.max_cost_usd)],
        ['Calls of unknown end', batch.calls.unknown > 0 && formatCount(batch.calls.unknown)],
        ['Answered from the cache', formatCount(batch.cached)],
        ['Kind', `${batch.kind}, ${batch.mode}`],
        ['Id', <code key="id">{batch.id}</code>],
        ['Key', batch.key !== null && <HostileText key="key" text={batch.key} />],
        ['Made', formatTime(batch.created_at)],
        ['Ended', batch.finished_at !== null && formatTime(batch.finished_at)],
      ]}
    />
  </details>
)

/** Cancels a batch after a second question, since a cancelled item is never graded, or lets a parked batch go on. */
function BatchActions({ batch: { id, status } }: { readonly batch: Batch }) {
  const [sure, setSure] = useState(false)
  const cancel = useAction(
    () => ask('cancelBatch', { path: { id } }).finally(() => setSure(false)),
    'Cancelled: items in work end, and no further item begins.',
  )
  const resume = useAction(() => ask('resumeBatch', { path: { id } }), 'Resumed: the batch goes on.')
  const busy = cancel.busy || resume.busy
  const trouble = cancel.trouble ?? resume.trouble
  if (status === 'done' || status === 'cancelled') return null
  return (
    <>
      <p class="actions">
        {status === 'parked' && (
          <button type="button" disabled={busy} onClick={resume.start}>
            Resume
          </button>
        )}
        {status !== 'cancelling' && !sure && (
          <button type="button" disabled={busy} onClick={() => setSure(true)}>
            Cancel…
          </button>
        )}
        {sure && (
          <>
            <button type="button" class="danger" disabled={busy} onClick={cancel.start}>
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
