import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { lettersOfPart, sourceOf } from '../text/letters.ts'
import { fold, foldText, type NormalText, type Passes, type Range } from '../text/normal-text.ts'
import { isWholeLine, lineStart } from '../text/search.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { namesOfPart, QUOTE_PASSES, type Quote, type Reading } from './quote.ts'
import { FORMS, type Form, type FormedText, formsOf, holdsPrefixes, isInDiff } from './quote-forms.ts'

/** The work that one answer may still cost, in units of text that are folded: the search stops where it is spent. */
export interface Budget {
  left: number
}

const COST_OF_A_PLACE = 40
/** Bounds the places that are counted. */
export const MOST_OCCURRENCES = 10_000

/** The place of a quote in a part after normalization. */
export interface Match extends Range {
  readonly normalization: readonly QuoteNormalization[]
  /** Ranks the match by the reading of the quote, then by the form of the text. The lowest is the best. */
  readonly rank: number
  readonly occurrences: number
}

const LONGEST_LINE = 10_000

/** Finds the best match of a quote in one part, and counts its places there. `bare`: the part's text, without control sequences where the quote has none. */
export function matchNormalized(
  part: Part,
  bare: NormalText,
  quote: Quote,
  isShown: (range: Range) => boolean,
  budget: Budget,
): Match | null {
  let best = Number.POSITIVE_INFINITY
  /** By where they begin: windows overlap. */
  let places = new Map<number, FormPlace>()
  for (const place of placesIn(part, bare, quote, budget, () => best)) {
    if (!isShown(place.range)) continue
    if (place.rank < best) places = new Map()
    best = place.rank
    const { start } = place.range
    if (!places.has(start) && places.size < MOST_OCCURRENCES) places.set(start, place)
  }
  const first = places.values().next().value
  if (first === undefined) return null
  const normalization = namesOf(part, quote, bare, first)
  return { ...first.range, rank: best, normalization, occurrences: places.size }
}

/** Finds the places of readings in forms of the windows that are no worse than the best so far, until the budget is spent. */
function* placesIn(
  part: Part,
  bare: NormalText,
  quote: Quote,
  budget: Budget,
  best: () => number,
): Generator<FormPlace> {
  for (const window of windowsOf(part, bare, quote, budget))
    for (const formed of formsOf(bare.text, window, part.actor)) {
      const { form, plain } = formed
      if (form.rank > best()) break
      budget.left -= window.end - window.start
      if (budget.left < 0) return
      const folded = fold(plain, { ...QUOTE_PASSES, breaks: form.escapes })
      for (const [index, reading] of quote.ways().readings.entries())
        if (fits(reading, form, part))
          yield* findIn(bare, formed, folded, reading, index * FORMS.length + form.rank, best)
    }
}

/** Escapes are read back by one level, on one side; what names a part stands in that part. */
const fits = (reading: Reading, form: Form, part: Part): boolean =>
  !(form.escapes && reading.used.includes('escapes')) &&
  (reading.names.length === 0 || reading.names.every((name) => namesOfPart(part).includes(name)))

/** A place of a reading in a form of a text. */
interface FormPlace {
  readonly rank: number
  readonly range: Range
  readonly form: Form
  readonly reading: Reading
  /** The text there, before line prefixes and emphasis were dropped and nothing folded. */
  readonly there: string
}

function* findIn(
  bare: NormalText,
  formed: FormedText,
  folded: NormalText,
  reading: Reading,
  rank: number,
  best: () => number,
): Generator<FormPlace> {
  const { form, listed } = formed
  const compared = form.emphasis ? reading.plain : reading.whole
  const needle = form.escapes ? compared.broken : compared.folded
  if (needle === '' || rank > best()) return
  for (let at = folded.text.indexOf(needle); at !== -1; at = folded.text.indexOf(needle, at + needle.length)) {
    const { start, end } = folded.range(at, at + needle.length)
    if (compared.short && !isWholeLine(bare.text, { start, end })) continue
    if (!reading.edges.every((allows) => allows(bare.text, start, end))) continue
    if (hasOwnName(bare.text, start, reading)) continue
    const there = { start: listed.unitAt(start), end: listed.unitAt(end) }
    const inDiff = form.prefix === 'plus' && isInDiff(bare.text, start)
    if (form.prefix !== null && !holdsPrefixes(listed.text, there, form.prefix, inDiff)) continue
    yield { rank, range: bare.range(start, end), form, reading, there: listed.text.slice(there.start, there.end) }
  }
}

/** Tests whether the line holds the quote's name before the place: the quote would leave out the words between. */
function hasOwnName(text: string, start: number, { names }: Reading): boolean {
  if (names.length === 0) return false
  const before = text.slice(Math.max(lineStart(text, start), start - LONGEST_LINE), start).toLowerCase()
  return names.some((name) => before.includes(name))
}

/** Names the normalizations without which the quote would not stand there. */
function namesOf(
  part: Part,
  quote: Quote,
  bare: NormalText,
  { range, form, reading, there }: FormPlace,
): QuoteNormalization[] {
  const names = new Set<QuoteNormalization>([...reading.used, ...form.used])
  const source = part.text.slice(range.start, range.end)
  if (quote.ansi && bare.text !== part.text && source.includes('\u001b')) names.add('ansi')
  if (form.prefix === null && !form.emphasis)
    for (const name of STRICT) {
      const others: Passes = { ...QUOTE_PASSES, [name]: false }
      if (foldText(there, others).trim() !== foldText(reading.text, others).trim()) names.add(name)
    }
  if (names.size === 0) names.add(quote.text.includes('⟨U+') ? 'escapes' : 'white_space')
  return [...names]
}

const STRICT = ['white_space', 'typographic_quotes', 'unicode'] as const

/** Units of text that are searched at the cost of one that is folded. */
const SEARCHED = 32
const LARGEST = 1_000_000
/** A window reaches to the ends of its lines, up to here: terminals pad with white space. */
const FARTHEST_LINE = 4000

/**
 * Lists the pieces of a part around each place of the quote's letters, joined where they overlap: all of them together are not much longer than the text,
 * however often the letters stand in it. They end where the budget is spent. Offsets are those of `bare`.
 */
function* windowsOf(part: Part, bare: NormalText, quote: Quote, budget: Budget): Generator<Range> {
  const { readings, letters, edge } = quote.ways()
  if (readings.length === 0) return
  if (letters.length === 0) {
    yield* pieces(bare.text, Math.max(...readings.map(({ text }) => text.length)))
    return
  }
  const places = lettersOfPart(part)
    .flatMap((form) =>
      letters.flatMap((needle) => {
        budget.left -= form.text.length / SEARCHED
        const places = budget.left < 0 ? [] : [...occurrencesOf(form.text, needle, budget)]
        return places.map(({ start, end }) => sourceOf(form, start, end))
      }),
    )
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

/** Lists the places of a string that do not overlap, until the budget is spent. */
export function* occurrencesOf(text: string, string: string, budget: Budget): Generator<Range> {
  for (let start = text.indexOf(string); start !== -1; start = text.indexOf(string, start + string.length)) {
    budget.left -= COST_OF_A_PLACE
    if (budget.left < 0) return
    yield { start, end: start + string.length }
  }
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
