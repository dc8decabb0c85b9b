import type { QuoteNormalization } from '../../schemas/vocabulary.ts'
import { MAX_QUOTE_CHARS } from '../rubric/claims.ts'
import { unescapeWithin } from '../text/escape.ts'
import { foldText } from '../text/fold.ts'
import { dropEmphasis, mapWhole, readEscapes } from './mapped-text.ts'
import { type Chain, type Landmark, readChain, readLandmarks } from './quote-probe.ts'
import { type Edge, peel, withoutFrame } from './quote-wrapping.ts'

/** One way to read a quote: what is left of it when a wrapping is off, and its escapes read back or not. */
export interface Reading {
  /** Trimmed, nothing folded. */
  readonly text: string
  readonly used: readonly QuoteNormalization[]
  /** As it is compared: white space and typographic quotes folded. */
  readonly folded: string
  /** The same with its line breaks and tabs told apart, for texts whose escapes are read back. */
  readonly broken: string
  /** The same without Markdown emphasis. */
  readonly plain: string
  readonly plainBroken: string
  /** Too short to prove anything, unless it is a whole line. */
  readonly short: boolean
  readonly shortPlain: boolean
  readonly edges: readonly Edge[]
  /** The names that the quote was set in: they must be those of the part. */
  readonly names: readonly string[]
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
  /** A text that holds the quote holds them all as they are. */
  readonly landmarks: readonly Landmark[]
  /** What follows the first of them; null: there is none. */
  readonly chain: Chain | null
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
      ways ??= plain === null ? { readings: [], landmarks: [], chain: null } : readWays(plain, partNames())
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
    if (!readings.some((one) => one.text === layer.text)) readings.push(createReading(layer.text, layer))
  const held = readings.filter((reading) => reading.folded !== '')
  const core = held.reduce<Reading | undefined>(
    (least, one) => (least && least.text.length <= one.text.length ? least : one),
    undefined,
  )
  const landmarks = readLandmarks(core?.plain ?? '').filter(({ run }) => held.every((one) => one.text.includes(run)))
  return { readings: held, landmarks, chain: readChain(core?.plain ?? '', landmarks) }
}

const readBack = (text: string): string => readEscapes(mapWhole(text, 0, text.length)).text

type Layer = Pick<Reading, 'text' | 'used' | 'edges' | 'names'>

/** The quote as it is, and with one layer of wrapping after the other taken off, outside in. */
function layersOf(text: string, partNames: ReadonlySet<string>): Layer[] {
  const layers: Layer[] = [{ text, used: [], edges: [], names: [] }]
  for (const layer of layers)
    for (const next of [...withoutName(layer, partNames), ...withoutWrapping(layer)])
      if (next.text !== '' && layers.length < MOST_LAYERS && layers.every((one) => one.text !== next.text))
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

function createReading(text: string, layer: Omit<Layer, 'text'>): Reading {
  const foldOne = (one: string, breaks = false) => foldText(one, { ansi: false, breaks }).trim()
  const plain = dropEmphasis(mapWhole(text, 0, text.length)).text
  return {
    ...layer,
    text,
    folded: foldOne(text),
    broken: foldOne(text, true),
    plain: foldOne(plain),
    plainBroken: foldOne(plain, true),
    short: visibleIn(text) < SHORT_QUOTE,
    shortPlain: visibleIn(plain) < SHORT_QUOTE,
  }
}
