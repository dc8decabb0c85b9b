import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { dropAnsi, foldText, NormalText, type Range } from '../text/normal-text.ts'
import { isWholeLine } from '../text/search.ts'
import { isShown, type Rendering, toSource } from '../trajectory/rendering.ts'
import type { Part, Position, Step } from '../trajectory/trajectory.ts'
import { namesOfPart, type Quote, readQuote } from './quote.ts'
import { type Budget, MOST_OCCURRENCES, matchNormalized, occurrencesOf } from './quote-match.ts'

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
  const names = new Map<null, ReadonlySet<string>>()

  const quoteOf = (text: string): Quote =>
    known(quotes, text, () => readQuote(text, () => known(names, null, () => namesIn(steps))))
  const textOf = (part: Part, { ansi }: Quote): NormalText =>
    ansi ? known(bare, part, () => dropAnsi(new NormalText(part.text))) : new NormalText(part.text)

  /** Finds all places outside the parts of `but`; without it, the exact ones, else those that need the least. */
  const search = (step: number, quote: Quote, spent: Budget, but?: ReadonlySet<number>): Place[] => {
    const parts = (steps[step]?.parts ?? [])
      .map((part, index) => ({ part, position: { step, part: index } }))
      .filter(({ part, position }) => part.text.length >= quote.least && but?.has(position.part) !== true)
    const exact = parts.flatMap(({ part, position }) => {
      const place = but === undefined ? findExact(rendering, position, part.text, quote, spent) : null
      return place === null ? [] : { position, match: 'verified' as const, normalization: null, ...place }
    })
    if (exact.length > 0) return exact
    const matches = parts.flatMap(({ part, position }) => {
      const hidden = rendering.hidden(position)
      const match = matchNormalized(part, textOf(part, quote), quote, (range) => isShown({ hidden }, range), spent)
      return match === null ? [] : { position, match }
    })
    const best = matches.reduce((least, { match }) => Math.min(least, match.rank), Number.POSITIVE_INFINITY)
    return matches.flatMap(({ position, match: { rank, ...place } }) =>
      but !== undefined || rank === best ? { position, match: 'normalized' as const, ...place } : [],
    )
  }
  const placesOf = (step: number, text: string, spent: Budget): readonly Place[] =>
    places.get(`${step}/${text}`) ?? (showsNothing(text) ? [] : search(step, quoteOf(text), spent))

  return {
    inStep: (step, text) => known(places, `${step}/${text}`, () => placesOf(step, text, budget)),
    normalizedInStep: (step, text, but) => (showsNothing(text) ? [] : search(step, quoteOf(text), budget, but)),
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

/** The first place of a quote in a part, and the number of its places there. */
interface ExactPlace extends Range {
  readonly occurrences: number
}

/** Finds a quote as the source has it, or as shown. The source first: an escape in the view can begin like the text that it stands for. */
function findExact(rendering: Rendering, position: Position, source: string, quote: Quote, budget: Budget) {
  const firstOf = (text: string, sourceOf: (range: Range) => Range | null): ExactPlace | null => {
    let first: Range | null = null
    let occurrences = 0
    for (const place of occurrencesOf(text, quote.text, budget)) {
      const range = sourceOf(place)
      if (range === null || (quote.short && !isWholeLine(source, range))) continue
      first ??= range
      if (++occurrences === MOST_OCCURRENCES) break
    }
    return first === null ? null : { ...first, occurrences }
  }
  const hidden = rendering.hidden(position)
  const plain = firstOf(source, (range) => (isShown({ hidden }, range) ? range : null))
  if (plain !== null || !readsOtherwise(source, quote.text)) return plain
  const view = rendering.view(position)
  return firstOf(view.text, (range) => toSource(view, range))
}

/** Tests whether a view could hold a quote that its source does not: the quote holds an escape, or a line end that is not shown as it is. */
const readsOtherwise = (source: string, quote: string): boolean =>
  /[⟨⟩]/.test(quote) || (quote.includes('\n') && source.includes('\r\n'))

/** The names of all parts; most of them are alike. */
function namesIn(steps: readonly Step[]): ReadonlySet<string> {
  const kinds = new Map(
    steps.flatMap(({ parts }) => parts.map((part) => [`${part.actor} ${part.name}`, part] as const)),
  )
  return new Set([...kinds.values()].flatMap(namesOfPart))
}

/** White space and control sequences alone prove nothing, even where they are a whole line. */
const showsNothing = (text: string): boolean => foldText(text, { ansi: true, white_space: true }).trim() === ''

function known<K, V>(map: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}
