/** Steps are loaded first, and rows come a moment after the scrolling; where nothing has come by then, nothing is there. */
const PATIENCE_MS = 30_000
/** For so many frames it has to stand still: rows that come into the page move what is below them. */
const FRAMES_OF_REST = 3
/** The page itself scrolls where less than this share of the list is on the screen. */
const ENOUGH_OF_LIST = 0.6

export interface Wanted {
  readonly box: HTMLElement
  /** Where the list thinks that the row begins; it learns the heights of rows as they come. Null: the row is not known yet. */
  readonly rowTop: () => number | null
  /** A selector; where several elements fit, it is what they cover together. */
  readonly wanted: string
  readonly focus: boolean
}

/**
 * Brings something of a virtual list into sight once its row is in the page, clear of the heading that stays at the top of the list.
 * Gives up when asked for something else meanwhile, and when the reader does something: nothing scrolls or takes the focus from
 * under their hands.
 */
export function bringIntoSight({ box, rowTop, wanted, focus }: Wanted): void {
  const turn = ++latest
  const until = performance.now() + PATIENCE_MS
  const hands = new AbortController()
  for (const kind of BY_HAND)
    addEventListener(kind, () => hands.abort(), { capture: true, passive: true, signal: hands.signal })
  let rested = 0
  const look = () => {
    if (turn !== latest || performance.now() > until) hands.abort()
    if (hands.signal.aborted) return
    const found = [...box.querySelectorAll<HTMLElement>(wanted)]
    if (found.length === 0) box.scrollTop = rowTop() ?? box.scrollTop
    else if (scrollList(box, found)) rested = 0
    else if (++rested === 1 && focus) found[0]?.focus({ preventScroll: true })
    if (rested < FRAMES_OF_REST) requestAnimationFrame(look)
    else hands.abort()
  }
  look()
}

let latest = 0

const BY_HAND = ['pointerdown', 'wheel', 'touchstart', 'keydown', 'input'] as const

/** A step to the top; anything else to the upper third, or higher where it is long. Says whether anything moved. */
function scrollList(box: HTMLElement, found: readonly HTMLElement[]): boolean {
  scrollPage(box)
  const rects = found.map((one) => one.getBoundingClientRect())
  const top = Math.min(...rects.map((rect) => rect.top))
  const height = Math.max(...rects.map((rect) => rect.bottom)) - top
  const step = found[0]?.closest('.step')
  const list = seenOf(box)
  const heading = step === found[0] ? 0 : (step?.querySelector('header')?.offsetHeight ?? 0)
  const room = list.bottom - list.top - heading
  const lead = step === found[0] ? 0 : Math.max(MARGIN, Math.min(room / 3, room - height - MARGIN))
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

/** The part of the list that is on the screen, below the page’s own head. */
function seenOf(box: HTMLElement): { readonly top: number; readonly bottom: number } {
  const { top, bottom } = box.getBoundingClientRect()
  const head = document.querySelector('.top')?.getBoundingClientRect().bottom ?? 0
  return { top: Math.max(top, head, 0), bottom: Math.min(bottom, innerHeight) }
}
