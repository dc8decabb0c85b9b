import { foldForSearch, isWord } from '../text/search.ts'
import { firstUnit, type Reading, scan } from './automaton.ts'
import { type Meaning, type Needle, type Needles, PIECE } from './sight-needles.ts'
import { Skeleton } from './skeleton.ts'

/** A needle, or a piece of one, in a text. `first` and `last` are units of the skeleton, `start` and `end` offsets of the text. */
export interface Match {
  readonly meaning: Meaning
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
}

/** For texts up to this length, one for all searches: a text is searched to its end before the next one is. */
const SHARED = new Skeleton()
const LONGEST_SHARED = 64 * 1024

/** Searches one text after the other for all needles at once; its memory is that of the longest text. */
export class NeedleSearch {
  /** Of the text that is being searched. */
  skeleton: Skeleton = SHARED
  private large: Skeleton | null = null
  private readonly needles: Needles
  private readonly shortest: number

  constructor(needles: Needles) {
    this.needles = needles
    this.shortest = Math.min(PIECE, ...needles.all.map((one) => one.units.length))
  }

  /**
   * Tells of every match that keeps whole words, for needles that are `wanted`; false ends the search. Matches come by where they end,
   * longer ones first.
   */
  each(text: string, wanted: (needle: number, piece: number) => boolean, onMatch: (match: Match) => boolean): void {
    if (text.length < this.shortest) return
    const { automaton, meanings } = this.needles
    const skeleton = text.length > LONGEST_SHARED ? this.ownSkeleton() : SHARED
    this.skeleton = skeleton.read(text)
    scan(skeleton, automaton, (found, last, readings) => {
      const goesOn = !skeleton.isApart(last + 1) && isWord(skeleton.codes[last + 1] ?? 0)
      for (let state = found; state !== -1; state = automaton.shorter[state] ?? -1) {
        for (const meaning of meanings[automaton.pattern[state] ?? -1] ?? []) {
          const match = this.matchOf(meaning, last, readings, goesOn, wanted)
          if (match !== null && !onMatch(match)) return false
        }
      }
      return true
    })
  }

  private ownSkeleton(): Skeleton {
    this.large ??= new Skeleton()
    return this.large
  }

  /** The first needle that stands in a text, where it is short as it is written; null: none does. */
  find(text: string): { readonly needle: string; readonly start: number; readonly end: number } | null {
    let found: ReturnType<NeedleSearch['find']> = null
    const isWanted = (_needle: number, piece: number): boolean => piece === -1
    this.each(text, isWanted, ({ meaning, start, end }) => {
      const needle = this.needles.all[meaning.needle] as Needle
      if (needle.isShort && !isAsWritten(text, start, end, needle)) return true
      found = { needle: needle.text, start, end }
      return false
    })
    return found
  }

  /** Null: not wanted, or no whole word. The cheap questions first: texts can be full of what is none. */
  private matchOf(
    meaning: Meaning,
    last: number,
    readings: Reading | null,
    goesOn: boolean,
    wanted: (needle: number, piece: number) => boolean,
  ): Match | null {
    const { skeleton } = this
    const needle = this.needles.all[meaning.needle] as Needle
    const isPiece = meaning.piece !== -1
    if ((goesOn && needle.endsWord && !isPiece) || !wanted(meaning.needle, meaning.piece)) return null
    const first = firstUnit(meaning.length, last, readings)
    if (first < 0 || !(isPiece || this.startsWhole(needle, first))) return null
    if (this.needles.automaton.isCoarse && readings === null && !this.isSame(needle, meaning, first)) return null
    return { meaning, first, last, start: skeleton.offset(first), end: skeleton.end(last) }
  }

  /** Whether no word goes on before it. */
  private startsWhole({ units }: Needle, first: number): boolean {
    const { skeleton } = this
    return !isWord(units[0] ?? 0) || skeleton.isApart(first) || !isWord(skeleton.codes[first - 1] ?? 0)
  }

  /** Units that share a class with others are compared; a needle without its marks is taken at its word. */
  private isSame(needle: Needle, { piece, length, encoded }: Meaning, first: number): boolean {
    const units = encoded ?? needle.units
    const from = Math.max(0, piece)
    if (piece === -1 && length !== units.length) return true
    for (let at = 0; at < length; at++) if (units[from + at] !== this.skeleton.codes[first + at]) return false
    return true
  }
}

/** Whether the needle stands there as it is written, but for white space, quotation marks, control sequences and disguises. */
export function isAsWritten(text: string, start: number, end: number, needle: Needle): boolean {
  if (end - start > 40 * needle.text.length) return false
  const there = text.slice(start, end)
  return there === needle.text || composedForm(there) === composedForm(needle.text)
}

const composedForm = (text: string): string => foldForSearch(text.normalize('NFC').replaceAll('\0', ' '))
