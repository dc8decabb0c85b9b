import { type MappedText, withoutUnits } from './mapped-text.ts'

const LINE_FEED = 0x0a
const LONGEST_MARK = 3

/** A run of one mark, as it may open or close an emphasis. */
interface Mark {
  readonly start: number
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
    start,
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
