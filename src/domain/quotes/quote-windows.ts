import { type Letters, lettersOfPart, sourceOf } from '../text/letters.ts'
import type { NormalText, Range } from '../text/normal-text.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { type Budget, COST_OF_A_PLACE } from './quote-exact.ts'
import type { Quote } from './quote-readings.ts'

/** Units of text that are searched at the cost of one that is folded. */
const SEARCHED = 32
const LARGEST = 1_000_000
/** A window reaches to the ends of its lines, up to here: terminals pad with white space. */
const FARTHEST_LINE = 4000

/**
 * Lists the pieces of a part around each place of the quote's letters, joined where they overlap: all of them together are not much longer than the text,
 * however often the letters stand in it. They end where the budget is spent. Offsets are those of `bare`.
 */
export function* windowsOf(part: Part, bare: NormalText, quote: Quote, budget: Budget): Generator<Range> {
  const { readings, letters, edge } = quote.ways()
  if (readings.length === 0) return
  if (letters.length === 0) {
    yield* pieces(bare.text, Math.max(...readings.map(({ text }) => text.length)))
    return
  }
  const places = lettersOfPart(part)
    .flatMap((form) => letters.flatMap((needle) => placesOf(form, needle, budget)))
    .map(({ start, end }) => ({ start: bare.unitAt(start), end: bare.unitAt(end) }))
    .sort((a, b) => a.start - b.start)
  let window: { start: number; end: number } | null = null
  for (const place of places) {
    if (window !== null && place.start < window.end && window.end - window.start < LARGEST) {
      if (place.end > window.end) window.end = reachForward(bare.text, place.end, edge)
      continue
    }
    if (window !== null) yield window
    window = { start: reachBack(bare.text, place.start, edge), end: reachForward(bare.text, place.end, edge) }
  }
  if (window !== null) yield window
}

function placesOf(form: Letters, needle: string, budget: Budget): Range[] {
  const places: Range[] = []
  budget.left -= form.text.length / SEARCHED
  if (budget.left < 0) return places
  for (let at = form.text.indexOf(needle); at !== -1; at = form.text.indexOf(needle, at + needle.length)) {
    budget.left -= COST_OF_A_PLACE
    if (budget.left < 0) break
    places.push(sourceOf(form, at, at + needle.length))
  }
  return places
}

/** Lists pieces of a whole text that overlap by more than the quote. */
function* pieces(text: string, length: number): Generator<Range> {
  for (let start = 0; start < text.length; start += LARGEST)
    yield { start, end: Math.min(text.length, start + LARGEST + margin(length)) }
}

/** Escapes can double the marks at the ends of a quote, and the marks around it decide how it is read. */
const margin = (edge: number): number => 6 * edge + 256

function reachForward(text: string, from: number, edge: number): number {
  const at = Math.min(text.length, from + margin(edge))
  const line = text.slice(at, at + FARTHEST_LINE).indexOf('\n')
  return line === -1 ? at : at + line
}

function reachBack(text: string, from: number, edge: number): number {
  const at = Math.max(0, from - margin(edge))
  const farthest = Math.max(0, at - FARTHEST_LINE)
  const line = text.slice(farthest, at).lastIndexOf('\n')
  return line === -1 ? at : farthest + line + 1
}
