/** The longest wait for a row: steps load first, and rows come a moment after the scrolling. */
const PATIENCE_MS = 30_000
/** The frames that a row must stand still: rows that come into the page move the rows below. */
const FRAMES_OF_REST = 3
/** The share of the list on the screen below which the page itself scrolls. */
const ENOUGH_OF_LIST = 0.6

export interface Wanted {
  readonly box: HTMLElement
  /** Estimates the top of the row; the list learns the heights of rows as they come. Null: the row is not known yet. */
  readonly rowTop: () => number | null
  /** A selector; several fitting elements count as a single area. */
  readonly wanted: string
  readonly by: ShownBy
}

/** The wish behind a scrolling: a link moves the focus, too; a page that opens moves neither focus nor itself. */
export type ShownBy = 'link' | 'search' | 'page'

/**
 * Brings an element of a virtual list into sight once its row is in the page, clear of the heading at the top of the list. Gives up at the next
 * request and at any act of the reader, so that no scrolling disturbs them.
 */
export function bringIntoSight({ box, rowTop, wanted, by }: Wanted): void {
  const turn = ++latest
  const until = performance.now() + PATIENCE_MS
  const hands = new AbortController()
  for (const kind of BY_HAND)
    addEventListener(kind, () => hands.abort(), { capture: true, passive: true, signal: hands.signal })
  let rested = 0
  const look = () => {
    if (turn !== latest || performance.now() > until) hands.abort()
    if (hands.signal.aborted) return
    const elements = [...box.querySelectorAll<HTMLElement>(wanted)]
    if (elements.length === 0) box.scrollTop = rowTop() ?? box.scrollTop
    else if (scrollList(box, elements, by)) rested = 0
    else if (++rested === 1 && by === 'link') elements[0]?.focus({ preventScroll: true })
    if (rested < FRAMES_OF_REST) requestAnimationFrame(look)
    else hands.abort()
  }
  look()
}

let latest = 0

const BY_HAND = ['pointerdown', 'wheel', 'touchstart', 'keydown', 'input'] as const

/** Scrolls a step to the top, any other element to the upper third, or higher if it is long. Tells whether the list moved. */
function scrollList(box: HTMLElement, elements: readonly HTMLElement[], wish: ShownBy): boolean {
  if (wish !== 'page') scrollPage(box)
  const rects = elements.map((element) => element.getBoundingClientRect())
  const top = Math.min(...rects.map((rect) => rect.top))
  const height = Math.max(...rects.map((rect) => rect.bottom)) - top
  const step = elements[0]?.closest('.step')
  const list = seenOf(box)
  const heading = step === elements[0] ? 0 : (step?.querySelector('header')?.offsetHeight ?? 0)
  const room = list.bottom - list.top - heading
  const lead = step === elements[0] ? 0 : Math.max(MARGIN, Math.min(room / 3, room - height - MARGIN))
  const before = box.scrollTop
  const by = top - (list.top + heading + lead)
  if (Math.abs(by) > 2) box.scrollTop += by
  return Math.abs(box.scrollTop - before) > 1
}

const MARGIN = 4

function scrollPage(box: HTMLElement): void {
  const { top, bottom } = seenOf(box)
  if (bottom - top < ENOUGH_OF_LIST * box.clientHeight)
    (box.closest('.timeline') ?? box).scrollIntoView({ block: 'start', behavior: 'instant' })
}

/** Measures the part of the list on the screen, below the head of the page. */
function seenOf(box: HTMLElement): { readonly top: number; readonly bottom: number } {
  const { top, bottom } = box.getBoundingClientRect()
  const head = document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0
  return { top: Math.max(top, head, 0), bottom: Math.min(bottom, innerHeight) }
}
