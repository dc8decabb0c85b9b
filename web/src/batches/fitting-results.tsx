import type { BatchResult, ResultGrade, Unread } from '../api-types.ts'
import { trustColumns } from '../grades/trust-columns.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import type { Filter } from '../ui/filters.tsx'
import { NameOrNone } from '../ui/none.tsx'
import { type Column, sortItems } from '../ui/table.tsx'
import { OUTCOMES, plural, STATUS_WORDS, unreadWords } from '../words.ts'
import { Why } from './why.tsx'

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
