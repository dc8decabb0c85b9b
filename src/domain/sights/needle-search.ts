import type { Anchors } from '../anchors/anchors.ts'
import { once } from '../result.ts'
import { exactLetters, foldVisible, type Letters, plainLetters, sourceOf, symbolsOf } from '../text/letters.ts'
import { isWord } from '../text/search.ts'
import type { Part } from '../trajectory/trajectory.ts'

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
  /** An instruction’s own text, of which pieces are looked for, too. */
  readonly isInPieces: boolean
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
  const entries = all.flatMap(entriesOf)
  const isSymbolic = ({ needle }: Entry): boolean => all[needle]?.isSymbolic === true
  return { all, entries: entries.filter((one) => !isSymbolic(one)), symbols: entries.filter(isSymbolic) }
}

function toNeedle([which, kind, text]: Wanted): Needle {
  const plain = plainLetters(text.trim())
  const isSymbolic = plain.text === ''
  const letters = isSymbolic ? symbolsOf(plain) : plain
  const { from, shown } = letters
  const exact = exactLetters(letters, 0, from.length)
  const visible = shown.text.replaceAll(/\s/g, '').length
  return {
    which,
    kind,
    text,
    letters,
    isSymbolic,
    exact,
    before: shown.text.slice(0, from[0] ?? 0),
    behind: shown.text.slice((from.at(-1) ?? 0) + 1),
    isShort: from.length < SHORT || isSymbolic,
    isLong: from.length >= LONG && !isSymbolic,
    isInPieces: kind === 'whole' && exact.length >= PIECE && visible >= SHORTEST_IN_PIECES,
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

/** Lists the beginnings of the pieces of a long needle: each overlaps the next, the last one ends with it. Of equal ones only the first. */
function piecesOf(needle: Needle): number[] {
  if (!needle.isInPieces) return []
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
  const searches = forms.map((letters) => ({ letters, entries: needles.entries }))
  /** With the marks of its lines: symbols may be among them. */
  const plain = needles.symbols.length === 0 ? undefined : forms.findLast(({ kind }) => kind === 'plain')
  if (plain !== undefined) searches.push({ letters: symbolsOf(plain), entries: needles.symbols })
  for (const { letters, entries } of searches)
    for (const { entry, first } of candidatesIn(letters, entries, wanted)) {
      const match = wanted(entry) ? matchOf(needles, letters, entry, first) : null
      if (match !== null && !onMatch(match)) return
    }
}

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
  for (const entry of entries)
    if (entry.piece >= 0 && wanted(entry))
      for (let first = text.indexOf(entry.string); first !== -1; first = text.indexOf(entry.string, first + 1))
        pieces.push({ entry, first })
  yield* pieces.sort((a, b) => a.first - b.first)
  for (const entry of entries) {
    if (entry.piece >= 0 || !wanted(entry)) continue
    let first = text.indexOf(entry.string)
    for (; first !== -1 && wanted(entry); first = text.indexOf(entry.string, first + 1)) yield { entry, first }
  }
}

/** Tests whether the character at a place continues a word. */
const isInWord = (text: string, at: number): boolean =>
  at > 0 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at))

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

/** A stretch of the needle that stands in one piece: letters of the needle, from `first` to `last` in the text. */
interface Run {
  readonly from: number
  readonly to: number
  readonly first: number
  readonly last: number
  readonly letters: Letters
}

/** Pieces of one output that are followed: more of the same say nothing new. */
export const MOST_PIECES = 100_000
const CLEAR_RUN = 40
const CLEAR_SHARE = 0.6
const CLEAR_TOTAL = 0.5

/** Collects the pieces of one whole text over all tool output. */
export class PieceCollector {
  private readonly needle: Needle
  private readonly seen: Uint8Array
  private total = 0
  private reached = 0
  /** The outputs that show a piece, and those of them of which each goes on where the one before ended. */
  private readonly showing = new Set<Part>()
  private readonly inOrder = new Set<Part>()
  private isClear = false

  constructor(needle: Needle) {
    this.needle = needle
    this.seen = new Uint8Array(needle.exact.length)
  }

  /** Lists the outputs with a piece, and how surely each proves a sight; empty where all of them do not show enough. */
  get proofs(): readonly (readonly [Part, 'sure' | 'unsure'])[] {
    if (!this.isClear) return []
    const sure = this.reached === this.needle.exact.length ? this.inOrder : new Set()
    return [...this.showing].map((part) => [part, sure.has(part) ? 'sure' : 'unsure'] as const)
  }

  /** Reads the pieces that stand in one output, roughly in the order of its text, and finds the range that shows the text; null: nothing worth a doubt. */
  read(part: Part, pieces: readonly Match[]) {
    let last: Run | null = null
    let best: Run | null = null
    let [runs, covered] = [0, -1]
    for (const piece of pieces) {
      // No letter of the text is followed twice.
      if (piece.last <= covered) continue
      const run = this.follow(piece)
      covered = run.last
      if (last === null || run.to > last.to || run.from < last.from) {
        runs++
        last = run
      }
      if (best === null || run.to - run.from > best.to - best.from) best = run
    }
    if (best === null) return null
    this.showing.add(part)
    if (runs === 1 && this.goesOn(best)) {
      this.reached = best.to
      this.inOrder.add(part)
    }
    const { length } = this.needle.exact
    const shown = best.to - best.from
    const isClear = shown >= CLEAR_RUN || shown >= CLEAR_SHARE * length || this.total >= CLEAR_TOTAL * length
    this.isClear ||= isClear
    // Several outputs show the text line by line without a gap, each from the end of the output before. A missing word can be the word that matters
    // (`did not read`), so any other sight of pieces stays doubtful.
    const isComplete = this.reached === length
    return isClear ? { ...sourceOf(best.letters, best.first, best.last + 1), isComplete } : null
  }

  /** Follows the letters of the needle back and on from a piece. */
  private follow({ entry: { piece }, letters, first, last }: Match): Run {
    const own = this.needle.letters.text
    const { text } = letters
    let [back, on] = [0, 0]
    while (back < PIECE && back < piece && back < first && own[piece - back - 1] === text[first - back - 1]) back++
    const end = piece + PIECE
    while (end + on < own.length && own[end + on] === text[last + on + 1]) on++
    for (let letter = piece - back; letter < end + on; letter++) {
      if (this.seen[letter] === 0) this.total++
      this.seen[letter] = 1
    }
    return { from: piece - back, to: end + on, first: first - back, last: last + on, letters }
  }

  /** Tests whether a run begins where the last run ended, on lines of its own, with the needle's very letters. */
  private goesOn({ from, to, first, last, letters }: Run): boolean {
    const { exact } = this.needle
    const { from: units, shown } = letters
    const { text } = shown
    const [begins, ends, next] = [units[first] ?? 0, (units[last] ?? 0) + 1, units[last + 1]]
    const before = first === 0 ? '\n' : text.slice((units[first - 1] ?? 0) + 1, begins)
    const behind = next === undefined ? '\n' : text.slice(ends, next)
    return (
      from <= this.reached &&
      to > this.reached &&
      (from === 0 ? !isInWord(text, begins) : before.includes('\n')) &&
      (to === exact.length ? !isInWord(text, ends) : behind.includes('\n')) &&
      exactLetters(letters, first, last + 1) === exact.slice(from, to)
    )
  }
}
