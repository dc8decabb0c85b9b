import type { Rendering } from '../trajectory/rendering.ts'
import type { Position } from '../trajectory/trajectory.ts'
import { isShown, type Range, toSource } from '../trajectory/view.ts'

/** The work that one answer may still cost, in units of text that are folded: the search stops where it is spent. */
export interface Budget {
  left: number
}

export const COST_OF_A_PLACE = 40
/** Bounds the places that are counted. */
export const MOST_OCCURRENCES = 10_000

/** The first place of a quote in a part, and the number of its places there. */
interface ExactPlace extends Range {
  readonly occurrences: number
}

/** Finds a quote as the source has it, or as shown. The source first: an escape in the view can begin like the text that it stands for. */
export function findExact(
  rendering: Rendering,
  position: Position,
  source: string,
  quote: string,
  accept: (range: Range) => boolean,
  budget: Budget,
): ExactPlace | null {
  const hidden = rendering.hidden(position)
  const plain = firstOf(source, quote, (range) => (isShown({ hidden }, range) && accept(range) ? range : null), budget)
  if (plain !== null || !readsOtherwise(source, quote)) return plain
  const view = rendering.view(position)
  const mapped = (range: Range): Range | null => {
    const back = toSource(view, range)
    return back !== null && accept(back) ? back : null
  }
  return firstOf(view.text, quote, mapped, budget)
}

/** Tests whether a view could hold a quote that its source does not: the quote holds an escape, or a line end that is not shown as it is. */
function readsOtherwise(source: string, quote: string): boolean {
  if (quote.includes('\n') && source.includes('\r\n')) return true
  if (!/[⟨⟩]/.test(quote)) return false
  const point = ESCAPE.exec(quote)?.[1]
  return point === undefined || source.includes(String.fromCodePoint(Number.parseInt(point, 16)))
}

/** A whole escape stands for its character, and for nothing else: brackets of the source that look like one are escaped themselves. */
const ESCAPE = /⟨U\+(10[0-9A-F]{4}|[0-9A-F]{4,5})(?:×[0-9]{1,6})?⟩/

function firstOf(text: string, quote: string, map: (range: Range) => Range | null, budget: Budget): ExactPlace | null {
  let first: Range | null = null
  let occurrences = 0
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + quote.length)) {
    budget.left -= COST_OF_A_PLACE
    if (budget.left < 0) break
    const range = map({ start: at, end: at + quote.length })
    if (range === null) continue
    first ??= range
    if (++occurrences === MOST_OCCURRENCES) break
  }
  return first === null ? null : { ...first, occurrences }
}

/** Tests whether nothing but white space stands beside a range on its lines. */
export const isWholeLine = (text: string, { start, end }: Range): boolean =>
  isBlankBack(text, start) && isBlankForward(text, end)

function isBlankBack(text: string, from: number): boolean {
  for (let at = from - 1; at >= 0 && text[at] !== '\n'; at--) if (text[at]?.trim() !== '') return false
  return true
}

export function isBlankForward(text: string, from: number): boolean {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) if (text[at]?.trim() !== '') return false
  return true
}
