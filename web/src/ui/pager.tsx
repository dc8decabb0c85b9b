import { setQuery } from '../location.ts'
import { formatCount } from '../words.ts'

/** Pages of a list that only knows its next one: `?cursor=` names the page, the browser's way back leads to the one before. */
export function Pager(props: { readonly cursor: string | null; readonly next: string | null }) {
  const { cursor, next } = props
  if (cursor === null && next === null) return null
  return (
    <nav class="pager" aria-label="More of this list">
      <button type="button" disabled={cursor === null} onClick={() => setQuery({ cursor: null })}>
        First page
      </button>
      <button type="button" disabled={cursor === null} onClick={() => history.back()}>
        Page before
      </button>
      <button type="button" disabled={next === null} onClick={() => setQuery({ cursor: next })}>
        Next page
      </button>
    </nav>
  )
}

const ROWS_A_PAGE = 100

/** `?page=2` → 2; whatever else stands there is the first. */
export const readPage = (query: URLSearchParams): number =>
  Math.max(1, Number.parseInt(query.get('page') ?? '', 10) || 1)

export const rowsOfPage = <T,>(rows: readonly T[], page: number): readonly T[] =>
  rows.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE)

/** Pages of a list that is here as a whole; nothing where one page holds it. */
export function NumberPager({ page, count }: { readonly page: number; readonly count: number }) {
  const last = Math.ceil(count / ROWS_A_PAGE)
  if (last <= 1) return null
  const go = (to: number) => setQuery({ page: to === 1 ? null : String(to) })
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={page <= 1} onClick={() => go(page - 1)}>
        Page before
      </button>
      <span>
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      <button type="button" disabled={page >= last} onClick={() => go(page + 1)}>
        Next page
      </button>
    </nav>
  )
}
