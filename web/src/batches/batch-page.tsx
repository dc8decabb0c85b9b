import type { JSX } from 'preact'
import { useContext } from 'preact/hooks'
import type { Batch } from '../api-types.ts'
import type { PageProps } from '../routes.tsx'
import { onlyRubric, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { LabelBadge } from '../ui/badges.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { useLoad } from '../use-load.ts'
import { labelsToChoose } from '../use-names.ts'
import { BATCH_STATUS_WORDS, ENDS, formatCount, formatTime, formatUsd } from '../words.ts'
import { BatchActions } from './batch-actions.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { Results } from './results.tsx'
import { type Connection, useBatch } from './use-batch.ts'

/** One batch, live: how far it is, what came out, what it cost, and every result. */
export function BatchPage({ id }: PageProps): JSX.Element {
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

const nextTryText = ({ resumes_at }: Batch): string =>
  resumes_at === null ? 'It waits for somebody to resume it.' : `It tries again by itself at ${formatTime(resumes_at)}.`

function BatchView({ batch, connection }: { readonly batch: Batch; readonly connection: Connection }): JSX.Element {
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
            {batch.status === 'parked' && <strong>Parked.</strong>} <HostileText text={batch.parked_reason} />{' '}
            {batch.status === 'parked' && nextTryText(batch)}
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

function Outcomes({ batch, labels, rubric }: OutcomesProps): JSX.Element {
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
