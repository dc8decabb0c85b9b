import { endOfAnsi } from '../text/fold.ts'

/** A text made from another, each UTF-16 unit knowing the range of the other that it stands for. */
export interface MappedText {
  readonly text: string
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** `source[start, end)` as it stands. */
export function mapWhole(source: string, start: number, end: number): MappedText {
  const from = new Uint32Array(end - start)
  const to = new Uint32Array(end - start)
  for (let at = start; at < end; at++) {
    from[at - start] = at
    to[at - start] = at + 1
  }
  return { text: source.slice(start, end), from, to }
}

/** Collects the units of a text that is made from another. */
class MappedUnits {
  readonly #codes: Uint16Array<ArrayBuffer>
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  length = 0

  constructor(room: number) {
    this.#codes = new Uint16Array(room)
    this.#from = new Uint32Array(room)
    this.#to = new Uint32Array(room)
  }

  push(code: number, from: number, to: number): void {
    this.#codes[this.length] = code
    this.#from[this.length] = from
    this.#to[this.length++] = to
  }

  finish(): MappedText {
    return {
      text: Buffer.from(this.#codes.buffer, 0, this.length * 2).toString('utf16le'),
      from: this.#from.subarray(0, this.length),
      to: this.#to.subarray(0, this.length),
    }
  }
}

/** The text without the units that are marked. */
export function withoutUnits(mapped: MappedText, dropped: Uint8Array): MappedText {
  const units = new MappedUnits(mapped.text.length)
  for (let at = 0; at < mapped.text.length; at++) {
    if (dropped[at] !== 1) units.push(mapped.text.charCodeAt(at), mapped.from[at] ?? 0, mapped.to[at] ?? 0)
  }
  return units.finish()
}

/** Escapes of a JSON string, read back by one level. `\b` and `\f` are left as they are: what they stand for is not quoted. */
const SHORT: ReadonlyMap<number, number> = new Map(
  [...'nrt"/\\'].map((letter, index) => [letter.charCodeAt(0), '\n\r\t"/\\'.charCodeAt(index)] as const),
)
const BACKSLASH = 0x5c
const LETTER_U = 0x75

/** The text with its escapes read back by one level. What is no escape stays. Linear. */
export function readEscapes(mapped: MappedText): MappedText {
  const { text, from, to } = mapped
  const units = new MappedUnits(text.length)
  for (let at = 0; at < text.length; at++) {
    const length = text.charCodeAt(at) === BACKSLASH ? escapeLength(text, at) : 1
    units.push(length === 1 ? text.charCodeAt(at) : escaped(text, at), from[at] ?? 0, to[at + length - 1] ?? 0)
    at += length - 1
  }
  return units.finish()
}

/** How many units the escape at a backslash has; 1: it is none. */
function escapeLength(text: string, at: number): number {
  const letter = text.charCodeAt(at + 1)
  if (SHORT.has(letter)) return 2
  if (letter !== LETTER_U) return 1
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHexDigit(text.charCodeAt(digit))) return 1
  return 6
}

const escaped = (text: string, at: number): number =>
  SHORT.get(text.charCodeAt(at + 1)) ?? Number.parseInt(text.slice(at + 2, at + 6), 16)

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)

const LINE_FEED = 0x0a
const LONGEST_MARK = 3

/** A run of one mark, as it may open or close an emphasis. */
interface Mark {
  readonly text: string
  readonly opens: boolean
  readonly closes: boolean
}

/**
 * The text without its Markdown emphasis: pairs of `*`, `**`, `***`, the same of `_`, and backticks around words, on one line. A mark
 * inside a word (`2*3*4`, `snake_case_name`) or with white space on both sides (`a * b`) is none. Linear.
 */
export function dropEmphasis(mapped: MappedText): MappedText {
  let dropped: Uint8Array | null = null
  for (const { opener, closer, length } of pairsIn(mapped.text)) {
    dropped ??= new Uint8Array(mapped.text.length)
    dropped.fill(1, opener, opener + length)
    dropped.fill(1, closer, closer + length)
  }
  return dropped === null ? mapped : withoutUnits(mapped, dropped)
}

export const hasEmphasis = (text: string): boolean => pairsIn(text).next().done !== true

/** Where two marks stand that make a pair, and how long each of them is. */
interface Pair {
  readonly opener: number
  readonly closer: number
  readonly length: number
}

function* pairsIn(text: string): Generator<Pair> {
  const open = new Map<string, number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED) open.clear()
    if (!isMark(code)) continue
    const mark = readMark(text, at)
    const opener = open.get(mark.text)
    if (mark.closes && opener !== undefined) {
      yield { opener, closer: at, length: mark.text.length }
      open.delete(mark.text)
    } else if (mark.opens) open.set(mark.text, at)
    at += mark.text.length - 1
  }
}

/** `*`, `_` and the backtick. */
export const isMark = (code: number): boolean => code === 0x2a || code === 0x5f || code === 0x60

function readMark(text: string, start: number): Mark {
  let end = start + 1
  while (text[end] === text[start]) end++
  const mark = text.slice(start, end)
  const fits = mark.length <= LONGEST_MARK
  const before = kindOf(text, start - 1)
  const after = kindOf(text, end)
  return {
    text: mark,
    opens: fits && before !== 'word' && after !== 'space',
    closes: fits && before !== 'space' && after !== 'word',
  }
}

function kindOf(text: string, at: number): 'word' | 'space' | 'other' {
  const character = text[at] ?? ' '
  if (character.trim() === '') return 'space'
  const code = character.charCodeAt(0)
  const isAscii = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  return isAscii || (code >= 0xc0 && code < 0x2000) || code >= 0x3000 ? 'word' : 'other'
}

/** A text without its terminal control sequences, and the way back. */
export interface BareText {
  readonly text: string
  /** The source offset of a unit. */
  toSource(at: number): number
}

const ESCAPE = '\u001b'

/** Linear; what has no control sequence is not copied. */
export function withoutAnsi(source: string): BareText {
  /** Where in the text each cut stands, and how many units were cut up to and with it. */
  const places: number[] = []
  const removed: number[] = []
  const pieces: string[] = []
  let from = 0
  let gone = 0
  for (let at = source.indexOf(ESCAPE); at !== -1; ) {
    const end = endOfAnsi(source, at, source.length)
    if (end > at) {
      pieces.push(source.slice(from, at))
      places.push(at - gone)
      gone += end - at
      removed.push(gone)
      from = end
    }
    at = source.indexOf(ESCAPE, Math.max(end, at + 1))
  }
  if (places.length === 0) return { text: source, toSource: (at) => at }
  pieces.push(source.slice(from))
  const cutsUpTo = (at: number) => {
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle] ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }
  const toSource = (at: number) => at + (removed[cutsUpTo(at) - 1] ?? 0)
  return { text: pieces.join(''), toSource }
}
