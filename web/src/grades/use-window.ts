import { useEffect, useState } from 'preact/hooks'
import { type ApiError, ask, queryOf } from '../api.ts'
import type { Grade } from '../api-types.ts'
import { toApiError } from '../use-load.ts'

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
