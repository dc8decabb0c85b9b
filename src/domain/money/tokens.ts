import {
  ACCENT,
  AFTER_JOINER,
  AFTER_NOTHING,
  AFTER_SPACE,
  AFTER_SYMBOL,
  BLANK,
  CONSONANT,
  CONTROL,
  changeCost,
  DIGIT,
  DRAWINGS,
  foreignCost,
  isDrawing,
  isSurrogate,
  JOINER,
  kindOf,
  LETTER,
  type Lead,
  LOWER,
  MARGIN,
  MIXED,
  NEWLINE,
  NEWLINES,
  RULER,
  RULERS,
  randomCost,
  SAME_LETTER,
  SPACES,
  SYMBOLS,
  TAB,
  UPPER,
  VOWEL,
  wordCost,
} from './token-costs.ts'

/**
 * How many tokens a text costs, without a tokenizer.
 *
 * A BPE library is no option on text that an attacker wrote: 20 000 equal signs take js-tiktoken 30 s (judge-science.md,
 * finding 6). Characters divided by four is wrong by half on what terminals print (finding 5). So this walks the text once,
 * cuts it where the o200k_base tokenizer cuts before it merges (a word with the mark before it, digits by three, a run of
 * symbols, a run of white space), and gives every piece the mean number of tokens that such pieces were measured to have.
 */

const APOSTROPHE = 0x27
const PLUS = 0x2b
const SLASH = 0x2f

/** Unit by unit over a text; each method takes one piece that begins at `at` and adds its cost. */
class Walk {
  readonly #text: string
  readonly #end: number
  #at = 0
  #tokens = 0
  #bytes: number
  #lead: Lead = AFTER_NOTHING
  /** Letters and digits without a blank between them: how many, and in how many pieces. Many small ones: hex, base64. */
  #runChars = 0
  #runPieces = 0

  constructor(text: string) {
    this.#text = text
    this.#end = text.length
    this.#bytes = text.length
  }

  total(): number {
    while (this.#at < this.#end) this.#piece()
    return Math.min(Math.max(1, Math.ceil(this.#tokens * MARGIN)), this.#bytes)
  }

  #piece(): void {
    const code = this.#text.charCodeAt(this.#at)
    const kind = kindOf(code)
    if (kind & LETTER) this.#word()
    else if (kind & BLANK) this.#blank(code, kind)
    else if (kind & DIGIT) this.#digits()
    else if (code > 127) this.#foreign()
    else if (this.#lead !== AFTER_SPACE && this.#kindAt(this.#at + 1) & LETTER) this.#mark(code, kind)
    else this.#symbols()
  }

  #kindAt(index: number): number {
    return index < this.#end ? kindOf(this.#text.charCodeAt(index)) : 0
  }

  #breakRun(): void {
    this.#runChars = 0
    this.#runPieces = 0
  }

  /** Line ends are one token; so are the spaces after them, less the last, which goes with the word or symbol behind it. */
  #blank(code: number, first: number): void {
    const from = this.#at
    const next = this.#kindAt(from + 1)
    if (((first & NEWLINE) | (next & BLANK)) === 0) {
      if (next & DIGIT) this.#tokens++
      this.#lead = code === TAB ? AFTER_SYMBOL : AFTER_SPACE
      this.#breakRun()
      this.#at = from + 1
      return
    }
    let at = from
    let newlines = 0
    let lineStart = from
    for (let kind = this.#kindAt(at); kind & BLANK; kind = this.#kindAt(at)) {
      at++
      if (kind & NEWLINE) {
        newlines++
        lineStart = at
      }
    }
    const indents = lineStart - from - newlines
    const spaces = at - lineStart
    this.#tokens += Math.ceil(newlines / NEWLINES) + Math.min(newlines, indents) / 2
    if (spaces > 1) this.#tokens += Math.ceil((spaces - 1) / SPACES)
    if (spaces > 0 && this.#kindAt(at) & DIGIT) this.#tokens++
    this.#lead = spaces === 0 ? AFTER_NOTHING : this.#text.charCodeAt(at - 1) === TAB ? AFTER_SYMBOL : AFTER_SPACE
    this.#breakRun()
    this.#at = at
  }

  #digits(): void {
    const from = this.#at
    let at = from
    while (this.#kindAt(at) & DIGIT) at++
    const pieces = Math.ceil((at - from) / 3)
    this.#tokens += pieces
    this.#runChars += at - from
    this.#runPieces += pieces
    this.#lead = AFTER_NOTHING
    this.#at = at
  }

  /** Capitals, then lower case: `Server`, `HTTPServer`, `server`, `SERVER`. */
  #word(): void {
    const from = this.#at
    let at = from
    let capitals = 0
    let accents = 0
    let consonants = 0
    let odd = 0
    let same = 0
    let previous = -1
    for (; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at)
      const kind = kindOf(code)
      if (!(kind & LETTER)) break
      if (kind & UPPER) {
        if (at - from > capitals) break
        capitals++
      }
      if (code > 127) accents++
      if (code === previous) same++
      previous = code
      consonants = kind & VOWEL ? 0 : consonants + 1
      if (consonants > 3) odd++
    }
    const length = at - from
    const repeated = same > 5 ? same : 0
    this.#runChars += length - repeated
    this.#runPieces++
    if (repeated > 0) odd = 0
    this.#tokens += this.#wordCost(length - repeated, capitals, odd) + accents * ACCENT + repeated * SAME_LETTER
    this.#bytes += accents
    this.#lead = AFTER_NOTHING
    this.#at = this.#afterContraction(at)
  }

  #wordCost(length: number, capitals: number, odd: number): number {
    const mixed = this.#runPieces > 2 && this.#runChars < MIXED * this.#runPieces
    if (mixed) return randomCost(length, capitals, this.#lead)
    return wordCost(length, capitals, this.#lead) + odd * CONSONANT
  }

  /** `'s`, `'t`, `'re`: part of the word before. */
  #afterContraction(at: number): number {
    if (at >= this.#end || this.#text.charCodeAt(at) !== APOSTROPHE) return at
    let end = at + 1
    while (end < at + 3 && this.#kindAt(end) & LOWER) end++
    return end > at + 1 && !(this.#kindAt(end) & LETTER) ? end : at
  }

  /** A run of ASCII symbols and controls. */
  #symbols(): void {
    const from = this.#at
    const first = this.#text.charCodeAt(from)
    let at = from
    let previous = first
    let tokens = kindOf(first) & CONTROL ? 0 : 1
    for (; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at)
      const kind = kindOf(code)
      if (code > 127 || kind & (LETTER | DIGIT | BLANK)) break
      if (kind & CONTROL) tokens++
      else if (code === previous) tokens += kind & RULER ? 1 / RULERS : 1 / SYMBOLS
      else tokens += changeCost(kind, kindOf(previous))
      previous = code
    }
    this.#tokens += tokens
    // The line ends behind it are part of the run.
    const end = at
    while (this.#kindAt(at) & NEWLINE) at++
    this.#tokens += Math.floor((at - end) / NEWLINES)
    this.#lead = AFTER_NOTHING
    if (at - from > 1 || (first !== PLUS && first !== SLASH)) this.#breakRun()
    this.#at = at
  }

  /** One symbol before a word goes with the word. */
  #mark(code: number, kind: number): void {
    if (code === PLUS || code === SLASH) this.#runChars++
    else this.#breakRun()
    if (kind & CONTROL) this.#tokens++
    this.#lead = kind & CONTROL ? AFTER_NOTHING : kind & JOINER ? AFTER_JOINER : AFTER_SYMBOL
    this.#at++
  }

  /** Neither ASCII nor Latin: unit by unit, whatever the script. */
  #foreign(): void {
    let at = this.#at
    let tokens = 0
    let bytes = 0
    let previous = -1
    for (; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at)
      if (code < 128 || kindOf(code) !== 0) break
      tokens += code === previous && isDrawing(code) ? 1 / DRAWINGS : foreignCost(code)
      // Half of a surrogate pair is two of its four bytes.
      bytes += code < 0x800 || isSurrogate(code) ? 1 : 2
      previous = code
    }
    this.#tokens += tokens
    this.#bytes += bytes
    this.#lead = AFTER_NOTHING
    this.#breakRun()
    this.#at = at
  }
}

/**
 * Estimated tokens of `text` (o200k_base; other vendors' models need a factor learned from their reported usage). Linear in
 * the length, whatever the text; never more than its UTF-8 bytes, the bound that no byte-level tokenizer exceeds.
 */
export function estimateTokens(text: string): number {
  return new Walk(text).total()
}

/** What the estimate cannot exceed: a UTF-16 unit is three bytes at most, and a byte is one token at most. */
export const mostTokens = (text: string): number => 3 * text.length
