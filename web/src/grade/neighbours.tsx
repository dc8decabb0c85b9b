import { useMemo } from 'preact/hooks'
import { withQuery } from '../api.ts'
import { fittingResults, gradesOf } from '../batches/results.tsx'
import { type ItemNames, useEndedItems } from '../batches/use-batch.tsx'
import { GRADE_FILTERS, trialColumns } from '../grades/columns.tsx'
import { hrefInView, recallView, useGradeWindow, type ViewName, viewQuery } from '../grades/view.ts'
import { navigate, usePlace } from '../location.ts'
import { readFilters } from '../ui/filters.tsx'
import { useShortcuts } from '../ui/keyboard.ts'
import { sortItems } from '../ui/table.tsx'
import { formatCount } from '../words.ts'

/** Where this grade stands in the list that it was opened from, and the way to those beside it. */
export function Neighbours({ id, items }: NeighboursProps) {
  const { query } = usePlace()
  const view = query.get('view')
  if (view === 'grades') return <InGrades id={id} query={query} items={items} />
  return view === 'batch' && query.has('batch') ? <InBatch id={id} query={query} /> : null
}

interface NeighboursProps {
  readonly id: string
  readonly items: ItemNames | null
}

interface InListProps {
  readonly id: string
  readonly query: URLSearchParams
}

function InGrades({ id, query, items }: InListProps & NeighboursProps) {
  const known = recallView('grades', query)
  const filters = { ...readFilters(GRADE_FILTERS, query), cursor: query.get('cursor') }
  const { grades, complete, error } = useGradeWindow(known === null ? filters : null)
  const loaded = useMemo(() => {
    if (error !== null) return []
    return complete ? sortItems(grades, trialColumns(items, true), query).map((grade) => grade.id) : null
  }, [grades, complete, error, query, items])
  return <Beside id={id} view="grades" query={query} ids={known ?? loaded} list={withList('/audit/grades', query)} />
}

function InBatch({ id, query }: InListProps) {
  const known = recallView('batch', query)
  const batch = query.get('batch') ?? ''
  const ended = useEndedItems(known === null ? batch : null)
  const loaded = useMemo(
    () => ended && gradesOf(fittingResults(ended, query)).map((grade) => grade.id),
    [ended, query.toString()],
  )
  const own = new URLSearchParams(query)
  own.delete('batch')
  const list = withList(`/audit/batches/${encodeURIComponent(batch)}`, own)
  return <Beside id={id} view="batch" query={query} ids={known ?? loaded} list={list} />
}

const withList = (path: string, query: URLSearchParams) => withQuery(path, Object.fromEntries(viewQuery(query)))

interface BesideProps extends InListProps {
  readonly view: ViewName
  /** Null: not loaded yet. */
  readonly ids: readonly string[] | null
  readonly list: string
}

function Beside({ id, view, query, ids, list }: BesideProps) {
  const at = ids?.indexOf(id) ?? -1
  const go = (by: number) => {
    const next = at === -1 ? undefined : ids?.[at + by]
    if (next !== undefined) navigate(hrefInView(view, query, next))
  }
  useShortcuts([
    { key: 'J', what: 'next grade of the list', run: () => go(1) },
    { key: 'K', what: 'grade before', run: () => go(-1) },
  ])
  return (
    <nav class="pager neighbours" aria-label="Grades of the list">
      <a href={list}>{view === 'batch' ? 'The batch' : 'The list'}</a>
      <button type="button" disabled={at <= 0} onClick={() => go(-1)}>
        Previous grade
      </button>
      <span role="status">{placeWords(ids, at)}</span>
      <button type="button" disabled={ids === null || at === -1 || at === ids.length - 1} onClick={() => go(1)}>
        Next grade
      </button>
    </nav>
  )
}

function placeWords(ids: readonly string[] | null, at: number): string {
  if (ids === null) return 'Loading the list…'
  return at === -1 ? 'not found in the list' : `${formatCount(at + 1)} of ${formatCount(ids.length)}`
}
