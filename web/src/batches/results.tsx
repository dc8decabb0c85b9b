import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { All } from '../api.ts'
import { trustColumns } from '../grades/columns.tsx'
import { hrefInView, rememberView } from '../grades/view.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Batch, BatchResult, ResultGrade, Unread } from '../types.ts'
import { type Filter, Filters, withLabels } from '../ui/filters.tsx'
import { NumberPager, readPage, rowsOfPage } from '../ui/pager.tsx'
import { LabelBadge, None, Section, StatusBadge, Trouble } from '../ui/parts.tsx'
import { type Column, nameColumn, sortItems, Table } from '../ui/table.tsx'
import {
  claimWords,
  contradictionWords,
  countWords,
  ENDS,
  formatCount,
  OUTCOMES,
  optionsOf,
  plural,
  spaced,
  unreadWords,
} from '../words.ts'
import { itemName, useResults } from './use-batch.tsx'

/** The ended items, filtered and paged by the page, which has them all. */
export function Results({ batch, labels }: { readonly batch: Batch; readonly labels: readonly string[] }) {
  const { query } = usePlace()
  const { load, reload } = useResults(batch)
  const { items, cut } = load.value ?? NOTHING
  const text = query.toString()
  const fitting = useMemo(() => fittingResults(items, query), [items, text])
  const unread = useMemo(() => unreadText(items), [items])
  const levels = useMemo(() => levelsText(items), [items])
  const page = readPage(query)
  const view = new URLSearchParams(query)
  view.set('batch', batch.id)
  rememberView('batch', view, gradesOf(fitting))
  return (
    <Section id="results" title="Results">
      <Filters filters={withLabels(RESULT_FILTERS, labels)} query={query} />
      <p class="counts">
        <span>
          {formatCount(fitting.length)} of {formatCount(items.length)} ended items
          {cut && ', more are only in the NDJSON'}
        </span>
        {levels !== '' && <span>Confidence: {levels}</span>}
        {unread !== '' && <span class="objection">{unread}</span>}
        <button type="button" class="quiet" onClick={reload}>
          Read again
        </button>
        <a href={`/v1/batches/${encodeURIComponent(batch.id)}/results`} data-native>
          NDJSON
        </a>
      </p>
      {load.state === 'failed' && <Trouble what="the results" message={load.error.message} />}
      <Table
        caption="Results of the batch"
        columns={RESULT_COLUMNS}
        items={rowsOfPage(fitting, page)}
        keyOf={({ index }) => String(index)}
        sorted
        hrefOf={({ grade_id }) => (grade_id === null ? null : hrefInView('batch', view, grade_id))}
        empty={items.length === 0 ? 'Nothing has ended yet.' : 'No result fits.'}
      />
      <NumberPager page={page} count={fitting.length} />
    </Section>
  )
}

const NOTHING: All<BatchResult> = { items: [], cut: false }

const RESULT_FILTERS: readonly Filter[] = [
  { name: 'label', title: 'Label', options: {} },
  { name: 'status', title: 'Status', options: optionsOf(ENDS) },
  { name: 'unread', title: 'Unread records', options: { some: 'some' } },
  { name: 'item', title: 'Trial holds' },
]

const TRUST = trustColumns(({ label, grade }: BatchResult) => grade && { ...grade, label })

const RESULT_COLUMNS: readonly Column<BatchResult>[] = [
  nameColumn('Trial', itemName),
  nameColumn('Task', ({ metadata }) => metadata.task),
  nameColumn('Agent', ({ metadata }) => metadata.agent),
  nameColumn('Model', ({ metadata }) => metadata.model),
  TRUST.judge,
  {
    title: 'Label',
    cell: ({ status, label, rubric }) =>
      label === null ? <StatusBadge status={status} /> : <LabelBadge label={label} rubric={rubric} />,
    value: ({ status, label }) => OUTCOMES.indexOf(label ?? status),
  },
  TRUST.confidence,
  TRUST.evidence,
  {
    title: 'Why',
    cell: (result) => <Why reasons={reasonsOf(result)} />,
    value: (result) => reasonsOf(result).length || null,
  },
  { title: 'Cached', cell: ({ cached }) => (cached ? 'yes' : <None />), value: ({ cached }) => (cached ? 1 : null) },
]

const unreadOf = (grade: ResultGrade | null): number => grade?.unread?.records ?? 0

/** Counts the unread records of all items; empty without any. */
function unreadText(items: readonly BatchResult[]): string {
  const touched = items.flatMap(({ grade }) => (grade?.unread && unreadOf(grade) > 0 ? [grade.unread] : []))
  if (touched.length === 0) return ''
  const sum = (of: (unread: Unread) => number) => touched.reduce((total, unread) => total + of(unread), 0)
  const words = unreadWords({ records: sum(({ records }) => records), actions: sum(({ actions }) => actions) })
  return `${words}, in ${plural(touched.length, 'item')}`
}

/** Counts the labels by confidence, the highest first; empty without any. */
function levelsText(items: readonly BatchResult[]): string {
  const counts = { high: 0, medium: 0, low: 0 }
  for (const { label, grade } of items)
    if (label !== null && grade?.confidence.reported) counts[grade.confidence.reported]++
  return countWords(counts)
}

/** Picks and sorts the results as the address asks for. */
export function fittingResults(items: readonly BatchResult[], query: URLSearchParams): readonly BatchResult[] {
  const wanted = (name: string) => query.get(name) ?? ''
  const fitting = items.filter(
    (item) =>
      (wanted('label') === '' || item.label === wanted('label')) &&
      (wanted('status') === '' || item.status === wanted('status')) &&
      (wanted('unread') === '' || unreadOf(item.grade) > 0) &&
      (item.item_id.includes(wanted('item')) || itemName(item).includes(wanted('item'))),
  )
  return sortItems(fitting, RESULT_COLUMNS, query)
}

/** Lists the grades of results in their order; a grade of several items once. */
export const gradesOf = (results: readonly BatchResult[]): { readonly id: string }[] =>
  [...new Set(results.flatMap(({ grade_id }) => grade_id ?? []))].map((id) => ({ id }))

/** Lists the failure, the missing evidence, and all other doubts about the label of a result. */
export function reasonsOf({ failure, grade, label }: BatchResult): readonly ComponentChildren[] {
  const limit = label === null ? null : grade?.confidence.limit
  const { unmet = [], contradictions = [], unread = null, warnings = 0 } = grade ?? {}
  return [
    failure !== null && (
      <>
        {spaced(failure.code)}: <HostileText text={failure.message} />
      </>
    ),
    ...unmet.map(({ claim, reason }) => (
      <>
        {claimWords(claim)}: <HostileText text={reason} />
      </>
    )),
    ...new Set(contradictions.map(contradictionWords)),
    limit && limit.code !== 'contradiction' && <HostileText text={limit.reason} />,
    unread !== null && unread.records > 0 && unreadWords(unread),
    warnings > 0 && plural(warnings, 'warning'),
  ].filter((reason) => reason)
}

/** Reasons, a line each. */
export const Why = ({ reasons }: { readonly reasons: readonly ComponentChildren[] }) =>
  reasons.length === 0 ? (
    <None />
  ) : (
    <ul class="why">
      {reasons.map((reason, index) => (
        <li key={index}>{reason}</li>
      ))}
    </ul>
  )
