import type { ComponentChildren } from 'preact'
import { setQuery } from '../location.ts'
import { formatCount } from '../words.ts'

/** Buttons and places of a way through a list. */
export const Steps = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <nav class="pager" aria-label={label}>
    {children}
  </nav>
)

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
}

/** Pages of a list with cursors: `?cursor=` names the page, and the history of the browser has the page before. */
export const Pager = ({ cursor, next }: CursorProps) =>
  cursor === null && next === null ? null : (
    <Steps label="More of this list">
      <StepButton go={cursor === null ? null : () => setQuery({ cursor: null })}>First page</StepButton>
      <StepButton go={cursor === null ? null : () => history.back()}>Page before</StepButton>
      <StepButton go={next === null ? null : () => setQuery({ cursor: next })}>Next page</StepButton>
    </Steps>
  )

/** Windows of a list that is sorted here: the newest rows, and older ones. */
export const WindowPager = ({ cursor, next }: CursorProps) =>
  cursor === null && next === null ? null : (
    <Steps label="Newer and older grades">
      <StepButton go={cursor === null ? null : () => setQuery({ cursor: null, page: null })}>Newest grades</StepButton>
      <StepButton go={next === null ? null : () => setQuery({ cursor: next, page: null })}>Older grades</StepButton>
    </Steps>
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
    <Steps label="Pages of the list">
      <StepButton go={page <= 1 ? null : () => go(page - 1)}>Page before</StepButton>
      <span>
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      <StepButton go={page >= last ? null : () => go(page + 1)}>Next page</StepButton>
    </Steps>
  )
}
