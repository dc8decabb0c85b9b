import { unescapeView } from './escape.ts'
import { type Folded, fold } from './fold.ts'
import type { Rendering } from './rendering.ts'
import type { Position } from './trajectory.ts'
import { isShown, type PartView, type Range, toSource } from './view.ts'

const SHORT_QUOTE = 12

/** Where a quote stands in one part, and how exactly. Offsets are those of the part's source text. */
export interface Place {
  readonly position: Position
  readonly match: 'verified' | 'normalized'
  readonly start: number
  readonly end: number
  readonly occurrences: number
}

/** Finds quotes in parts as the judge was shown them. Folded forms are kept, so a second quote costs no second fold. */
export interface Locator {
  /** Every part of the step that holds the quote, best rung of the ladder only. */
  inStep(step: number, quote: string): readonly Place[]
  /** The first step that holds the quote exactly, else after folding; null: nowhere. */
  anywhere(quote: string): number | null
}

export function createLocator(rendering: Rendering): Locator {
  const folds = new Map<string, readonly Folded[]>()
  const foldedOf = (position: Position, view: PartView, ansi: boolean) => {
    const key = `${position.step}/${position.part}/${ansi}`
    const known =
      folds.get(key) ?? shownRanges(view).map((range) => fold(view.source, { ansi }, range.start, range.end))
    folds.set(key, known)
    return known
  }
  const partsOf = (step: number): Position[] =>
    (rendering.trajectory.steps[step]?.parts ?? []).map((_, part) => ({ step, part }))
  const search = (step: number, quote: Quote, ladder: readonly Rung[]): Place[] => {
    for (const rung of ladder) {
      const places = partsOf(step).flatMap((position) => {
        const view = rendering.view(position)
        const found = rung(view, quote, (ansi) => foldedOf(position, view, ansi))
        return found === null ? [] : [{ position, ...found }]
      })
      if (places.length > 0) return places
    }
    return []
  }
  return {
    inStep: (step, text) => search(step, createQuote(text), [exact, folded]),
    anywhere(text) {
      const quote = createQuote(text)
      for (const rung of [exact, folded]) {
        for (let step = 0; step < rendering.trajectory.steps.length; step++) {
          if (search(step, quote, [rung]).length > 0) return step
        }
      }
      return null
    },
  }
}

type Found = Omit<Place, 'position'>
type Rung = (view: PartView, quote: Quote, foldedOf: (ansi: boolean) => readonly Folded[]) => Found | null

/** A quote with its fold, which is worked out once for all parts: read back from its escapes it can be 6,000 times as long. */
interface Quote {
  readonly text: string
  readonly fold: () => { readonly needle: string; readonly ansi: boolean }
}

function createQuote(text: string): Quote {
  let known: ReturnType<Quote['fold']> | null = null
  return {
    text,
    fold() {
      known ??= foldQuote(text)
      return known
    },
  }
}

function foldQuote(text: string): ReturnType<Quote['fold']> {
  const plain = unescapeView(text)
  return { needle: fold(plain, { ansi: false }).text.trim(), ansi: !plain.includes('\u001b') }
}

/** As the source has it, or as shown. The source first: an escape in the view can begin like the text that it stands for. */
const exact: Rung = (view, quote) => {
  const plain = firstShown(view.source, quote.text, (range) => (isShown(view, range) ? range : null))
  if (plain !== null || view.edits.length === 0) return plain
  return firstShown(view.text, quote.text, (range) => toSource(view, range))
}

function firstShown(text: string, quote: string, map: (range: Range) => Range | null): Found | null {
  let first: Range | null = null
  let occurrences = 0
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + quote.length)) {
    const range = map({ start: at, end: at + quote.length })
    if (range !== null) {
      first ??= range
      occurrences++
    }
  }
  return first === null ? null : { match: 'verified', ...first, occurrences }
}

/**
 * Folded on both sides. Control sequences are only folded away in the source when the quote has none of its own: a quote that
 * keeps them must have them right, digit by digit.
 */
const folded: Rung = (_view, quote, foldedOf) => {
  const { needle, ansi } = quote.fold()
  if (needle === '') return null
  let first: Range | null = null
  let occurrences = 0
  for (const hay of foldedOf(ansi)) {
    for (let at = hay.text.indexOf(needle); at !== -1; at = hay.text.indexOf(needle, at + needle.length)) {
      first ??= { start: hay.from[at] ?? 0, end: (hay.from[at + needle.length - 1] ?? 0) + 1 }
      occurrences++
    }
  }
  return first === null ? null : { match: 'normalized', ...first, occurrences }
}

function shownRanges(view: PartView): Range[] {
  const ranges: Range[] = []
  let at = 0
  for (const hidden of view.hidden) {
    if (hidden.start > at) ranges.push({ start: at, end: hidden.start })
    at = hidden.end
  }
  if (at < view.source.length) ranges.push({ start: at, end: view.source.length })
  return ranges
}

/** Under twelve visible characters a quote proves nothing, unless it is a whole line of the step. */
export function isTooShort(rendering: Rendering, step: number, quote: string): boolean {
  let visible = 0
  const plain = unescapeView(quote)
  for (const character of plain) if (character.trim() !== '' && ++visible === SHORT_QUOTE) return false
  const line = fold(plain, { ansi: true }).text.trim()
  return line === '' || !(rendering.trajectory.steps[step]?.parts ?? []).some((part) => hasLine(part.text, line))
}

function hasLine(text: string, line: string): boolean {
  let start = 0
  while (start <= text.length) {
    const stop = text.indexOf('\n', start)
    const end = stop === -1 ? text.length : stop
    if (end - start <= 4 * line.length + 64 && fold(text, { ansi: true }, start, end).text.trim() === line) return true
    start = end + 1
  }
  return false
}
