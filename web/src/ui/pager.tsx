import type { JSX } from 'preact'
import { setQuery } from '../location.ts'

/** Pages of a list that only knows its next one: `?cursor=` names the page, the browser's way back leads to the one before. */
export function Pager(props: { readonly cursor: string | null; readonly next: string | null }): JSX.Element | null {
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
