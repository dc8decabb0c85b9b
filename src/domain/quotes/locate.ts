import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { lazy, once } from '../result.ts'
import { lettersOfPart, sourceOf } from '../text/letters.ts'
import { dropAnsi, fold, foldText, NormalText, type Passes, type Range } from '../text/normal-text.ts'
import { isWholeLine, lineStart } from '../text/search.ts'
import { isShown, type Rendering, toSource } from '../trajectory/rendering.ts'
import type { Part, Position } from '../trajectory/trajectory.ts'
import { namesOfPart, QUOTE_PASSES, type Quote, type Reading, readQuote } from './quote.ts'
import { FORMS, type Form, type FormedText, formsOf, holdsPrefixes, isInDiff } from './quote-forms.ts'

const LONGEST_LINE = 10_000

/** Finds the best match of a quote in a part, and counts its places: the lowest rank of reading and form. `bare`: without control sequences. */
function matchNormalized(part: Part, bare: NormalText, quote: Quote, hidden: readonly Range[], budget: Budget) {
  let best = Number.POSITIVE_INFINITY
  /** By where they begin: windows overlap. */
  let places = new Map<number, FormPlace>()
  for (const place of placesIn(part, bare, quote, budget, () => best)) {
    if (!isShown({ hidden }, place.range)) continue
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
  // Escapes are read back by one level, on one side; a name around a quote is that of the part.
  const fits = ({ used, names }: Reading, { escapes }: Form): boolean =>
    !(escapes && used.includes('escapes')) && names.every((name) => namesOfPart(part).includes(name))
  for (const window of windowsOf(part, bare, quote.ways(), budget))
    for (const formed of formsOf(bare.text, window, part.actor)) {
      const { form, plain } = formed
      if (form.rank > best()) break
      budget.left -= window.end - window.start
      if (budget.left < 0) return
      const folded = fold(plain, { ...QUOTE_PASSES, breaks: form.escapes })
      for (const [index, reading] of quote.ways().readings.entries())
        if (fits(reading, form)) yield* findIn(bare, formed, folded, reading, index * FORMS.length + form.rank, best)
    }
}

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
    // A line that holds the quote's name before the place: the quote would leave out the words between.
    const before = bare.text.slice(Math.max(lineStart(bare.text, start), start - LONGEST_LINE), start).toLowerCase()
    if (reading.names.some((name) => before.includes(name))) continue
    const there = { start: listed.unitAt(start), end: listed.unitAt(end) }
    const inDiff = form.prefix === 'plus' && isInDiff(bare.text, start)
    if (form.prefix !== null && !holdsPrefixes(listed.text, there, form.prefix, inDiff)) continue
    yield { rank, range: bare.range(start, end), form, reading, there: listed.text.slice(there.start, there.end) }
  }
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

/** The place of a quote in one part, and how exactly the quote stands there. Offsets are those of the part's source text. */
export interface Place extends Range {
  readonly position: Position
  readonly match: 'verified' | 'normalized'
  /** Differences between the quote and the text; null: none. */
  readonly normalization: readonly QuoteNormalization[] | null
  readonly occurrences: number
}

/** Finds quotes in parts as the judge was shown them. */
export type Locator = ReturnType<typeof createLocator>

/** Units of text that one answer may have folded: nothing more is found then. */
const MOST_FOLDED = 10_000_000

/** Makes a locator of a rendering. `given`: texts that prove something however short they are. */
export function createLocator(rendering: Rendering, given: ReadonlySet<string> = new Set()) {
  const { steps } = rendering.trajectory
  const budget: Budget = { left: MOST_FOLDED }
  /** A quote that stands in no step must not cost the others their search. */
  const farther: Budget = { left: MOST_FOLDED }
  const places = new Map<string, readonly Place[]>()
  const names = lazy(() => new Set(steps.flatMap(({ parts }) => parts.flatMap(namesOfPart))))
  const quoteOf = once((text: string) => {
    const quote = readQuote(text, names)
    return given.has(text.trim()) ? { ...quote, short: false } : quote
  })
  const bareOf = once((part: Part) => dropAnsi(new NormalText(part.text)), new WeakMap())

  /** Finds all places outside the parts of `but`; without it, the exact ones, else those that need the least. */
  const search = (step: number, quote: Quote, spent: Budget, but?: ReadonlySet<number>): readonly Place[] => {
    if (quote.isBlank) return []
    const parts = (steps[step]?.parts ?? [])
      .map((part, index) => ({ part, position: { step, part: index } }))
      .filter(({ part, position }) => part.text.length >= quote.least && but?.has(position.part) !== true)
    const exact = parts.flatMap(({ part, position }) => {
      const place = but === undefined ? findExact(rendering, part, quote, spent) : null
      return place === null ? [] : { position, match: 'verified' as const, normalization: null, ...place }
    })
    if (exact.length > 0) return exact
    const matches = parts.flatMap(({ part, position }) => {
      const text = quote.ansi ? bareOf(part) : new NormalText(part.text)
      const match = matchNormalized(part, text, quote, rendering.hidden.get(part) ?? [], spent)
      return match === null ? [] : { position, match }
    })
    const best = matches.reduce((least, { match }) => Math.min(least, match.rank), Number.POSITIVE_INFINITY)
    return matches.flatMap(({ position, match: { rank, ...place } }) =>
      but !== undefined || rank === best ? { position, match: 'normalized' as const, ...place } : [],
    )
  }
  return {
    /** Finds every part of the step that holds the quote, best rung of the ladder only. */
    inStep(step: number, text: string): readonly Place[] {
      const found = places.get(`${step}/${text}`) ?? search(step, quoteOf(text), budget)
      places.set(`${step}/${text}`, found)
      return found
    },
    /** Finds the places of the step that hold the quote after normalization, also where another holds it as it is written; not in parts of `but`. */
    normalizedInStep: (step: number, text: string, but: ReadonlySet<number>): readonly Place[] =>
      search(step, quoteOf(text), budget, but),
    /** Finds the first step that holds the quote; null: nowhere. */
    anywhere(text: string): number | null {
      const quote = quoteOf(text)
      const step = steps.findIndex((_, index) => {
        const found = places.get(`${index}/${text}`) ?? (farther.left >= 0 ? search(index, quote, farther) : [])
        return found.length > 0
      })
      return step === -1 ? null : step
    },
    /** Under twelve visible characters, its wrapping taken off, a quote proves nothing, unless it is a whole line or a given anchor. */
    isShort(text: string): boolean {
      const { isBlank, ways } = quoteOf(text)
      if (isBlank) return true
      if (given.has(text.trim())) return false
      const { readings } = ways()
      return readings.length === 0 ? text.trim() === '' : readings.some((reading) => reading.whole.short)
    },
  }
}

/** Finds a quote as the source has it, or as shown. The source first: an escape in the view can begin like the text that it stands for. */
function findExact(rendering: Rendering, part: Part, quote: Quote, budget: Budget) {
  const plain = { text: part.text, edits: [], hidden: rendering.hidden.get(part) ?? [] }
  // Only a quote with an escape, or with a line end that is not shown as it is, could stand in the view and not in the source.
  const isOther = /[⟨⟩]/.test(quote.text) || (quote.text.includes('\n') && part.text.includes('\r\n'))
  for (const view of isOther ? [plain, rendering.view(part)] : [plain]) {
    let first: Range | null = null
    let occurrences = 0
    for (const place of occurrencesOf(view.text, quote.text, budget)) {
      const range = toSource(view, place)
      if (range === null || (quote.short && !isWholeLine(part.text, range))) continue
      first ??= range
      if (++occurrences === MOST_OCCURRENCES) break
    }
    if (first !== null) return { ...first, occurrences }
  }
  return null
}

/** The work that one answer may still cost, in units of text that are folded: the search stops where it is spent. */
interface Budget {
  left: number
}

const COST_OF_A_PLACE = 40
/** Bounds the places that are counted. */
const MOST_OCCURRENCES = 10_000

/** The letters by which a quote is sought. */
interface Sought {
  readonly readings: readonly { readonly text: string }[]
  readonly letters: readonly string[]
}

/** Units of text that are searched at the cost of one that is folded. */
const SEARCHED = 32
/** A window reaches to the ends of its lines, up to here: terminals pad with white space. */
const FARTHEST_LINE = 4000

/** Lists the pieces of a part around the places of the quote’s letters, joined where they overlap, until the budget is spent. */
function* windowsOf(part: Part, bare: NormalText, { readings, letters }: Sought, budget: Budget): Generator<Range> {
  if (readings.length === 0) return
  if (letters.length === 0) return yield { start: 0, end: bare.text.length }
  const longest = Math.max(...readings.map(({ text }) => text.length))
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
    if (window !== null && place.start < window.end) {
      if (place.end > window.end) window.end = reachForward(bare.text, place.end, longest)
      continue
    }
    if (window !== null) yield window
    window = { start: reachBack(bare.text, place.start, longest), end: reachForward(bare.text, place.end, longest) }
  }
  if (window !== null) yield window
}

/** Lists the places of a string that do not overlap, until the budget is spent. */
function* occurrencesOf(text: string, string: string, budget: Budget): Generator<Range> {
  for (let start = text.indexOf(string); start !== -1; start = text.indexOf(string, start + string.length)) {
    budget.left -= COST_OF_A_PLACE
    if (budget.left < 0) return
    yield { start, end: start + string.length }
  }
}

/** Escapes can double the marks at the ends of a quote, and the marks around it decide how it is read. */
const margin = (longest: number): number => 6 * longest + 256

function reachForward(text: string, from: number, longest: number): number {
  const at = Math.min(text.length, from + margin(longest))
  const line = text.slice(at, at + FARTHEST_LINE).indexOf('\n')
  return line === -1 ? at : at + line
}

function reachBack(text: string, from: number, longest: number): number {
  const at = Math.max(0, from - margin(longest))
  const farthest = Math.max(0, at - FARTHEST_LINE)
  const line = text.slice(farthest, at).lastIndexOf('\n')
  return line === -1 ? at : farthest + line + 1
}
