import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { pushTo } from '../push-to.ts'
import { dropAnsi, foldText } from '../text/fold.ts'
import { lettersOfPart } from '../text/letters.ts'
import { NormalText, type Range } from '../text/normal-text.ts'
import { StringIndex } from '../text/string-index.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import type { Part, Position, Step } from '../trajectory/trajectory.ts'
import { isShown } from '../trajectory/view.ts'
import { findExact, isWholeLine } from './quote-exact.ts'
import { type Match, matchNormalized } from './quote-match.ts'
import { type Quote, readQuote } from './quote-readings.ts'
import type { Budget } from './quote-windows.ts'
import { namesOfPart } from './quote-wrapping.ts'

/** Where a quote stands in one part, and how exactly. Offsets are those of the part's source text. */
export interface Place {
  readonly position: Position
  readonly match: 'verified' | 'normalized'
  /** What the quote and the text differ in; null where nothing. */
  readonly normalization: readonly QuoteNormalization[] | null
  readonly start: number
  readonly end: number
  readonly occurrences: number
}

/** Finds quotes in parts as the judge was shown them. */
export interface Locator {
  /** Every part of the step that holds the quote, best rung of the ladder only. */
  inStep(step: number, quote: string): readonly Place[]
  /** The places of the step that hold the quote after normalization, also where another holds it as it is written; not in parts of `but`. */
  normalizedInStep(step: number, quote: string, but: ReadonlySet<number>): readonly Place[]
  /** The first step that holds the quote; null: nowhere. */
  anywhere(quote: string): number | null
  /** Under twelve visible characters, its wrapping taken off, a quote proves nothing, unless it is a whole line. */
  isShort(quote: string): boolean
}

/** A citation whose quote is looked for. */
interface Cited {
  readonly step_id: number
  readonly quote: string
}

/** Units of text that one answer may have folded: nothing more is found then. */
const MOST_FOLDED = 10_000_000
const COST_OF_A_PLACE = 40

/**
 * Makes a locator. `cited`: all quotes that will be asked for. Those that are not in their own steps are looked for in all others in one pass, when the
 * first of them is asked for.
 */
export function createLocator(rendering: Rendering, cited: readonly Cited[] = []): Locator {
  const { steps } = rendering.trajectory
  const budget: Budget = { left: MOST_FOLDED }
  const quotes = new Map<string, Quote>()
  const bare = new WeakMap<Part, NormalText>()
  const places = new Map<string, readonly Place[]>()
  const elsewhere = new Map<string, number | null>()
  let partNames: ReadonlySet<string> | null = null

  const names = (): ReadonlySet<string> => {
    partNames ??= namesIn(steps)
    return partNames
  }
  const quoteOf = (text: string): Quote => known(quotes, text, () => readQuote(text, names))
  const textOf = (part: Part, quote: Quote): NormalText => {
    const whole = new NormalText(part.text)
    if (!quote.ansi) return whole
    const text = bare.get(part) ?? dropAnsi(whole)
    bare.set(part, text)
    return text
  }
  const normalizedIn = (position: Position, part: Part, quote: Quote): Match | null => {
    const hidden = rendering.hidden(position)
    return matchNormalized(part, textOf(part, quote), quote, (range) => isShown({ hidden }, range), budget)
  }
  const partsOf = (step: number, quote: Quote, but?: ReadonlySet<number>) => {
    const found: { part: Part; position: Position }[] = []
    steps[step]?.parts.forEach((part, index) => {
      if (part.text.length >= quote.least && but?.has(index) !== true)
        found.push({ part, position: { step, part: index } })
    })
    return found
  }
  const exactIn = (position: Position, part: Part, quote: Quote) => {
    const accept = (range: Range) => !quote.short || isWholeLine(part.text, range)
    const goOn = () => {
      budget.left -= COST_OF_A_PLACE
      return budget.left >= 0
    }
    return findExact(rendering, position, part.text, quote.text, accept, goOn)
  }
  const search = (step: number, quote: Quote): Place[] => {
    const parts = partsOf(step, quote)
    const exact = parts.flatMap(({ part, position }) => {
      const place = exactIn(position, part, quote)
      return place === null ? [] : [{ position, match: 'verified' as const, normalization: null, ...place }]
    })
    return exact.length > 0 ? exact : searchNormalized(step, quote)
  }
  /** All places outside the parts of `but`; without it, those that need the least. */
  const searchNormalized = (step: number, quote: Quote, but?: ReadonlySet<number>): Place[] => {
    const parts = partsOf(step, quote, but)
    const matches = parts.flatMap(({ part, position }) => {
      const match = normalizedIn(position, part, quote)
      return match === null ? [] : [{ position, match }]
    })
    const best = matches.reduce((least, { match }) => Math.min(least, match.rank), Number.POSITIVE_INFINITY)
    return matches.flatMap(({ position, match: { rank, ...place } }) =>
      but !== undefined || rank === best ? [{ position, match: 'normalized' as const, ...place }] : [],
    )
  }
  const inStep = (step: number, text: string): readonly Place[] =>
    known(places, `${step}/${text}`, () => (showsNothing(text) ? [] : search(step, quoteOf(text))))

  /** All quotes that are not in their own steps, in one pass over all parts. */
  const searchAll = (text: string): void => {
    const absent = new Set([text])
    for (const one of cited) {
      const own = steps.findIndex((step) => step.id === one.step_id)
      if (own !== -1 && inStep(own, one.quote).length === 0) absent.add(one.quote)
    }
    let pending = [...absent].filter((one) => !elsewhere.has(one)).map(quoteOf)
    for (const quote of pending) elsewhere.set(quote.text, null)
    const mayStand = createScan(pending, budget)
    for (let step = 0; step < steps.length && pending.length > 0; step++) {
      const candidates = mayStand(steps[step]?.parts ?? [])
      const hit = pending.filter((quote) => candidates.has(quote) && inStep(step, quote.text).length > 0)
      for (const quote of hit) elsewhere.set(quote.text, step)
      if (hit.length > 0) pending = pending.filter((quote) => !hit.includes(quote))
    }
  }
  return {
    inStep,
    normalizedInStep: (step, text, but) => (showsNothing(text) ? [] : searchNormalized(step, quoteOf(text), but)),
    anywhere(text) {
      if (!elsewhere.has(text)) searchAll(text)
      return elsewhere.get(text) ?? null
    },
    isShort(text) {
      if (showsNothing(text)) return true
      const { readings } = quoteOf(text).ways()
      return readings.length === 0 ? text.trim() === '' : readings.some((reading) => reading.whole.short)
    },
  }
}

/** The names of all parts; most of them are alike. */
function namesIn(steps: readonly Step[]): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<string>()
  for (const { parts } of steps)
    for (const part of parts) {
      const kind = `${part.actor} ${part.name}`
      if (seen.has(kind)) continue
      seen.add(kind)
      for (const name of namesOfPart(part)) names.add(name)
    }
  return names
}

/** White space and control sequences alone prove nothing, even where they are a whole line. */
const showsNothing = (text: string): boolean => foldText(text, { ansi: true, white_space: true }).trim() === ''

/** Units of a string that are compared at the cost of one that is folded. */
const COMPARED = 32

/**
 * Makes a search for the quotes whose letters stand in a part, or which have no letters and stand there as they are written. Quotes of the same letters
 * are one string; each comparison is paid from the budget.
 */
function createScan(quotes: readonly Quote[], budget: Budget): (parts: readonly Part[]) => ReadonlySet<Quote> {
  const byLetters = new Map<string, Quote[]>()
  for (const quote of quotes) for (const letters of quote.ways().letters) pushTo(byLetters, letters, quote)
  const strings = [...byLetters.keys()]
  const owners = [...byLetters.values()]
  const index = new StringIndex(strings)
  const symbolic = quotes.filter((quote) => quote.ways().letters.length === 0)
  return (parts) => {
    const found = new Set<Quote>()
    const wanted = (string: number): boolean => {
      if (owners[string]?.every((quote) => found.has(quote)) !== false) return false
      budget.left -= 1 + (strings[string]?.length ?? 0) / COMPARED
      return budget.left >= 0
    }
    const add = (string: number): boolean => {
      for (const quote of owners[string] ?? []) found.add(quote)
      return found.size < quotes.length
    }
    for (const part of parts) {
      for (const letters of strings.length === 0 ? [] : lettersOfPart(part)) index.each(letters, wanted, add)
      for (const quote of symbolic) if (part.text.includes(quote.text)) found.add(quote)
    }
    return found
  }
}

function known<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
