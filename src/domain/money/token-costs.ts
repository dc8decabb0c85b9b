/**
 * What pieces of text cost in tokens of o200k_base: kinds of characters and mean costs, for `tokens.ts`.
 *
 * Fitted by hand in November 2026 to what js-tiktoken 1.0.21 counts in 36 texts, 4.9 million characters: listings, dumps,
 * logs, diffs, code, prose in seven languages, and the long strings of real trajectories.
 */

export const LOWER = 1
export const UPPER = 2
export const VOWEL = 4
export const DIGIT = 8
const SPACE = 16
export const NEWLINE = 32
export const CONTROL = 64
/** Marks that merge well with the word that follows them. */
export const JOINER = 128
/** Marks of JSON and code, whose combinations are tokens of their own. */
const CODE = 256
/** Marks that rulers are made of. */
export const RULER = 512
export const LETTER = LOWER | UPPER
export const BLANK = SPACE | NEWLINE

export const TAB = 0x09

/** What stands before a word and is merged with it; indexes into the tables below. */
export const AFTER_NOTHING = 0
export const AFTER_SPACE = 1
export const AFTER_JOINER = 2
export const AFTER_SYMBOL = 3
export type Lead = 0 | 1 | 2 | 3

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
export const CONSONANT = 0.5
export const ACCENT = 0.9
/** Tokens of one more of the same letter (eight to a token for most letters, two for the rare ones). */
export const SAME_LETTER = 0.16

/** Characters in a token: one repeated mark, other symbol, spaces, line ends, one line or block of a drawing. */
export const RULERS = 56
export const SYMBOLS = 16
export const SPACES = 80
export const NEWLINES = 14
export const DRAWINGS = 6

/** Tokens that a change of symbol within a run of symbols adds: `({` is one token, `!@%^` are three. */
const CHANGE = 0.35
const CHANGE_IN_CODE = 0.05

/** Fewer characters than this to a piece, on average, and a run of letters and digits is hex or base64, not words. */
export const MIXED = 3.2
/** What `+` or `/` before such letters adds. */
const MARK = 0.4

/** Means err to both sides; a window that overflows costs a call, one that is a little small costs nothing. */
export const MARGIN = 1.04

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

export const kindOf = (code: number): number => KIND[code] as number

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
export const foreignCost = (code: number): number => (FOREIGN[code] as number) / 1000

export const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000
export const isDrawing = (code: number): boolean => code >= 0x2000 && code < 0x3000

/** Tokens that `kind` adds to a run of ASCII symbols in which the one before was another. */
export function changeCost(kind: number, previous: number): number {
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
export function wordCost(length: number, capitals: number, lead: Lead): number {
  const allCapitals = capitals > 1 && capitals >= length
  const row: readonly number[] = (allCapitals ? UPPER_WORD : LOWER_WORD)[lead]
  const known = Math.min(length, LONGEST)
  const base = (row[known] as number) + (length - known) * FURTHER_LETTER
  if (capitals === 0 || allCapitals) return base
  return base + (capitals === 1 ? CAPITAL[lead] : CAPITALS)
}

/** The same for letters of hex or base64. */
export function randomCost(length: number, capitals: number, lead: Lead): number {
  return randomLetters(length, capitals) + (lead < AFTER_JOINER ? 0 : MARK)
}
