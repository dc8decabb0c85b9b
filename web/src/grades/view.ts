import { useEffect, useState } from 'preact/hooks'
import { type ApiError, ask, queryOf, toApiError, withQuery } from '../api.ts'
import type { Grade } from '../types.ts'

/** Which list a grade was opened from; its filters and its order go along in the grade’s own address. */
export type ViewName = 'grades' | 'batch'

const NOT_OF_VIEW = ['page', 'view']

/** The list’s own query: what is left of an address in a view. */
export function viewQuery(query: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(query)
  for (const name of NOT_OF_VIEW) own.delete(name)
  return own
}

/** A grade as one of a list: what is before and behind it there can be found again from the address alone. */
export const hrefInView = (view: ViewName, query: URLSearchParams, id: string): string =>
  withQuery(`/audit/grades/${encodeURIComponent(id)}`, { view, ...Object.fromEntries(viewQuery(query)) })

/** The list that was shown last, in its order: whoever comes from it need not load it again. */
let last: { readonly key: string; readonly ids: readonly string[] } | null = null

const keyOf = (view: ViewName, query: URLSearchParams): string => {
  const own = viewQuery(query)
  own.sort()
  return `${view} ${own}`
}

export function rememberView(view: ViewName, query: URLSearchParams, rows: readonly { readonly id: string }[]): void {
  last = { key: keyOf(view, query), ids: rows.map(({ id }) => id) }
}

export const recallView = (view: ViewName, query: URLSearchParams): readonly string[] | null =>
  last !== null && last.key === keyOf(view, query) ? last.ids : null

/** More grades than this are not held in a page: the next window has those behind them. */
const MOST_ROWS = 2000
const ROWS_AT_ONCE = 200

/** The newest grades that fit, as many as a page holds, from a cursor on. */
export interface GradeWindow {
  readonly grades: readonly Grade[]
  readonly complete: boolean
  /** The cursor of the next window; null: this window is the last. */
  readonly next: string | null
  readonly error: ApiError | null
}

const EMPTY: GradeWindow = { grades: [], complete: false, next: null, error: null }

/** Grows while it is loaded, so that its first rows are there at once. Null asks for nothing. */
export function useGradeWindow(filters: Readonly<Record<string, string | null>> | null): GradeWindow {
  const key = filters === null ? null : JSON.stringify(filters)
  const [shown, setShown] = useState<{ readonly key: string | null; readonly window: GradeWindow }>({
    key: null,
    window: EMPTY,
  })
  useEffect(() => {
    if (filters === null) return
    const stop = new AbortController()
    readWindow(filters, stop.signal, (window) => setShown({ key, window })).catch((error: unknown) => {
      if (!stop.signal.aborted) setShown({ key, window: { ...EMPTY, error: toApiError(error) } })
    })
    return () => stop.abort()
  }, [key])
  return shown.key === key ? shown.window : EMPTY
}

async function readWindow(
  filters: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
  show: (window: GradeWindow) => void,
): Promise<void> {
  let [grades, cursor]: [readonly Grade[], string | null] = [[], filters['cursor'] ?? null]
  for (;;) {
    const page = await ask(
      'listGrades',
      { query: queryOf<'listGrades'>({ ...filters, cursor, limit: ROWS_AT_ONCE }) },
      signal,
    )
    grades = [...grades, ...page.items]
    cursor = page.next_cursor
    const complete = cursor === null || grades.length >= MOST_ROWS
    show({ grades, complete, next: complete ? cursor : null, error: null })
    if (complete) return
  }
}
