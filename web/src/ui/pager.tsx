import type { ComponentChildren } from 'preact'
import { setQuery } from '../location.ts'
import { formatCount } from '../words.ts'

interface StepProps {
  readonly children: ComponentChildren
  /** Null: the button is disabled. */
  readonly go: (() => void) | null
}

export const StepButton = ({ children, go }: StepProps) => (
  <button type="button" disabled={go === null} onClick={() => go?.()}>
    {children}
  </button>
)

interface CursorProps {
  readonly cursor: string | null
  readonly next: string | null
  /** The words of the buttons: the first page, the page before, the next page. */
  readonly words?: readonly [string, string, string]
}

const PAGE_WORDS = ['First page', 'Page before', 'Next page'] as const

/** Pages of a list with cursors: `?cursor=` names the page, and the history of the browser has the page before. */
export const Pager = ({ cursor, next, words: [first, before, more] = PAGE_WORDS }: CursorProps) =>
  cursor === null && next === null ? null : (
    <nav class="pager" aria-label="More of this list">
      <StepButton go={cursor === null ? null : () => setQuery({ cursor: null, page: null })}>{first}</StepButton>
      <StepButton go={cursor === null ? null : () => history.back()}>{before}</StepButton>
      <StepButton go={next === null ? null : () => setQuery({ cursor: next, page: null })}>{more}</StepButton>
    </nav>
  )

const ROWS_A_PAGE = 100

/** Reads the number of the page: `?page=2` → 2; any other text is page 1. */
export const readPage = (query: URLSearchParams): number =>
  Math.max(1, Number.parseInt(query.get('page') ?? '', 10) || 1)

export const rowsOfPage = <T,>(rows: readonly T[], page: number): readonly T[] =>
  rows.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE)

/** Numbered pages of a list that is loaded as a whole; nothing for a single page. */
export function NumberPager({ page, count }: { readonly page: number; readonly count: number }) {
  const last = Math.ceil(count / ROWS_A_PAGE)
  if (last <= 1) return null
  const go = (to: number) => setQuery({ page: to === 1 ? null : String(to) })
  return (
    <nav class="pager" aria-label="Pages of the list">
      <StepButton go={page <= 1 ? null : () => go(page - 1)}>Page before</StepButton>
      <span>
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      <StepButton go={page >= last ? null : () => go(page + 1)}>Next page</StepButton>
    </nav>
  )
}
