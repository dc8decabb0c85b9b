/** Units of the piece by which a string is looked for. */
const GRAM = 4
const TABLE = 0x10000

/**
 * Finds many strings in one pass over a text. Each string is filed under the piece of four units that the fewest other strings hold, so that a text is
 * compared with a string only where that piece stands. Shorter strings are looked for one by one.
 *
 * The time is linear in the text but for strings that repeat a short piece over and over, in a text that does the same.
 */
export class StringIndex {
  private readonly strings: readonly string[]
  /** Where the piece ends in each string. */
  private readonly ends: Uint32Array
  /** By piece, the first string filed under it, counted from 1; then each string's next. */
  private readonly first = new Uint32Array(TABLE)
  private readonly next: Uint32Array
  /** Whether any string is filed under a piece: a table that fits into the processor's cache. */
  private readonly filed = new Uint8Array(TABLE)
  private readonly short: number[] = []

  /** `strings`: none of them empty. */
  constructor(strings: readonly string[]) {
    this.strings = strings
    this.ends = new Uint32Array(strings.length)
    this.next = new Uint32Array(strings.length)
    const counts = new Uint32Array(TABLE)
    for (const string of strings) eachGram(string, (gram) => (counts[gram] = (counts[gram] ?? 0) + 1))
    for (const [index, string] of strings.entries()) this.file(index, string, counts)
  }

  private file(index: number, string: string, counts: Uint32Array): void {
    if (string.length < GRAM) {
      this.short.push(index)
      return
    }
    let least = Number.POSITIVE_INFINITY
    let rarest = 0
    eachGram(string, (gram, end) => {
      const count = counts[gram] ?? 0
      if (count >= least) return
      least = count
      rarest = gram
      this.ends[index] = end
    })
    this.next[index] = this.first[rarest] ?? 0
    this.first[rarest] = index + 1
    this.filed[rarest] = 1
  }

  /** Calls `onFind` for every place of a string that is wanted there, roughly in the order of the text; false ends the search. */
  each(
    letters: { readonly text: string; readonly codes: Uint16Array },
    wanted: (index: number, at: number) => boolean,
    onFind: (index: number, at: number) => boolean,
  ): void {
    if (this.short.length > 0 && !this.eachShort(letters.text, wanted, onFind)) return
    const { codes } = letters
    const { first, next, ends, strings, filed } = this
    let gram = 0
    for (let unit = 0; unit < codes.length; unit++) {
      gram = ((gram << 4) ^ (codes[unit] as number)) & 0xffff
      if (filed[gram] === 0) continue
      for (let entry = first[gram] as number; entry !== 0; entry = next[entry - 1] as number) {
        const at = unit + 1 - (ends[entry - 1] as number)
        const string = strings[entry - 1] as string
        if (at < 0 || codes[at] !== string.charCodeAt(0) || !wanted(entry - 1, at)) continue
        if (standsAt(codes, string, at) && !onFind(entry - 1, at)) return
      }
    }
  }

  private eachShort(
    text: string,
    wanted: (index: number, at: number) => boolean,
    onFind: (index: number, at: number) => boolean,
  ): boolean {
    for (const index of this.short) {
      const string = this.strings[index] ?? ''
      for (let at = text.indexOf(string); at !== -1; at = text.indexOf(string, at + 1))
        if (wanted(index, at) && !onFind(index, at)) return false
    }
    return true
  }
}

function standsAt(codes: Uint16Array, string: string, at: number): boolean {
  let unit = 0
  while (unit < string.length && codes[at + unit] === string.charCodeAt(unit)) unit++
  return unit === string.length
}

/** Calls with each piece of a string, hashed, and the place behind it. */
function eachGram(string: string, call: (gram: number, end: number) => void): void {
  let gram = 0
  for (let at = 0; at < string.length; at++) {
    gram = ((gram << 4) ^ string.charCodeAt(at)) & 0xffff
    if (at + 1 >= GRAM) call(gram, at + 1)
  }
}
