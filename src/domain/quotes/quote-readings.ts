import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { MAX_QUOTE_CHARS } from '../rubric/claims.ts'
import { decodeJson } from '../text/decode.ts'
import { unescapeWithin } from '../text/escape.ts'
import { foldText } from '../text/fold.ts'
import { plainLetters, readLetters } from '../text/letters.ts'
import { NormalText } from '../text/normal-text.ts'
import { dropEmphasis } from './quote-forms.ts'
import { type Edge, peel, withoutFrame } from './quote-wrapping.ts'

/** The passes that a quote and the text around a place of its letters go through before they are compared. */
export const QUOTE_PASSES = { white_space: true, typographic_quotes: true, unicode: true } as const

/** One way to read a quote: what is left of it when a wrapping is off, and its escapes read back or not. */
export interface Reading {
  /** Trimmed, nothing folded. */
  readonly text: string
  readonly used: readonly QuoteNormalization[]
  /** As it is compared with a text as it stands, and with one whose emphasis was dropped. */
  readonly whole: Compared
  readonly plain: Compared
  readonly edges: readonly Edge[]
  /** The names that the quote was set in: they must be those of the part. */
  readonly names: readonly string[]
}

/** A reading after the passes. */
interface Compared {
  readonly folded: string
  /** With its line breaks and tabs told apart, for texts whose escapes are read back. */
  readonly broken: string
  /** Too short to prove anything, unless it is a whole line. */
  readonly short: boolean
}

/** A quote with all the ways to read it, worked out once for all parts. */
export interface Quote {
  readonly text: string
  /** As written, it is too short to prove anything, unless it is a whole line. */
  readonly short: boolean
  /** Control sequences are dropped from the text only where the quote has none: one that it keeps must be right, digit by digit. */
  readonly ansi: boolean
  /** No text with fewer units can hold it. */
  readonly least: number
  /** Not asked for where the quote stands as it is written. */
  readonly ways: () => Ways
}

interface Ways {
  /** The plainest first. Empty where the quote's escapes stand for more than any quote may hold. */
  readonly readings: readonly Reading[]
  /**
   * The letters of the readings, as forms of a text may hold them. Empty where a reading has no letter, or the quote a control sequence, which can be
   * cut: such a quote can stand anywhere.
   */
  readonly letters: readonly string[]
  /** The most units before the first letter of a reading, or behind its last one. */
  readonly edge: number
}

const SHORT_QUOTE = 12
const MOST_LAYERS = 12
const LONGEST_EXPANSION = 4 * MAX_QUOTE_CHARS

/** `partNames`: the names that the quote can be set in, asked for where it does not stand as it is written. */
export function readQuote(text: string, partNames: () => ReadonlySet<string> = () => new Set()): Quote {
  const plain = unescapeWithin(text, LONGEST_EXPANSION)
  const visible = visibleIn(plain ?? '')
  let ways: Ways | null = null
  return {
    text,
    short: plain !== null && visible < SHORT_QUOTE,
    ansi: plain?.includes('\u001b') === false,
    least: Math.min(text.length, SHORT_QUOTE, visible >> 3),
    ways() {
      ways ??= plain === null ? { readings: [], letters: [], edge: 0 } : readWays(plain, partNames())
      return ways
    },
  }
}

function readWays(plain: string, partNames: ReadonlySet<string>): Ways {
  const decoded = readBack(plain)
  const layers = layersOf(plain, partNames)
  const all = [
    ...layers.flatMap((layer) => [
      layer,
      { ...layer, text: readBack(layer.text), used: [...layer.used, 'escapes' as const] },
    ]),
    ...layersOf(decoded, partNames).map((layer) => ({ ...layer, used: [...layer.used, 'escapes' as const] })),
  ]
  const readings: Reading[] = []
  for (const layer of all)
    if (!readings.some((reading) => reading.text === layer.text)) readings.push(createReading(layer.text, layer))
  const held = readings.filter((reading) => reading.whole.folded !== '')
  const letters = new Set(held.flatMap(({ text }) => readLetters(text).map((form) => form.text)))
  return {
    readings: held,
    letters: letters.has('') || plain.includes('\u001b') ? [] : [...letters],
    edge: Math.max(0, ...held.map(({ text }) => edgeOf(text))),
  }
}

function edgeOf(text: string): number {
  const { from } = plainLetters(text)
  return Math.max(from[0] ?? text.length, text.length - (from.at(-1) ?? 0) - 1)
}

const readBack = (text: string): string => decodeJson(new NormalText(text)).text

type Layer = Pick<Reading, 'text' | 'used' | 'edges' | 'names'>

/** The quote as it is, and with one layer of wrapping after the other taken off, outside in. */
function layersOf(text: string, partNames: ReadonlySet<string>): Layer[] {
  const layers: Layer[] = [{ text, used: [], edges: [], names: [] }]
  for (const layer of layers)
    for (const next of [...withoutName(layer, partNames), ...withoutWrapping(layer)])
      if (next.text !== '' && layers.length < MOST_LAYERS && layers.every((layer) => layer.text !== next.text))
        layers.push(next)
  return layers
}

const withoutWrapping = (layer: Layer): Layer[] =>
  peel(layer.text).map((peeled) => ({
    ...layer,
    text: peeled.text,
    used: [...new Set([...layer.used, peeled.layer])],
    edges: peeled.edge === null ? layer.edges : [...layer.edges, peeled.edge],
  }))

function withoutName(layer: Layer, partNames: ReadonlySet<string>): Layer[] {
  const framed = withoutFrame(layer.text, partNames)
  if (framed === null) return []
  const used = [...new Set([...layer.used, 'wrapping' as const])]
  return [{ ...layer, text: framed.text, used, names: [...layer.names, framed.name] }]
}

function visibleIn(text: string): number {
  let visible = 0
  for (const character of text) if ((character > ' ' && character <= '~') || character.trim() !== '') visible++
  return visible
}

const createReading = (text: string, layer: Omit<Layer, 'text'>): Reading => ({
  ...layer,
  text,
  whole: compared(text),
  plain: compared(dropEmphasis(new NormalText(text)).text),
})

const compared = (text: string): Compared => ({
  folded: foldText(text, QUOTE_PASSES).trim(),
  broken: foldText(text, { ...QUOTE_PASSES, breaks: true }).trim(),
  short: visibleIn(text) < SHORT_QUOTE,
})
