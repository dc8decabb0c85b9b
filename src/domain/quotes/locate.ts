import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { dropAnsi, foldText } from '../text/fold.ts'
import { NormalText, type Range } from '../text/normal-text.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import type { Part, Position, Step } from '../trajectory/trajectory.ts'
import { isShown } from '../trajectory/view.ts'
import { type Budget, findExact, isWholeLine } from './quote-exact.ts'
import { type Match, matchNormalized } from './quote-match.ts'
import { type Quote, readQuote } from './quote-readings.ts'
import { namesOfPart } from './quote-wrapping.ts'

/** The place of a quote in one part, and how exactly the quote stands there. Offsets are those of the part's source text. */
export interface Place {
  readonly position: Position
  readonly match: 'verified' | 'normalized'
  /** Differences between the quote and the text; null: none. */
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

/** Units of text that one answer may have folded: nothing more is found then. */
const MOST_FOLDED = 10_000_000

/** Makes a locator of a rendering. */
export function createLocator(rendering: Rendering): Locator {
  const { steps } = rendering.trajectory
  const budget: Budget = { left: MOST_FOLDED }
  /** A quote that stands in no step must not cost the others their search. */
  const farther: Budget = { left: MOST_FOLDED }
  const quotes = new Map<string, Quote>()
  const bare = new WeakMap<Part, NormalText>()
  const places = new Map<string, readonly Place[]>()
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
  const normalizedIn = (position: Position, part: Part, quote: Quote, spent: Budget): Match | null => {
    const hidden = rendering.hidden(position)
    return matchNormalized(part, textOf(part, quote), quote, (range) => isShown({ hidden }, range), spent)
  }
  const partsOf = (step: number, quote: Quote, but?: ReadonlySet<number>) => {
    const found: { part: Part; position: Position }[] = []
    steps[step]?.parts.forEach((part, index) => {
      if (part.text.length >= quote.least && but?.has(index) !== true)
        found.push({ part, position: { step, part: index } })
    })
    return found
  }
  const exactIn = (position: Position, part: Part, quote: Quote, spent: Budget) => {
    const accept = (range: Range) => !quote.short || isWholeLine(part.text, range)
    return findExact(rendering, position, part.text, quote.text, accept, spent)
  }
  const search = (step: number, quote: Quote, spent: Budget): Place[] => {
    const exact = partsOf(step, quote).flatMap(({ part, position }) => {
      const place = exactIn(position, part, quote, spent)
      return place === null ? [] : [{ position, match: 'verified' as const, normalization: null, ...place }]
    })
    return exact.length > 0 ? exact : searchNormalized(step, quote, spent)
  }
  /** All places outside the parts of `but`; without it, those that need the least. */
  const searchNormalized = (step: number, quote: Quote, spent: Budget, but?: ReadonlySet<number>): Place[] => {
    const parts = partsOf(step, quote, but)
    const matches = parts.flatMap(({ part, position }) => {
      const match = normalizedIn(position, part, quote, spent)
      return match === null ? [] : [{ position, match }]
    })
    const best = matches.reduce((least, { match }) => Math.min(least, match.rank), Number.POSITIVE_INFINITY)
    return matches.flatMap(({ position, match: { rank, ...place } }) =>
      but !== undefined || rank === best ? [{ position, match: 'normalized' as const, ...place }] : [],
    )
  }
  const placesOf = (step: number, text: string, spent: Budget): readonly Place[] =>
    places.get(`${step}/${text}`) ?? (showsNothing(text) ? [] : search(step, quoteOf(text), spent))

  return {
    inStep: (step, text) => known(places, `${step}/${text}`, () => placesOf(step, text, budget)),
    normalizedInStep: (step, text, but) =>
      showsNothing(text) ? [] : searchNormalized(step, quoteOf(text), budget, but),
    anywhere(text) {
      const step = steps.findIndex((_, index) => farther.left >= 0 && placesOf(index, text, farther).length > 0)
      return step === -1 ? null : step
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

function known<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
