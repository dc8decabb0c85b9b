import type { Rendering } from '../trajectory/rendering.ts'
import type { Position } from '../trajectory/trajectory.ts'
import { isShown, type Range, toSource } from '../trajectory/view.ts'

/** More are not counted. */
export const MOST_OCCURRENCES = 10_000

/** Where a quote stands in a part, first of all its places there. */
interface ExactPlace extends Range {
  readonly occurrences: number
}

/** As the source has it, or as shown. The source first: an escape in the view can begin like the text that it stands for. */
export function findExact(
  rendering: Rendering,
  position: Position,
  source: string,
  quote: string,
  accept: (range: Range) => boolean,
  goOn: () => boolean,
): ExactPlace | null {
  const hidden = rendering.hidden(position)
  const plain = firstOf(source, quote, (range) => (isShown({ hidden }, range) && accept(range) ? range : null), goOn)
  if (plain !== null || !readsOtherwise(source, quote)) return plain
  const view = rendering.view(position)
  return firstOf(
    view.text,
    quote,
    (range) => {
      const back = toSource(view, range)
      return back !== null && accept(back) ? back : null
    },
    goOn,
  )
}

/** Whether a view could hold a quote that its source does not: the quote holds an escape, or a line end that is not shown as it is. */
function readsOtherwise(source: string, quote: string): boolean {
  if (quote.includes('\n') && source.includes('\r\n')) return true
  if (!quote.includes('⟨') && !quote.includes('⟩')) return false
  const point = ESCAPE.exec(quote)?.[1]
  return point === undefined || source.includes(String.fromCodePoint(Number.parseInt(point, 16)))
}

/** A whole one stands for its character, and for nothing else: brackets of the source that look like one are escaped themselves. */
const ESCAPE = /⟨U\+(10[0-9A-F]{4}|[0-9A-F]{4,5})(?:×[0-9]{1,6})?⟩/

function firstOf(
  text: string,
  quote: string,
  map: (range: Range) => Range | null,
  goOn: () => boolean,
): ExactPlace | null {
  let first: Range | null = null
  let occurrences = 0
  for (let at = text.indexOf(quote); at !== -1 && goOn(); at = text.indexOf(quote, at + quote.length)) {
    const range = map({ start: at, end: at + quote.length })
    if (range === null) continue
    first ??= range
    if (++occurrences === MOST_OCCURRENCES) break
  }
  return first === null ? null : { ...first, occurrences }
}

/** Whether nothing but white space stands beside a range on its lines. */
export function isWholeLine(text: string, { start, end }: Range): boolean {
  return isBlankBack(text, start) && isBlankForward(text, end)
}

function isBlankBack(text: string, from: number): boolean {
  for (let at = from - 1; at >= 0 && text[at] !== '\n'; at--) if (text[at]?.trim() !== '') return false
  return true
}

export function isBlankForward(text: string, from: number): boolean {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) if (text[at]?.trim() !== '') return false
  return true
}
