import type { AttemptSummary, Usage } from '../schemas/grade.ts'
import data from './token-costs.json' with { type: 'json' }

/** The price of a model, in dollars per million tokens. */
export interface Price {
  readonly input_per_mtok: number
  readonly output_per_mtok: number
  readonly cache_read_per_mtok: number
  readonly cache_write_per_mtok: number
  /** The day on which the price was read: `2026-11-01`; null: not known. */
  readonly as_of: string | null
}

/** Words of providers for a call that costs what the price says; `batch` stands beside the factor of batches. */
export const STANDARD_TIERS: readonly string[] = ['auto', 'default', 'standard', 'standard_only', 'batch']

/** Dollars of a call; null, never 0, where usage, price, tier or cache lifetime is not known. No tokens cost nothing. */
export function costUsd(usage: Usage | null, price: Price | null): number | null {
  if (usage === null) return null
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_long_tokens = 0 } = usage
  if (input_tokens === 0 && output_tokens === 0) return 0
  const isPriced = cache_write_long_tokens === 0 && STANDARD_TIERS.includes(usage.service_tier ?? 'default')
  if (price === null || !isPriced) return null
  const uncached = Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens)
  const dollars =
    uncached * price.input_per_mtok +
    output_tokens * price.output_per_mtok +
    cache_read_tokens * price.cache_read_per_mtok +
    cache_write_tokens * price.cache_write_per_mtok
  return dollars / 1e6
}

/** Bounds the dollars of a call: input at its dearest, output up to the limit, hidden thoughts included; cached tokens are input tokens. */
export function upperBoundUsd(tokens: { readonly input: number; readonly output: number }, price: Price): number {
  const input = Math.max(price.input_per_mtok, price.cache_write_per_mtok, price.cache_read_per_mtok)
  return (tokens.input * input + tokens.output * price.output_per_mtok) / 1e6
}

/** Bounds the answers that count and the calls among which they are looked for: neither grows with the database. */
export const MOST_ANSWERS = 200
export const MOST_CALLS = 20_000

/** Counts the newest stored answers of a judge, those of them to a first question and not to a repair, and the output tokens of all. */
export const historyOf = (answers: readonly { purpose: AttemptSummary['purpose']; usage: Usage }[]) => ({
  answers: answers.length,
  questions: answers.filter(({ purpose }) => purpose !== 'repair').length,
  output_tokens: answers.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
})
export type OutputHistory = Readonly<ReturnType<typeof historyOf>>
export const NO_HISTORY: OutputHistory = historyOf([])

/** Output tokens of a call by a judge that has answered nothing yet: an assumption, and shown as one. */
const ASSUMED_OUTPUT_TOKENS = 2000

export const likelyOutput = ({ answers, output_tokens }: OutputHistory): number =>
  answers === 0 ? ASSUMED_OUTPUT_TOKENS : output_tokens / answers

/** Estimates the calls for a question, its repairs included. */
export const callsPerQuestion = ({ answers, questions }: OutputHistory): number =>
  questions === 0 ? 1 : answers / questions

/**
 * Estimates how many tokens a text costs, without a tokenizer.
 *
 * A BPE library is no option on text that an attacker wrote: 20 000 equal signs take js-tiktoken 30 s (judge-science.md,
 * finding 6). Characters divided by four is wrong by half on the output of terminals (finding 5). So the estimate adds up what each
 * character costs by its kind and that of the character before it. The costs are a least-squares fit, in November 2026, to the counts of
 * js-tiktoken 1.0.21 (o200k_base) in 840 pieces of 101 real trajectories, in the kinds of terminal text of `tokens.yaml`, and in random letters,
 * digits and marks; the fit aims 8 % too high.
 */

const SPACE = 0
const NEWLINE = 1
const LOWER = 2
const UPPER = 3
const DIGIT = 4
/** Marks that merge well with the word that follows them. */
const JOINER = 5
const MARK = 6
const CONTROL = 7
/** Neither ASCII nor control: see `SCRIPTS`. */
const FOREIGN = 8

/** Hundredths of a token by the kind of the character before (rows; control and foreign count as marks) and of the character itself. */
const COST = Uint8Array.from(data.cost.flat())
/** Costs of the third and each further of equal characters, by their kind: long runs are few tokens. */
const REPEATED = Float64Array.from(data.repeated)
/** Words mix vowels and consonants: each small letter after three of its sort in a row tells of letters that form no word. */
const ODD_LETTER = 139

/** Fewer letters and digits than this to a piece of one kind, on average, are hex or base64, not words; costs of their characters by kind. */
const MIXED = 2.6
const MIXED_COST = { [LOWER]: 55, [UPPER]: 93, [DIGIT]: 67 } as const

/** First UTF-16 unit of a script in hexadecimal digits, and the cost of a unit of its running text. */
const SCRIPTS = data.scripts.split(' ')
const FOREIGN_COST = new Uint16Array(0x10000)
for (const script of SCRIPTS) {
  const [first = '', cost] = script.split(':')
  FOREIGN_COST.fill(Number(cost), Number.parseInt(first, 16))
}

const KIND = new Uint8Array(0x10000).fill(FOREIGN)
KIND.fill(CONTROL, 0, 0x20).fill(MARK, 0x20, 0x7f).fill(CONTROL, 0x7f, 0x80)
KIND.fill(DIGIT, 0x30, 0x3a).fill(UPPER, 0x41, 0x5b).fill(LOWER, 0x61, 0x7b)
/** The sorts of letters: consonants, vowels. */
const SORT = new Uint8Array(0x10000).fill(1, 0x41, 0x5b).fill(1, 0x61, 0x7b)
for (const vowel of 'aeiouyAEIOUY') SORT[vowel.charCodeAt(0)] = 2
for (const [marks, kind] of [
  [' \t', SPACE],
  ['\n\r', NEWLINE],
  ['._-(\\', JOINER],
] as const)
  for (const mark of marks) KIND[mark.charCodeAt(0)] = kind

/** Estimates the tokens of a text (o200k_base; others need a learned factor). Linear, and at most its UTF-8 bytes. */
export function estimateTokens(text: string): number {
  let hundredths = 0
  let [previous, before, repeats, alike] = [-1, NEWLINE, 0, 0]
  /** Letters and digits with nothing between them: how many, and in how many pieces of one kind. */
  let [chars, pieces] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = KIND[code] as number
    repeats = code === previous ? repeats + 1 : 0
    alike = SORT[code] === SORT[previous] ? alike + 1 : 0
    const isInRun = Number(kind >= LOWER && kind <= DIGIT)
    chars = isInRun * (chars + 1)
    pieces = isInRun * (pieces + Number(isBeginOfPiece(before, kind)))
    if (repeats > 1 && doesMerge(code)) hundredths += REPEATED[kind] as number
    else if (pieces > 2 && chars < MIXED * pieces) hundredths += MIXED_COST[kind as keyof typeof MIXED_COST]
    else {
      hundredths += (COST[before * REPEATED.length + kind] as number) + (FOREIGN_COST[code] as number)
      if (alike > 2 && kind === LOWER) hundredths += ODD_LETTER
    }
    previous = code
    before = Math.min(kind, MARK)
  }
  return Math.min(Math.ceil(hundredths / 100), Buffer.byteLength(text))
}

/** Tests whether a letter or digit begins a piece: a word may begin with capitals. */
const isBeginOfPiece = (before: number, kind: number): boolean =>
  kind !== before && !(before === UPPER && kind === LOWER)

/** Tests whether runs of a character merge to few tokens: of foreign ones only those of drawings do. */
const doesMerge = (code: number): boolean => code < 0x80 || (code >= 0x2000 && code < 0x3000)

/** Bounds the estimate: a UTF-16 unit is three bytes at most, and a byte is one token at most. */
export const mostTokens = (text: string): number => 3 * text.length
