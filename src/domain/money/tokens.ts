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

/**
 * What pieces of text cost in tokens of o200k_base: kinds of characters and mean costs.
 *
 * Fitted by hand in November 2026 to what js-tiktoken 1.0.21 counts in 36 texts, 4.9 million characters: listings, dumps,
 * logs, diffs, code, prose in seven languages, and the long strings of real trajectories.
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

const TAB = 0x09

/** What stands before a word and is merged with it; indexes into the tables below. */
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
const LONGEST = 12
const FURTHER_LETTER = 0.18
/** What one capital at the head adds to a lower-case word, by what stands before it. */
const CAPITAL = [0.03, 0.05, 0.35, 0.4] as const
/** `HTTPServer`, `JSONParser`: capitals that run into lower case. */
const CAPITALS = 1
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
/** What `+` or `/` before such letters adds. */
const MARK = 0.4

/** Means err to both sides; a window that overflows costs a call, one that is a little small costs nothing. */
const MARGIN = 1.04

/** By UTF-16 unit. Zero: outside Latin, see `foreignCost`. Latin letters with accents count as lower-case vowels. */
const KIND = kindsOfUnits()

function kindsOfUnits(): Uint16Array {
  const kinds = new Uint16Array(0x10000)
  kinds.fill(CONTROL, 0, 0x20)
  kinds[0x7f] = CONTROL
  kinds[0x20] = kinds[TAB] = SPACE
  kinds[0x0a] = kinds[0x0d] = NEWLINE
  kinds.fill(DIGIT, 0x30, 0x3a)
  kinds.fill(UPPER, 0x41, 0x5b)
  kinds.fill(LOWER, 0x61, 0x7b)
  addFlag(kinds, 'aeiouyAEIOUY', VOWEL)
  addFlag(kinds, '._-(\\', JOINER)
  addFlag(kinds, '"\':,;=<>/(){}[]|', CODE)
  addFlag(kinds, '=-_.#*', RULER)
  kinds.fill(LOWER | VOWEL, 0xc0, 0x250)
  return kinds
}

function addFlag(kinds: Uint16Array, marks: string, flag: number): void {
  for (const mark of marks) kinds[mark.charCodeAt(0)] = (kinds[mark.charCodeAt(0)] ?? 0) | flag
}

const kindOf = (code: number): number => KIND[code] as number

/** Scripts: first UTF-16 unit, the one after the last, and what a unit of running text costs in thousandths of a token. */
const SCRIPTS = [
  ['other symbols and scripts', 0, 0x10000, 1900],
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
const FOREIGN = foreignCosts()

function foreignCosts(): Uint16Array {
  const costs = new Uint16Array(0x10000)
  for (const [, from, to, cost] of SCRIPTS) costs.fill(cost, from, to)
  return costs
}

/** Mean tokens of one UTF-16 unit of a script's running text. */
const foreignCost = (code: number): number => (FOREIGN[code] as number) / 1000

const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000
const isDrawing = (code: number): boolean => code >= 0x2000 && code < 0x3000

/** Tokens that `kind` adds to a run of ASCII symbols in which the one before was another. */
function changeCost(kind: number, previous: number): number {
  if (previous & CONTROL) return 1
  return kind & previous & CODE ? CHANGE_IN_CODE : CHANGE
}

/** Letters that form no word: about two to a token, capitals worse. Measured on base64 and hex. */
function randomLetters(length: number, capitals: number): number {
  if (length === 1) return 1
  if (capitals === 0) return Math.max(1.03, 0.3 * length + 0.6)
  if (capitals === length) return Math.max(1.1, 0.45 * length + 0.48)
  return capitals === 1 ? Math.max(1.28, 0.4 * length + 0.65) : 0.55 * length + 0.3
}

/** Mean tokens of a word of `length` letters behind `lead`, `capitals` of them at its head. */
function wordCost(length: number, capitals: number, lead: Lead): number {
  const allCapitals = capitals > 1 && capitals >= length
  const row: readonly number[] = (allCapitals ? UPPER_WORD : LOWER_WORD)[lead]
  const known = Math.min(length, LONGEST)
  const base = (row[known] as number) + (length - known) * FURTHER_LETTER
  if (capitals === 0 || allCapitals) return base
  return base + (capitals === 1 ? CAPITAL[lead] : CAPITALS)
}

/** The same for letters of hex or base64. */
function randomCost(length: number, capitals: number, lead: Lead): number {
  return randomLetters(length, capitals) + (lead < AFTER_JOINER ? 0 : MARK)
}
