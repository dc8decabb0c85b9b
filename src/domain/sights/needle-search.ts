import type { Anchors } from '../anchors/anchors.ts'
import { once } from '../result.ts'
import { exactLetters, foldVisible, type Letters, lettersOfPart, plainLetters, symbolsOf } from '../text/letters.ts'
import { foldForSearch, isWord } from '../text/search.ts'
import type { Hit } from '../trajectory/trajectory.ts'

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
export const prepareNeedles = once((anchors: Anchors): Needles => {
  const wanted = Object.entries(anchors).flatMap(([which, own]): Wanted[] => [
    ...(own?.seen_given ?? []).map((text, index): Wanted => [which, index === 0 ? 'whole' : 'given', text]),
    ...(own?.seen_derived ?? []).map((text): Wanted => [which, 'derived', text]),
  ])
  return needlesOf(wanted)
}, new WeakMap())

/** Prepares strings that are looked for by themselves, whole. */
export const stringNeedles = (strings: readonly string[]): Needles =>
  needlesOf([...new Set(strings)].map((text) => ['', 'given', text]))

type Wanted = readonly [which: string, kind: Needle['kind'], text: string]

function needlesOf(wanted: readonly Wanted[]): Needles {
  const all = wanted.map(toNeedle).filter(({ letters }) => letters.text !== '')
  const entriesWhere = (isSymbolic: boolean): Entry[] =>
    all.flatMap((one, needle) => (one.isSymbolic === isSymbolic ? entriesOf(one, needle) : []))
  return { all, entries: entriesWhere(false), symbols: entriesWhere(true) }
}

function toNeedle([which, kind, text]: Wanted): Needle {
  const plain = plainLetters(text.trim())
  const isSymbolic = plain.text === ''
  const letters = isSymbolic ? symbolsOf(plain) : plain
  const { from, shown } = letters
  return {
    ...{ which, kind, text, letters, isSymbolic, exact: exactLetters(letters, 0, from.length) },
    ...{ before: shown.text.slice(0, from[0] ?? 0), behind: shown.text.slice((from.at(-1) ?? 0) + 1) },
    ...{ isShort: from.length < SHORT || isSymbolic, isLong: from.length >= LONG && !isSymbolic },
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
  const last = text.length - PIECE
  const starts = new Map<string, number>()
  for (let start = 0; start < last + STRIDE; start += STRIDE) {
    const own = Math.min(start, last)
    const piece = text.slice(own, own + PIECE)
    if (!starts.has(piece)) starts.set(piece, own)
  }
  return [...starts.values()]
}

/** Bytes of a text that are looked for in an encoding: no others begin like them. */
const MOST_BYTES = 48
const LEAST_BYTES = 12

/** Encodes the longest line in base64, at each of three offsets, and in hexadecimal; the search leaves out case and line breaks. */
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

/** A needle, or a piece of one, in a form of a text. `first` and `last` are letters of the form, `start` and `end` offsets of the text. */
export interface Match {
  readonly entry: Entry
  readonly needle: Needle
  readonly letters: Letters
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
  /** A whole needle, and no letters that a scan confuses; but for a long needle the same punctuation, too, white space and marks of lines apart. */
  readonly isSame: boolean
}

/** Searches forms of a text one by one for all needles, calls `onMatch` for each wanted match of whole words; false ends the search. */
export function eachMatch(
  needles: Needles,
  forms: readonly Letters[],
  wanted: (entry: Entry) => boolean,
  onMatch: (match: Match) => boolean,
): void {
  const isOver = (letters: Letters, entries: readonly Entry[]): boolean => {
    for (const { entry, first } of candidatesIn(letters, entries, wanted)) {
      const match = wanted(entry) ? matchOf(needles, letters, entry, first) : null
      if (match !== null && !onMatch(match)) return true
    }
    return false
  }
  /** With the marks of its lines: symbols may be among them. */
  const plain = forms.findLast(({ kind }) => kind === 'plain')
  if (forms.some((letters) => isOver(letters, needles.entries))) return
  if (needles.symbols.length > 0 && plain !== undefined) isOver(symbolsOf(plain), needles.symbols)
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 20_000

/** Lists the places where needles surely stand in a text, up to a number of each needle. Linear. */
export function surePlaces(needles: Needles, text: string, forms: readonly Letters[]) {
  const found = new Map<string, Pick<Hit, 'needle' | 'start' | 'end'>>()
  const told = new Uint32Array(needles.all.length)
  const compared = new Uint32Array(needles.all.length)
  const wanted = ({ needle, piece }: Entry): boolean =>
    piece === WHOLE && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
  eachMatch(needles, forms, wanted, (match) => {
    const { entry, needle, start, end } = match
    const key = `${entry.needle}/${start}`
    compared[entry.needle] = (compared[entry.needle] ?? 0) + 1
    if (found.has(key) || !isSure(text, match)) return true
    told[entry.needle] = (told[entry.needle] ?? 0) + 1
    found.set(key, { needle: needle.text, start, end })
    return true
  })
  return [...found.values()]
}

/** Finds the first needle that surely stands in a part; null: none does. */
export const findNeedle = (needles: Needles, part: { readonly text: string }) =>
  surePlaces(needles, part.text, lettersOfPart(part)).toSorted((a, b) => a.start - b.start)[0] ?? null

/** Makes the match of a candidate; null: a longer word stands there, or a short needle with other letters or punctuation. */
function matchOf({ all }: Needles, letters: Letters, entry: Entry, first: number): Match | null {
  const needle = all[entry.needle] as Needle
  const { shown, from } = letters
  const end = first + entry.string.length
  const begins = from[first] ?? 0
  const ends = (from[end - 1] ?? 0) + 1
  const place = { entry, needle, letters, first, last: end - 1 }
  if (entry.piece !== WHOLE) return { ...place, ...shown.range(begins, ends), isSame: false }
  const { before, behind } = needle
  const [leads, tails] = [isEdge(shown.text, begins - before.length, before), isEdge(shown.text, ends, behind)]
  const starts = leads ? begins - before.length : begins
  const stops = tails ? ends + behind.length : ends
  if (isInWord(shown.text, starts) || isInWord(shown.text, stops)) return null
  const isExact = exactLetters(letters, first, end) === needle.exact
  const isSame = isExact && (needle.isLong || (leads && tails && isPunctuatedAs(needle, letters, first, end)))
  return needle.isShort && !isSame ? null : { ...place, ...shown.range(starts, stops), isSame }
}

/** Lists pieces in the order of the text, then whole needles, of which a certain one ends the search for more. Places may overlap. */
function* candidatesIn({ text }: Letters, entries: readonly Entry[], wanted: (entry: Entry) => boolean) {
  const pieces: { readonly entry: Entry; readonly first: number }[] = []
  const next = ({ string }: Entry, from: number): number => text.indexOf(string, from)
  for (const entry of entries)
    if (entry.piece >= 0 && wanted(entry))
      for (let first = next(entry, 0); first !== -1; first = next(entry, first + 1)) pieces.push({ entry, first })
  yield* pieces.sort((a, b) => a.first - b.first)
  for (const entry of entries)
    if (entry.piece < 0 && wanted(entry))
      for (let first = next(entry, 0); first !== -1 && wanted(entry); first = next(entry, first + 1))
        yield { entry, first }
}

/** Tests whether the character at a place continues a word. */
export const isInWord = (text: string, at: number): boolean =>
  at > 0 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at))

/** Tests whether a match of a whole needle is sure: a short needle as it is written, a long one by its letters alone. */
export const isSure = (text: string, { needle, isSame, start, end }: Match): boolean =>
  isSame && (!needle.isShort || isAsWritten(text.slice(start, end), needle.text))

/** Tests whether a text is the needle as it is written, but for white space, quotation marks, control sequences and disguises. */
function isAsWritten(text: string, needle: string): boolean {
  const composed = (one: string): string => foldForSearch(one.normalize('NFC').replaceAll('\0', ' '))
  return text === needle || (text.length <= 40 * needle.length && composed(text) === composed(needle))
}

/** Tests whether the punctuation of a needle stands between letters, marks at the ends of lines apart. */
function isPunctuatedAs({ letters: own }: Needle, letters: Letters, first: number, end: number): boolean {
  const written = punctuated(own, 0, own.from.length, false)
  if (punctuated(letters, first, end, false) === written) return true
  const unmarked = punctuated(letters, first, end, true)
  return unmarked === written || unmarked === punctuated(own, 0, own.from.length, true)
}

/** Tests whether the punctuation at an end of a needle stands at a place; blanks within may differ. */
const isEdge = (text: string, at: number, edge: string): boolean =>
  edge === '' || (at >= 0 && foldVisible(text.slice(at, at + edge.length)) === foldVisible(edge))

/** Writes letters with the punctuation between them. `isUnmarked`: without the frame at the ends of lines and all that stands before the next letter. */
function punctuated({ text, shown, from }: Letters, first: number, end: number, isUnmarked: boolean): string {
  const out: string[] = []
  for (let at = first; at < end - 1; at++) {
    out.push(text.charAt(at))
    const next = (from[at] ?? 0) + 1
    if (from[at + 1] === next) continue
    const gap = shown.text.slice(next, from[at + 1])
    const line = isUnmarked ? gap.indexOf('\n') : -1
    out.push(foldVisible(line === -1 ? gap : withoutFrame(gap.slice(0, line))))
  }
  return out.join('')
}

/** Drops the end of a line in a box or in `cat -A`, or the backslash that joins it with the next one. */
function withoutFrame(line: string): string {
  let end = line.length
  while (end > 0 && /[\0- $|\\\u2500-\u259f]/.test(line.charAt(end - 1))) end--
  return line.slice(0, end)
}
