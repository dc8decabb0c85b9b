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
const readsOtherwise = (source: string, quote: string): boolean =>
  /[⟨⟩]/.test(quote) || (quote.includes('\n') && source.includes('\r\n'))

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
