import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { fold, foldText, type Passes } from '../text/fold.ts'
import { lineStart } from '../text/lines.ts'
import type { NormalText, Range } from '../text/normal-text.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { type Budget, isWholeLine, MOST_OCCURRENCES } from './quote-exact.ts'
import { FORMS, type Form, type FormedText, formsOf, holdsPrefixes, isInDiff, namesOfForm } from './quote-forms.ts'
import { QUOTE_PASSES, type Quote, type Reading } from './quote-readings.ts'
import { windowsOf } from './quote-windows.ts'
import { allowsEdge, namesOfPart } from './quote-wrapping.ts'

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
  for (const formed of formedIn(part, bare, quote, budget, () => best))
    for (const [rank, place] of placesIn(part, bare, quote, formed, () => best)) {
      if (!isShown(place.range)) continue
      if (rank < best) places = new Map()
      best = rank
      const { start } = place.range
      if (!places.has(start) && places.size < MOST_OCCURRENCES) places.set(start, place)
    }
  const first = places.values().next().value
  if (first === undefined) return null
  const normalization = namesOf(part, quote, bare, first)
  return { ...first.range, rank: best, normalization, occurrences: places.size }
}

/** Reads the windows in their forms, until no form is as good as the best so far or the budget is spent. */
function* formedIn(
  part: Part,
  bare: NormalText,
  quote: Quote,
  budget: Budget,
  best: () => number,
): Generator<FormedText> {
  for (const window of windowsOf(part, bare, quote, budget))
    for (const formed of formsOf(bare.text, window, part.actor)) {
      if (formed.form.rank > best()) break
      budget.left -= window.end - window.start
      if (budget.left < 0) return
      yield formed
    }
}

/** Finds the places of the readings that are no worse than the best so far, with their ranks. */
function* placesIn(
  part: Part,
  bare: NormalText,
  quote: Quote,
  formed: FormedText,
  best: () => number,
): Generator<readonly [rank: number, place: FormPlace]> {
  const { form, plain } = formed
  let folded: NormalText | null = null
  for (const [index, reading] of quote.ways().readings.entries()) {
    const rank = index * FORMS.length + form.rank
    if (rank > best() || !fits(reading, form, part)) continue
    folded ??= fold(plain, { ...QUOTE_PASSES, breaks: form.escapes })
    for (const place of findIn(bare, formed, folded, reading)) yield [rank, place]
  }
}

/** Escapes are read back by one level, on one side; what names a part stands in that part. */
const fits = (reading: Reading, form: Form, part: Part): boolean =>
  !(form.escapes && reading.used.includes('escapes')) &&
  (reading.names.length === 0 || reading.names.every((name) => namesOfPart(part).includes(name)))

/** A place of a reading in a form of a text. */
interface FormPlace {
  readonly range: Range
  readonly form: Form
  readonly reading: Reading
  /** The text there, before line prefixes and emphasis were dropped and nothing folded. */
  readonly there: string
}

function* findIn(bare: NormalText, formed: FormedText, folded: NormalText, reading: Reading): Generator<FormPlace> {
  const { form, listed } = formed
  const compared = form.emphasis ? reading.plain : reading.whole
  const needle = form.escapes ? compared.broken : compared.folded
  if (needle === '') return
  for (let at = folded.text.indexOf(needle); at !== -1; at = folded.text.indexOf(needle, at + needle.length)) {
    const { start, end } = folded.range(at, at + needle.length)
    if (compared.short && !isWholeLine(bare.text, { start, end })) continue
    if (!reading.edges.every((edge) => allowsEdge(bare.text, start, end, edge))) continue
    if (hasOwnName(bare.text, start, reading)) continue
    const there = { start: listed.unitAt(start), end: listed.unitAt(end) }
    const inDiff = form.prefix === 'plus' && isInDiff(bare.text, start)
    if (form.prefix !== null && !holdsPrefixes(listed.text, there, form.prefix, inDiff)) continue
    yield { range: bare.range(start, end), form, reading, there: listed.text.slice(there.start, there.end) }
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
  const names = new Set<QuoteNormalization>([...reading.used, ...namesOfForm(form)])
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
