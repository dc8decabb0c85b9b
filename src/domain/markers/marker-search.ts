import { isSure, NeedleSearch } from '../sights/needle-search.ts'
import { type Entry, stringNeedles, WHOLE } from '../sights/needles.ts'
import { readLetters } from '../text/letters.ts'

/** A string of a marker that stands in a text. Offsets are those of the text. */
export interface StringPlace {
  readonly string: string
  readonly start: number
  readonly end: number
}

/** Places of one string that are told of one text; more tell nothing new. */
const MOST_OF_A_STRING = 20
/** Places of a short string that are compared as they are written, in one text. */
const MOST_COMPARED = 20_000

/**
 * Finds strings of markers as the evidence gate finds a certain sight of what the harness gave: through white space, line marks, control
 * sequences, escapes and disguises, whole words only; a short string only as it is written. Besides, where a line ends with a backslash. Linear in the text, for all strings at once.
 */
export class MarkerSearch {
  /** UTF-16 units of the longest string. */
  readonly longest: number
  private readonly search: NeedleSearch

  constructor(strings: readonly string[]) {
    this.longest = strings.reduce((most, one) => Math.max(most, one.length), 0)
    this.search = new NeedleSearch(stringNeedles(strings))
  }

  /** Lists every place of every string, up to a number of each. */
  find(text: string): StringPlace[] {
    const { all } = this.search.needles
    if (all.length === 0) return []
    const found = new Map<string, StringPlace>()
    const told = new Uint32Array(all.length)
    const compared = new Uint32Array(all.length)
    const wanted = ({ needle, piece }: Entry): boolean =>
      piece === WHOLE && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
    this.search.each(readLetters(text), wanted, (match) => {
      const { entry, start, end } = match
      const needle = this.search.needleOf(entry)
      const key = `${entry.needle}/${start}`
      compared[entry.needle] = (compared[entry.needle] ?? 0) + 1
      if (found.has(key) || !isSure(text, match, needle)) return true
      told[entry.needle] = (told[entry.needle] ?? 0) + 1
      found.set(key, { string: needle.text, start, end })
      return true
    })
    return [...found.values()]
  }
}
