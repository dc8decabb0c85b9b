import { isAsWritten, NeedleSearch } from '../sights/needle-search.ts'
import { type Needle, type Needles, stringNeedles } from '../sights/sight-needles.ts'
import { dumpedText } from '../text/dump.ts'

/** A string of a marker that stands in a text. Offsets are those of the text. */
export interface FoundString {
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
  private readonly needles: Needles
  private readonly search: NeedleSearch

  constructor(strings: readonly string[]) {
    this.longest = strings.reduce((most, one) => Math.max(most, one.length), 0)
    this.needles = stringNeedles(strings)
    this.search = new NeedleSearch(this.needles)
  }

  /** Every place of every string, up to a number of each. */
  find(text: string): FoundString[] {
    if (this.needles.all.length === 0) return []
    const found = new Map<string, FoundString>()
    const told = new Uint32Array(this.needles.all.length)
    const add = (needle: number, string: string, start: number, end: number): void => {
      const key = `${needle}/${start}`
      if (found.has(key)) return
      told[needle] = (told[needle] ?? 0) + 1
      found.set(key, { string, start, end })
    }
    const readAs = (form: string) =>
      this.read(form, told, (needle, one, start, end) => {
        if (!one.isShort || isAsWritten(form, start, end, one)) add(needle, one.text, start, end)
      })
    readAs(text)
    // A shell joins what such a line end parts; nothing moves.
    if (text.includes('\\\n') || text.includes('\\\r')) readAs(text.replaceAll('\\\n', ' \n').replaceAll('\\\r', ' \r'))
    const dumped = dumpedText(text)
    if (dumped !== null)
      this.read(dumped.text, told, (needle, { isShort, text: string }, start, end) => {
        if (!isShort) add(needle, string, dumped.start(start), dumped.end(end - 1))
      })
    return [...found.values()]
  }

  private read(
    text: string,
    told: Uint32Array,
    onMatch: (needle: number, one: Needle, start: number, end: number) => void,
  ): void {
    const compared = new Uint32Array(this.needles.all.length)
    const wanted = (needle: number, piece: number): boolean =>
      piece === -1 && (told[needle] ?? 0) < MOST_OF_A_STRING && (compared[needle] ?? 0) < MOST_COMPARED
    this.search.each(text, wanted, ({ meaning: { needle }, start, end }) => {
      const one = this.needles.all[needle]
      compared[needle] = (compared[needle] ?? 0) + 1
      if (one !== undefined) onMatch(needle, one, start, end)
      return true
    })
  }
}
