import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { decodeJson } from '../text/decode.ts'
import { fold, foldText, type Passes } from '../text/fold.ts'
import { lineStart } from '../text/lines.ts'
import { NormalText, type Range } from '../text/normal-text.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { dropEmphasis } from './emphasis.ts'
import { isWholeLine, MOST_OCCURRENCES } from './quote-exact.ts'
import { dropPrefixes, holdsPrefixes, isInDiff, PREFIX_KINDS, type PrefixKind } from './quote-prefixes.ts'
import { QUOTE_PASSES, type Quote, type Reading } from './quote-readings.ts'
import { type Budget, windowsOf } from './quote-windows.ts'
import { allowsEdge, namesOfPart } from './quote-wrapping.ts'

/** The place of a quote in a part after normalization. */
export interface Match extends Range {
  readonly normalization: readonly QuoteNormalization[]
  /** How plainly: by the reading of the quote, then by the form of the text. The lowest is the best. */
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
  const best = new BestPlaces()
  for (const window of windowsOf(part, bare, quote, budget)) {
    for (const formed of formsOf(bare.text, window, part.actor, best)) {
      budget.left -= window.end - window.start
      if (budget.left < 0) break
      searchForm(part, bare, quote, formed, isShown, best)
    }
    if (budget.left < 0) break
  }
  const first = best.places.values().next().value
  if (first === undefined) return null
  const normalization = namesOf(part, quote, bare, first)
  return { ...first.range, rank: best.rank, normalization, occurrences: best.places.size }
}

function searchForm(
  part: Part,
  bare: NormalText,
  quote: Quote,
  formed: FormedText,
  isShown: (range: Range) => boolean,
  best: BestPlaces,
): void {
  const { form, plain } = formed
  let folded: NormalText | null = null
  for (const [index, reading] of quote.ways().readings.entries()) {
    const rank = index * FORMS.length + form.rank
    if (rank > best.rank || !fits(reading, form, part)) continue
    folded ??= fold(plain, { ...QUOTE_PASSES, breaks: form.escapes })
    for (const place of findIn(bare, formed, folded, reading)) if (isShown(place.range)) best.add(rank, place)
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

/** The places of the lowest rank, by where they begin: windows overlap. */
class BestPlaces {
  rank = Number.POSITIVE_INFINITY
  places = new Map<number, FormPlace>()

  add(rank: number, place: FormPlace): void {
    if (rank < this.rank) this.places = new Map()
    this.rank = rank
    const { start } = place.range
    if (!this.places.has(start) && this.places.size < MOST_OCCURRENCES) this.places.set(start, place)
  }
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
    if (form.prefix !== null && !isListing(bare, listed, there, start, form.prefix)) continue
    yield { range: bare.range(start, end), form, reading, there: listed.text.slice(there.start, there.end) }
  }
}

const isListing = (bare: NormalText, listed: NormalText, there: Range, start: number, kind: PrefixKind): boolean =>
  holdsPrefixes(listed.text, there, kind, kind === 'plus' && isInDiff(bare.text, start))

/** Whether the line has a name of its own for which the quote's would stand: the words between would be left out. */
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

/** How a text is read to be compared with a quote. */
interface Form {
  /** Its place among the forms, the plainest first. */
  readonly rank: number
  readonly escapes: boolean
  readonly prefix: PrefixKind | null
  readonly emphasis: boolean
}

/** A window of a text in one form; the source of both texts is the text without control sequences. */
interface FormedText {
  readonly form: Form
  readonly plain: NormalText
  /** The window before its line prefixes were dropped. */
  readonly listed: NormalText
}

const FORMS: readonly Form[] = [false, true]
  .flatMap((escapes) =>
    [null, ...PREFIX_KINDS].flatMap((prefix) => [false, true].map((emphasis) => ({ escapes, prefix, emphasis }))),
  )
  .map((form, rank) => ({ ...form, rank }))

/** Makes the forms of a window that differ from the plainer ones and may be better. An action has no emphasis: there a star is a glob and `_x_` a name. */
function* formsOf(text: string, window: Range, actor: Actor, best: BestPlaces): Generator<FormedText> {
  const whole = NormalText.piece(text, window.start, window.end)
  const decoded = decodeJson(whole)
  for (const form of FORMS) {
    if (form.rank > best.rank) return
    const base = form.escapes ? decoded : whole
    const listed = form.prefix === null ? base : dropPrefixes(base, form.prefix)
    const plain = form.emphasis && actor !== 'agent_action' ? dropEmphasis(listed) : listed
    const isPlainer =
      (form.escapes && decoded === whole) ||
      (form.prefix !== null && listed === base) ||
      (form.emphasis && plain === listed)
    if (!isPlainer) yield { form, plain, listed: base }
  }
}

/** The normalizations of a form, by their names. */
const namesOfForm = (form: Form): QuoteNormalization[] => [
  ...(form.escapes ? (['escapes'] as const) : []),
  ...(form.prefix === null ? [] : (['line_prefixes'] as const)),
  ...(form.emphasis ? (['emphasis'] as const) : []),
]
