import type { Anchors } from '../anchors/anchors.ts'
import { exactLetters, type Letters, plainLetters, symbolsOf } from '../text/letters.ts'

/** A string that shows an instruction, and its origin. `whole`: the instruction's own text. */
export interface Needle {
  /** The name of the instruction. */
  readonly which: string
  readonly kind: 'whole' | 'given' | 'derived'
  readonly text: string
  readonly letters: Letters
  /** The letters without case, but with those that a scan confuses told apart. */
  readonly exact: string
  /** The punctuation before its first letter and behind its last one. */
  readonly before: string
  readonly behind: string
  /** The needle has no letter or digit: its visible characters are taken for letters. */
  readonly isSymbolic: boolean
  /** Too few letters to be sure of, unless the string stands there as it is written. */
  readonly isShort: boolean
  /** Enough letters to be sure of, whatever stands between them. */
  readonly isLong: boolean
}

/** A string that is looked for. `piece`: the letter of the needle at which it begins. */
export interface Entry {
  readonly needle: number
  readonly piece: number
  readonly string: string
}

/** The entry is the whole needle. */
export const WHOLE = -1
/** The entry is the needle in an encoding. */
export const ENCODED = -2

/** Strings that are looked for together. */
export interface Needles {
  readonly all: readonly Needle[]
  readonly entries: readonly Entry[]
  /** Entries of needles without a letter or digit. */
  readonly symbols: readonly Entry[]
}

const SHORT = 12
const LONG = 24
/** Texts of fewer visible characters are not looked for in pieces: a piece would be a common phrase. */
const SHORTEST_IN_PIECES = 24
/** No agent makes up texts of so many letters by itself. */
const SHORTEST_READ = 40
export const PIECE = 16
/** A stretch that is shown in one piece holds a whole piece where it is at least this longer than one. */
const STRIDE = 8
/** Needles that are looked for in an encoding, of one question. */
const MOST_ENCODED = 16

/** Prepares the anchors of a question. */
export function prepareNeedles(anchors: Anchors): Needles {
  const strings: Wanted[] = []
  for (const which in anchors) {
    const { seen_given = [], seen_derived = [] } = anchors[which] ?? {}
    for (const [index, text] of seen_given.entries()) strings.push([which, index === 0 ? 'whole' : 'given', text])
    for (const text of seen_derived) strings.push([which, 'derived', text])
  }
  return needlesOf(strings)
}

/** Prepares strings that are looked for by themselves, whole. */
export const stringNeedles = (strings: readonly string[]): Needles =>
  needlesOf([...new Set(strings)].map((text) => ['', 'given', text]))

type Wanted = readonly [which: string, kind: Needle['kind'], text: string]

/** The last questions asked: the trials of a task ask for the same strings. */
const kept = new Map<string, Needles>()
const MOST_KEPT = 32

function needlesOf(strings: readonly Wanted[]): Needles {
  const key = JSON.stringify(strings)
  const known = kept.get(key)
  if (known !== undefined) return known
  const all = strings.map(toNeedle).filter(({ letters }) => letters.text !== '')
  const entriesWhere = (isSymbolic: boolean): Entry[] =>
    all.flatMap((one, needle) => (one.isSymbolic === isSymbolic ? entriesOf(one, needle) : []))
  const needles = { all, entries: entriesWhere(false), symbols: entriesWhere(true) }
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(key, needles)
  return needles
}

function toNeedle([which, kind, text]: Wanted): Needle {
  const plain = plainLetters(text.trim())
  const isSymbolic = plain.text === ''
  const letters = isSymbolic ? symbolsOf(plain) : plain
  const { from, shown } = letters
  return {
    which,
    kind,
    text,
    letters,
    exact: exactLetters(letters, 0, from.length),
    before: shown.text.slice(0, from[0] ?? 0),
    behind: shown.text.slice((from.at(-1) ?? 0) + 1),
    isSymbolic,
    isShort: from.length < SHORT || isSymbolic,
    isLong: from.length >= LONG && !isSymbolic,
  }
}

function entriesOf(one: Needle, needle: number): Entry[] {
  const { text } = one.letters
  const whole = { needle, piece: WHOLE, string: text }
  const pieces = piecesOf(one).map((piece) => ({ needle, piece, string: text.slice(piece, piece + PIECE) }))
  const isEncoded = one.which !== '' && one.kind !== 'derived' && !one.isShort && needle < MOST_ENCODED
  const encoded = isEncoded ? encodedForms(one.text) : []
  return [whole, ...pieces, ...encoded.map((form) => ({ needle, piece: ENCODED, string: plainLetters(form).text }))]
}

/** An instruction’s own text, of which pieces are looked for, too. */
export const isInPieces = ({ kind, exact, letters }: Needle): boolean =>
  kind === 'whole' && exact.length >= PIECE && letters.shown.text.replaceAll(/\s/g, '').length >= SHORTEST_IN_PIECES

/** An instruction’s own text that is too long to be written down by chance. */
export const isLongWhole = ({ kind, exact }: Needle): boolean => kind === 'whole' && exact.length >= SHORTEST_READ

/** Lists the beginnings of the pieces of a long needle: each overlaps the next, the last one ends with it. Of equal ones only the first. */
function piecesOf(needle: Needle): number[] {
  if (!isInPieces(needle)) return []
  const { text } = needle.letters
  const starts = new Map<string, number>()
  const add = (start: number): void => {
    const piece = text.slice(start, start + PIECE)
    if (!starts.has(piece)) starts.set(piece, start)
  }
  for (let start = 0; start + PIECE < text.length; start += STRIDE) add(start)
  add(text.length - PIECE)
  return [...starts.values()]
}

/** Bytes of a text that are looked for in an encoding: no others begin like them. */
const MOST_BYTES = 48
const LEAST_BYTES = 12

/**
 * Encodes the longest line of a text in base64, wherever its bytes fall among the others, and in hexadecimal digits. Case and line breaks are for the
 * search to leave out.
 */
function encodedForms(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const longest = lines.reduce((most, line) => (line.length > most.length ? line : most), '')
  const bytes = Buffer.from(longest).subarray(0, MOST_BYTES)
  return bytes.length < LEAST_BYTES ? [] : [...[0, 1, 2].map((shift) => base64At(bytes, shift)), bytes.toString('hex')]
}

/** Only the digits that the bytes alone decide, behind `shift` others. */
function base64At(bytes: Buffer, shift: number): string {
  const digits = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}
