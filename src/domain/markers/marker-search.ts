import { dumpedText } from '../sights/dumped-text.ts'
import { isAsWritten, NeedleSearch } from '../sights/needle-search.ts'
import { type Needles, stringNeedles } from '../sights/sight-needles.ts'

/** A string of a marker that stands in a text. Offsets are those of the text. */
export interface FoundString {
  readonly string: string
  readonly start: number
  readonly end: number
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 2000

/**
 * Finds strings of markers as the evidence gate finds a certain sight of what the harness gave: through white space, line marks, control
 * sequences, escapes and disguises, whole words only; a short string only as it is written. Linear in the text, for all strings at once.
 */
export class MarkerSearch {
  /** UTF-16 units of the longest string. */
  readonly longest: number
  private readonly needles: Needles
  private readonly search: NeedleSearch

  constructor(strings: readonly string[]) {
    this.longest = strings.reduce((most, one) => Math.max(most, one.length), 0)
    this.needles = stringNeedles(strings)
    this.search = new NeedleSearch(this.needles)
  }

  /** In the order of where they end; those that only a hex dump shows come last. */
  find(text: string): FoundString[] {
    const found: FoundString[] = []
    if (this.needles.all.length === 0) return found
    const told = new Uint32Array(this.needles.all.length)
    const compared = new Uint32Array(this.needles.all.length)
    const wanted = (needle: number, piece: number): boolean =>
      piece === -1 && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
    const tell = (needle: number, string: string, start: number, end: number): void => {
      told[needle] = (told[needle] ?? 0) + 1
      found.push({ string, start, end })
    }
    this.search.each(text, wanted, ({ meaning, start, end }) => {
      const needle = this.needles.all[meaning.needle]
      if (needle === undefined) return true
      compared[meaning.needle] = (compared[meaning.needle] ?? 0) + 1
      if (!needle.isShort || isAsWritten(text, start, end, needle)) tell(meaning.needle, needle.text, start, end)
      return true
    })
    const dumped = dumpedText(text)
    if (dumped === null) return found
    this.search.each(dumped.text, wanted, ({ meaning, start, end }) => {
      const needle = this.needles.all[meaning.needle]
      if (needle !== undefined && !needle.isShort)
        tell(meaning.needle, needle.text, dumped.from[start] ?? 0, (dumped.from[end - 1] ?? 0) + 1)
      return true
    })
    return found
  }
}
