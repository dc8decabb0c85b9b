import { ask, type Load, queryOf, useRead, withQuery } from '../api.ts'
import type { Grade } from '../types.ts'
import { recall, remember } from '../ui/memory.ts'

/** The list from which a grade was opened; the address of the grade has the filters and the order of the list. */
export type ViewName = 'grades' | 'batch'

/** Reads the query of the list from the address of a grade. */
export function viewQuery(query: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(query)
  for (const name of ['page', 'view']) own.delete(name)
  return own
}

/** Makes the address of a grade in a list, from which its neighbours can be found again. */
export const hrefInView = (view: ViewName, query: URLSearchParams, id: string): string =>
  withQuery(`/audit/grades/${encodeURIComponent(id)}`, { view, ...Object.fromEntries(viewQuery(query)) })

interface View {
  readonly key: string
  readonly ids: readonly string[]
}

/** The list that was shown last, in its order. The browser stores a copy, for new windows and loaded pages. */
let last: View | null = null
const KEY = 'veridict.list'

const keyOf = (view: ViewName, query: URLSearchParams): string => {
  const own = viewQuery(query)
  own.sort()
  return `${view} ${own}`
}

export function rememberView(view: ViewName, query: URLSearchParams, rows: readonly { readonly id: string }[]): void {
  const next = { key: keyOf(view, query), ids: rows.map(({ id }) => id) }
  if (last?.key === next.key && last.ids.join() === next.ids.join()) return
  last = next
  if (rows.length <= MOST_ROWS) remember(KEY, JSON.stringify(next))
}

/** Recalls the ids of a list; none of a list that was not shown here. */
export function recallView(view: ViewName, query: URLSearchParams): readonly string[] {
  last ??= JSON.parse(recall(KEY) ?? 'null') as View | null
  return last?.key === keyOf(view, query) ? last.ids : []
}

/** Most grades of a page: the next window has the older ones. */
const MOST_ROWS = 2000
const ROWS_AT_ONCE = 200

/** The newest grades that fit, from a cursor on. */
export interface GradeWindow {
  readonly grades: readonly Grade[]
  readonly complete: boolean
  /** The cursor of the next window; null: this window is the last. */
  readonly next: string | null
}

/** Loads a window of grades, which grows page by page. Null asks for nothing. */
export const useGradeWindow = (filters: Readonly<Record<string, string | null>> | null): Load<GradeWindow> =>
  useRead(filters && JSON.stringify(filters), async (signal, show) => {
    let window: GradeWindow = { grades: [], complete: false, next: filters?.['cursor'] ?? null }
    while (!window.complete) {
      const query = queryOf<'listGrades'>({ ...filters, cursor: window.next, limit: ROWS_AT_ONCE })
      const { items, next_cursor } = await ask('listGrades', { query }, signal)
      const grades: readonly Grade[] = [...window.grades, ...items]
      window = { grades, complete: next_cursor === null || grades.length >= MOST_ROWS, next: next_cursor }
      show(window)
    }
    return window
  })
