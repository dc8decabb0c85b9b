import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { trustColumns } from '../grades/columns.tsx'
import { hrefInView, rememberView } from '../grades/view.ts'
import { usePlace } from '../location.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Batch, BatchResult, ResultGrade, Unread } from '../types.ts'
import { type Filter, Filters, withLabels } from '../ui/filters.tsx'
import { NumberPager, readPage, rowsOfPage } from '../ui/pager.tsx'
import { LabelBadge, NameOrNone, None, StatusBadge, Trouble } from '../ui/parts.tsx'
import { type Column, sortItems, Table } from '../ui/table.tsx'
import { claimWords, contradictionWords, formatCount, OUTCOMES, plural, STATUS_WORDS, unreadWords } from '../words.ts'
import { MOST_RESULTS, useResults } from './use-batch.tsx'

/** The ended items, filtered and paged here: the page has them all. */
export function Results({ batch, labels }: { readonly batch: Batch; readonly labels: readonly string[] }) {
  const { query } = usePlace()
  const { items, complete, trouble, reload } = useResults(batch)
  const text = query.toString()
  const fitting = useMemo(() => fittingResults(items, query), [items, text])
  const unread = useMemo(() => unreadText(items), [items])
  const page = readPage(query)
  const view = new URLSearchParams(query)
  view.set('batch', batch.id)
  rememberView('batch', view, gradesOf(fitting))
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      <Filters filters={withLabels(RESULT_FILTERS, labels)} query={query} />
      <p class="counts">
        <span>
          {formatCount(fitting.length)} of {formatCount(items.length)} ended items
          {!complete && items.length === MOST_RESULTS && ', more are only in the NDJSON'}
        </span>
        {unread !== '' && <span class="objection">{unread}</span>}
        <button type="button" class="quiet" onClick={reload}>
          Read again
        </button>
        <a href={`/v1/batches/${encodeURIComponent(batch.id)}/results`} data-native>
          NDJSON
        </a>
      </p>
      {trouble !== null && <Trouble what="the results" message={trouble} />}
      <Table
        caption="Results of the batch"
        columns={RESULT_COLUMNS}
        items={rowsOfPage(fitting, page)}
        keyOf={({ index }) => String(index)}
        hrefOf={({ grade_id }) => (grade_id === null ? null : hrefInView('batch', view, grade_id))}
        empty={items.length === 0 ? 'Nothing has ended yet.' : 'No result fits.'}
      />
      <NumberPager page={page} count={fitting.length} />
    </section>
  )
}

export const RESULT_FILTERS: readonly Filter[] = [
  { name: 'label', title: 'Label', options: {} },
  { name: 'status', title: 'Status', options: { ...STATUS_WORDS, cancelled: 'cancelled' } },
  { name: 'unread', title: 'Unread records', options: { some: 'some' } },
  { name: 'item', title: 'Item holds' },
]

const TRUST = trustColumns(({ label, grade }: BatchResult) => grade && { ...grade, label })

const named = (title: string, name: 'task' | 'agent' | 'model'): Column<BatchResult> => ({
  title,
  cell: ({ metadata }) => <NameOrNone name={metadata[name]} />,
  sort: { name, of: ({ metadata }) => metadata[name] ?? null },
})

/** An item of a re-grade is called by the old grade’s id: its trial says more, here as on the command line. */
const itemName = ({ item_id, base_grade_id, metadata }: BatchResult): string =>
  item_id === base_grade_id ? metadata.trial || metadata.task || item_id : item_id

export const RESULT_COLUMNS: readonly Column<BatchResult>[] = [
  {
    title: 'Item',
    cell: (result) => <HostileText text={itemName(result)} />,
    sort: { name: 'item', of: itemName },
  },
  named('Task', 'task'),
  named('Agent', 'agent'),
  named('Model', 'model'),
  TRUST.judge,
  {
    title: 'Label',
    cell: ({ status, label, rubric }) =>
      label === null ? <StatusBadge status={status} /> : <LabelBadge label={label} rubric={rubric} />,
    sort: { name: 'label', of: ({ status, label }) => OUTCOMES.indexOf(label ?? status) },
  },
  TRUST.confidence,
  TRUST.evidence,
  {
    title: 'Why',
    cell: (result) => <Why result={result} />,
  },
  { title: 'Cached', cell: ({ cached }) => (cached ? 'yes' : 'no') },
]

const unreadOf = (grade: ResultGrade | null): number => grade?.unread?.records ?? 0

/** What could not be read of them all; empty where that is nothing. */
export function unreadText(items: readonly BatchResult[]): string {
  const touched = items.flatMap(({ grade }) => (grade?.unread && unreadOf(grade) > 0 ? [grade.unread] : []))
  if (touched.length === 0) return ''
  const sum = (of: (unread: Unread) => number) => touched.reduce((total, one) => total + of(one), 0)
  const words = unreadWords({ records: sum(({ records }) => records), actions: sum(({ actions }) => actions) })
  return `${words}, in ${plural(touched.length, 'item')}`
}

/** The results that the address asks for, in the order it asks for. */
export function fittingResults(items: readonly BatchResult[], query: URLSearchParams): readonly BatchResult[] {
  const wanted = (name: string) => query.get(name) ?? ''
  const fitting = items.filter(
    (one) =>
      (wanted('label') === '' || one.label === wanted('label')) &&
      (wanted('status') === '' || one.status === wanted('status')) &&
      (wanted('unread') === '' || unreadOf(one.grade) > 0) &&
      (one.item_id.includes(wanted('item')) || itemName(one).includes(wanted('item'))),
  )
  return sortItems(fitting, RESULT_COLUMNS, query)
}

/** The grades of results, in their order; a grade of several items once. */
export const gradesOf = (results: readonly BatchResult[]): { readonly id: string }[] =>
  [...new Set(results.flatMap(({ grade_id }) => grade_id ?? []))].map((id) => ({ id }))

/** Why it failed, what evidence it lacks, and all that a reader should know before believing its label. */
export function Why({ result: { failure, grade } }: { readonly result: BatchResult }) {
  const { unmet = [], contradictions = [], unread = null, warnings = 0 } = grade ?? {}
  const reasons: readonly ComponentChildren[] = [
    failure !== null && (
      <>
        {failure.code.replaceAll('_', ' ')}: <HostileText text={failure.message} />
      </>
    ),
    ...unmet.map(({ claim, reason }) => (
      <>
        {claimWords(claim)}: <HostileText text={reason} />
      </>
    )),
    ...new Set(contradictions.map(contradictionWords)),
    unread !== null && unread.records > 0 && unreadWords(unread),
    warnings > 0 && plural(warnings, 'warning'),
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return <None />
  return (
    <ul class="why">
      {reasons.map((reason, index) => (
        <li key={index}>{reason}</li>
      ))}
    </ul>
  )
}
