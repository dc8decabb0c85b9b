/**
 * Estimates how many tokens a text costs, without a tokenizer.
 *
 * A BPE library is no option on text that an attacker wrote: 20 000 equal signs take js-tiktoken 30 s (judge-science.md,
 * finding 6). Characters divided by four is wrong by half on the output of terminals (finding 5). So the estimate walks the text once,
 * cuts it where the o200k_base tokenizer cuts before it merges (a word with the mark before it, digits by three, a run of
 * symbols, a run of white space), and gives every piece the mean number of tokens that such pieces were measured to have: fitted by hand in
 * November 2026 to the counts of js-tiktoken 1.0.21 in 36 texts, 4.9 million characters: listings, dumps, logs, diffs, code, prose in seven
 * languages, and the long strings of real trajectories.
 */

const LOWER = 1
const UPPER = 2
const VOWEL = 4
const DIGIT = 8
const SPACE = 16
const NEWLINE = 32
const CONTROL = 64
/** Marks that merge well with the word that follows them. */
const JOINER = 128
/** Marks of JSON and code, whose combinations are tokens of their own. */
const CODE = 256
/** Marks that rulers are made of. */
const RULER = 512
const LETTER = LOWER | UPPER
const BLANK = SPACE | NEWLINE

/** The text before a word that is merged with it; indexes into the tables below. */
const AFTER_NOTHING = 0
const AFTER_SPACE = 1
const AFTER_JOINER = 2
const AFTER_SYMBOL = 3
type Lead = 0 | 1 | 2 | 3

/**
 * Mean tokens of a word of n letters, n = 0…12, by what stands before it: means over the first 150 000 characters of each
 * text, smoothed.
 */
const LOWER_WORD = [
  [0, 1, 1.02, 1.05, 1.08, 1.18, 1.22, 1.25, 1.32, 1.4, 1.5, 1.6, 1.8],
  [0, 1, 1, 1, 1.01, 1.03, 1.04, 1.06, 1.1, 1.13, 1.16, 1.2, 1.25],
  [0, 1, 1.15, 1.18, 1.2, 1.28, 1.32, 1.35, 1.5, 1.6, 1.7, 1.85, 2.1],
  [0, 1.05, 1.5, 1.4, 1.45, 1.6, 1.65, 1.75, 1.95, 2.1, 2.2, 2.4, 2.7],
] as const
const UPPER_WORD = [
  [0, 1, 1.06, 1.5, 1.6, 1.8, 1.9, 2, 2.2, 2.4, 2.6, 2.9, 3.2],
  [0, 1, 1.02, 1.1, 1.15, 1.35, 1.42, 1.5, 1.75, 1.9, 2.1, 2.3, 2.5],
  [0, 1, 1.4, 1.3, 1.4, 1.55, 1.65, 1.8, 2.3, 2.5, 2.7, 3, 3.3],
  [0, 1.1, 1.6, 1.5, 1.6, 1.75, 1.85, 2, 2.6, 2.8, 3, 3.3, 3.6],
] as const
const FURTHER_LETTER = 0.18
/** The tokens that one capital at the head adds to a lower-case word, by the text before the word; several capitals add one token. */
const CAPITAL = [0.03, 0.05, 0.35, 0.4] as const
/** Words have vowels: each consonant after the third in a row tells of letters that form no word. */
const CONSONANT = 0.5
const ACCENT = 0.9
/** Tokens of one more of the same letter (eight to a token for most letters, two for the rare ones). */
const SAME_LETTER = 0.16

/** Characters in a token: one repeated mark, other symbol, spaces, line ends, one line or block of a drawing. */
const RULERS = 56
const SYMBOLS = 16
const SPACES = 80
const NEWLINES = 14
const DRAWINGS = 6

/** Tokens that a change of symbol within a run of symbols adds: `({` is one token, `!@%^` are three. */
const CHANGE = 0.35
const CHANGE_IN_CODE = 0.05

/** Fewer characters than this to a piece, on average, and a run of letters and digits is hex or base64, not words. */
const MIXED = 3.2
/** Tokens that `+` or `/` before such letters adds. */
const MARK = 0.4

/** Means err to both sides; a window that overflows costs a call, one that is a little small costs nothing. */
const MARGIN = 1.04

/** Kinds by UTF-16 unit; 0: outside of Latin, see `FOREIGN`. Latin letters with accents count as lower-case vowels. */
const KIND = new Uint16Array(0x10000)
KIND.fill(CONTROL, 0, 0x20).fill(DIGIT, 0x30, 0x3a).fill(UPPER, 0x41, 0x5b).fill(LOWER, 0x61, 0x7b)
KIND.fill(CONTROL, 0x7f, 0x80).fill(LOWER | VOWEL, 0xc0, 0x250)
for (const [marks, flag] of [
  ['aeiouyAEIOUY', VOWEL],
  ['._-(\\', JOINER],
  ['"\':,;=<>/(){}[]|', CODE],
  ['=-_.#*', RULER],
] as const)
  for (const mark of marks) KIND[mark.charCodeAt(0)] = (KIND[mark.charCodeAt(0)] ?? 0) | flag
for (const mark of ' \t\n\r') KIND[mark.charCodeAt(0)] = mark > '\t' && mark < ' ' ? NEWLINE : SPACE

/** Scripts: first UTF-16 unit, the unit after the last, and the cost of a unit of running text in thousandths of a token; 1900 of others. */
const SCRIPTS = [
  ['Latin marks', 0, 0x370, 1000],
  ['Greek', 0x370, 0x400, 410],
  ['Cyrillic but Russian', 0x400, 0x530, 900],
  ['Russian', 0x410, 0x450, 285],
  ['Armenian, Hebrew, Arabic', 0x530, 0x900, 450],
  ['Indic, Thai, Georgian', 0x900, 0x1100, 650],
  ['Vietnamese', 0x1e00, 0x1f00, 700],
  ['brackets of our escapes', 0x27e8, 0x27ea, 2900],
  ['CJK marks', 0x3000, 0x3040, 900],
  ['kana', 0x3040, 0x3100, 720],
  ['Han', 0x4e00, 0xa000, 740],
  ['Hangul', 0xac00, 0xd7a4, 650],
  ['surrogates', 0xd800, 0xe000, 900],
  ['wide forms', 0xff00, 0x10000, 900],
] as const
const FOREIGN = new Uint16Array(0x10000).fill(1900)
for (const [, from, to, cost] of SCRIPTS) FOREIGN.fill(cost, from, to)

/** Walks over a text unit by unit; each method reads one piece that begins at `at` and adds its cost. */
class Walk {
  readonly #text: string
  #at = 0
  #tokens = 0
  #bytes: number
  #lead: Lead = AFTER_NOTHING
  /** Letters and digits without a blank between them: how many, and in how many pieces. Many small ones: hex, base64. */
  #runChars = 0
  #runPieces = 0

  constructor(text: string) {
    this.#text = text
    this.#bytes = text.length
  }

  total(): number {
    while (this.#at < this.#text.length) this.#readPiece()
    return Math.min(Math.max(1, Math.ceil(this.#tokens * MARGIN)), this.#bytes)
  }

  #readPiece(): void {
    const code = this.#text.charCodeAt(this.#at)
    const kind = KIND[code] as number
    const lead = this.#lead
    this.#lead = AFTER_NOTHING
    if (kind & LETTER) this.#readWord(lead)
    else if (kind & BLANK) this.#readBlank()
    else if (kind & DIGIT) this.#readDigits()
    else if (code > 127) this.#readForeign()
    else if (lead !== AFTER_SPACE && this.#kindAt(this.#at + 1) & LETTER) this.#readMark(kind)
    else this.#readSymbols()
  }

  #kindAt(index: number): number {
    return index < this.#text.length ? (KIND[this.#text.charCodeAt(index)] as number) : 0
  }

  #breakRun(): void {
    this.#runChars = 0
    this.#runPieces = 0
  }

  /** Line ends are one token; so are the spaces after them, less the last, which goes with the word or symbol behind it. */
  #readBlank(): void {
    const from = this.#at
    let newlines = 0
    let lineStart = from
    for (let kind = this.#kindAt(from); kind & BLANK; kind = this.#kindAt(this.#at)) {
      this.#at++
      if (!(kind & NEWLINE)) continue
      newlines++
      lineStart = this.#at
    }
    const indents = lineStart - from - newlines
    const spaces = this.#at - lineStart
    this.#tokens += Math.ceil(newlines / NEWLINES) + Math.min(newlines, indents) / 2
    if (spaces > 1) this.#tokens += Math.ceil((spaces - 1) / SPACES)
    if (spaces > 0 && this.#kindAt(this.#at) & DIGIT) this.#tokens++
    if (spaces > 0) this.#lead = this.#text[this.#at - 1] === '\t' ? AFTER_SYMBOL : AFTER_SPACE
    this.#breakRun()
  }

  #readDigits(): void {
    const from = this.#at
    while (this.#kindAt(this.#at) & DIGIT) this.#at++
    const pieces = Math.ceil((this.#at - from) / 3)
    this.#tokens += pieces
    this.#runChars += this.#at - from
    this.#runPieces += pieces
  }

  /** Capitals, then lower case: `Server`, `HTTPServer`, `server`, `SERVER`. */
  #readWord(lead: Lead): void {
    const from = this.#at
    let at = from
    let capitals = 0
    let accents = 0
    let consonants = 0
    let odd = 0
    let same = 0
    let previous = -1
    for (; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at)
      const kind = KIND[code] as number
      if (!(kind & LETTER) || (kind & UPPER && at - from > capitals)) break
      if (kind & UPPER) capitals++
      if (code > 127) accents++
      if (code === previous) same++
      previous = code
      consonants = kind & VOWEL ? 0 : consonants + 1
      if (consonants > 3) odd++
    }
    const repeated = same > 5 ? same : 0
    const length = at - from - repeated
    this.#runChars += length
    this.#runPieces++
    const isMixed = this.#runPieces > 2 && this.#runChars < MIXED * this.#runPieces
    const strange = repeated > 0 ? 0 : odd * CONSONANT
    this.#tokens += isMixed ? randomCost(length, capitals, lead) : wordCost(length, capitals, lead) + strange
    this.#tokens += accents * ACCENT + repeated * SAME_LETTER
    this.#bytes += accents
    this.#at = this.#afterContraction(at)
  }

  /** `'s`, `'t`, `'re`: part of the word before. */
  #afterContraction(at: number): number {
    if (this.#text[at] !== "'") return at
    let end = at + 1
    while (end < at + 3 && this.#kindAt(end) & LOWER) end++
    return end > at + 1 && !(this.#kindAt(end) & LETTER) ? end : at
  }

  /** A run of ASCII symbols and controls, with the line ends behind it. */
  #readSymbols(): void {
    const from = this.#at
    let previous = this.#text.charCodeAt(from)
    this.#tokens += this.#kindAt(from) & CONTROL ? 0 : 1
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      const kind = KIND[code] as number
      if (code > 127 || kind & (LETTER | DIGIT | BLANK)) break
      if (kind & CONTROL) this.#tokens++
      else if (code === previous) this.#tokens += kind & RULER ? 1 / RULERS : 1 / SYMBOLS
      else if (this.#kindAt(this.#at - 1) & CONTROL) this.#tokens++
      else this.#tokens += kind & (KIND[previous] as number) & CODE ? CHANGE_IN_CODE : CHANGE
      previous = code
    }
    const end = this.#at
    while (this.#kindAt(this.#at) & NEWLINE) this.#at++
    this.#tokens += Math.floor((this.#at - end) / NEWLINES)
    if (!BASE64_MARKS.includes(this.#text.slice(from, this.#at))) this.#breakRun()
  }

  /** One symbol before a word goes with the word. */
  #readMark(kind: number): void {
    if (BASE64_MARKS.includes(this.#text[this.#at] ?? '')) this.#runChars++
    else this.#breakRun()
    if (kind & CONTROL) this.#tokens++
    else this.#lead = kind & JOINER ? AFTER_JOINER : AFTER_SYMBOL
    this.#at++
  }

  /** Neither ASCII nor Latin: unit by unit, whatever the script. */
  #readForeign(): void {
    let previous = -1
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code < 128 || KIND[code] !== 0) break
      const isDrawing = code >= 0x2000 && code < 0x3000
      this.#tokens += code === previous && isDrawing ? 1 / DRAWINGS : (FOREIGN[code] as number) / 1000
      // Half of a surrogate pair is two of its four bytes.
      this.#bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
      previous = code
    }
    this.#breakRun()
  }
}

/**
 * Estimates the tokens of `text` (o200k_base; other vendors' models need a factor learned from their reported usage). Linear in
 * the length, whatever the text; never more than its UTF-8 bytes, the bound that no byte-level tokenizer exceeds.
 */
export const estimateTokens = (text: string): number => new Walk(text).total()

/** Bounds the estimate: a UTF-16 unit is three bytes at most, and a byte is one token at most. */
export const mostTokens = (text: string): number => 3 * text.length

const BASE64_MARKS = ['+', '/']

/** Returns the mean tokens of a word of `length` letters behind `lead`, `capitals` of them at its head. */
function wordCost(length: number, capitals: number, lead: Lead): number {
  const allCapitals = capitals > 1 && capitals >= length
  const row: readonly number[] = (allCapitals ? UPPER_WORD : LOWER_WORD)[lead]
  const known = Math.min(length, row.length - 1)
  const base = (row[known] as number) + (length - known) * FURTHER_LETTER
  if (capitals === 0 || allCapitals) return base
  return base + (capitals === 1 ? CAPITAL[lead] : 1)
}

/** Returns the mean tokens of letters that form no word, measured on base64 and hex: about two letters to a token, capitals worse. */
function randomCost(length: number, capitals: number, lead: Lead): number {
  const mark = lead < AFTER_JOINER ? 0 : MARK
  if (length === 1) return 1 + mark
  if (capitals === 0) return Math.max(1.03, 0.3 * length + 0.6) + mark
  if (capitals === length) return Math.max(1.1, 0.45 * length + 0.48) + mark
  return mark + (capitals === 1 ? Math.max(1.28, 0.4 * length + 0.65) : 0.55 * length + 0.3)
}
