import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { foldText } from '../text/fold.ts'
import type { Rendering } from '../trajectory/rendering.ts'
import type { Part, Position, Step } from '../trajectory/trajectory.ts'
import { isShown, type Range } from '../trajectory/view.ts'
import { type BareText, withoutAnsi } from './mapped-text.ts'
import { findExact, isWholeLine } from './quote-exact.ts'
import { type Budget, type Match, matchNormalized } from './quote-match.ts'
import { canStandAt } from './quote-probe.ts'
import { type Quote, readQuote } from './quote-readings.ts'
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

/** Units of text that one answer may have folded: what is left to search then is not found. */
const MOST_FOLDED = 10_000_000
const SHORTEST_LANDMARK = 2
const COST_OF_A_PLACE = 40

/**
 * `cited`: all that will be asked for. What is not in its own step is looked for in all others in one pass, when the first of them is
 * asked for.
 */
export function createLocator(rendering: Rendering, cited: readonly Cited[] = []): Locator {
  const { steps } = rendering.trajectory
  const budget: Budget = { left: MOST_FOLDED }
  const quotes = new Map<string, Quote>()
  const bare = new WeakMap<Part, BareText>()
  const places = new Map<string, readonly Place[]>()
  const elsewhere = new Map<string, number | null>()
  let partNames: ReadonlySet<string> | null = null

  const names = (): ReadonlySet<string> => {
    partNames ??= namesIn(steps)
    return partNames
  }
  const quoteOf = (text: string): Quote => known(quotes, text, () => readQuote(text, names))
  const bareOf = (part: Part): BareText => {
    const found = bare.get(part) ?? withoutAnsi(part.text)
    bare.set(part, found)
    return found
  }
  const textOf = (part: Part, quote: Quote): BareText => (quote.ansi ? bareOf(part) : asItIs(part.text))
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
    let scan = createScan(pending.flatMap(landmarkOf), canStand, budget)
    for (let step = 0; step < steps.length && pending.length > 0; step++) {
      const found = new Set((steps[step]?.parts ?? []).flatMap((part) => [...scan(bareOf(part).text)]))
      const hit = [...found].filter((quote) => inStep(step, quote.text).length > 0)
      if (hit.length === 0) continue
      for (const quote of hit) elsewhere.set(quote.text, step)
      pending = pending.filter((quote) => !hit.includes(quote))
      scan = createScan(pending.flatMap(landmarkOf), canStand, budget)
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
      return readings.length === 0 ? text.trim() === '' : readings.some((reading) => reading.short)
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
const showsNothing = (text: string): boolean => foldText(text, { ansi: true }).trim() === ''

/** What a text must hold to hold the quote; a quote without a run that nothing touches is only looked for as it is written. */
const landmarkOf = (quote: Quote): [string, Quote][] => {
  const landmark = quote.ways().landmarks[0]?.run ?? quote.text
  return landmark.length < SHORTEST_LANDMARK ? [] : [[landmark, quote]]
}

const canStand = (quote: Quote, text: string, at: number): boolean => {
  const landmark = quote.ways().landmarks[0]
  return landmark === undefined || canStandAt(text, at, landmark)
}

const asItIs = (text: string): BareText => ({ text, toSource: (at) => at })

function known<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

const LONGEST_WINDOW = 16
const TABLE = 4096

/**
 * Looks for many strings in one pass: what belongs to those that a text holds, each at a place that is accepted.
 *
 * Wu and Manber, “A fast algorithm for multi-pattern searching” (1994), with blocks of two units: where the two units at the end of a window
 * stand in no string, the whole window is skipped. Strings are compared by the first units that the shortest of them has too, in a map, so that
 * many of them cost no more than one. Strings with one head are compared unit by unit: the comparisons are paid from `budget`, and nothing more is
 * found once the budget is used up.
 */
function createScan<T>(
  strings: readonly (readonly [string, T])[],
  accept: (value: T, text: string, at: number) => boolean,
  budget: Budget,
): (text: string) => Set<T> {
  const window = Math.min(LONGEST_WINDOW, ...strings.map(([string]) => string.length))
  const shift = new Uint8Array(TABLE).fill(Math.max(1, window - 1))
  const heads = new Map<string, (readonly [string, T])[]>()
  for (const one of strings) {
    const head = one[0].slice(0, window)
    heads.set(head, [...(heads.get(head) ?? []), one])
    for (let at = 1; at < window; at++) {
      const block = blockOf(head.charCodeAt(at - 1), head.charCodeAt(at))
      shift[block] = Math.min(shift[block] ?? 0, window - 1 - at)
    }
  }
  const compare = (text: string, start: number, end: number, found: Set<T>): void => {
    for (const [string, value] of heads.get(text.slice(start, end + 1)) ?? []) {
      if (found.has(value)) continue
      budget.left -= string.length
      if (budget.left < 0) return
      if (text.startsWith(string, start) && accept(value, text, start)) found.add(value)
    }
  }
  return (text) => {
    const found = new Set<T>()
    if (strings.length === 0) return found
    for (let end = window - 1; end < text.length && budget.left >= 0; ) {
      const skip = shift[blockOf(text.charCodeAt(end - 1), text.charCodeAt(end))] ?? 0
      if (skip > 0) {
        end += skip
        continue
      }
      const start = end + 1 - window
      compare(text, start, end, found)
      end++
    }
    return found
  }
}

const blockOf = (first: number, second: number): number => ((first << 5) ^ second) & (TABLE - 1)
