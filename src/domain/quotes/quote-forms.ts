import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { decodeJson } from '../text/decode.ts'
import { lettersOfPart, sourceOf } from '../text/letters.ts'
import { dropRanges, NormalText, type Range, rewrite } from '../text/normal-text.ts'
import { lineEnd, lineStart } from '../text/search.ts'
import type { Part } from '../trajectory/trajectory.ts'

/** A window of a text in one form; the source of both texts is the text without control sequences. */
export interface FormedText {
  readonly form: Form
  readonly plain: NormalText
  /** The window before its line prefixes were dropped. */
  readonly listed: NormalText
}

/** A line number (`    12\t`, `12:`, `12|`, `12→`, `12 `), the `+` of a diff, the `>` of a quotation; never `-`: what a diff takes away would read as what it adds. */
const PREFIXES = {
  number: ' {0,12}(?<number>\\d{1,7})(?<mark> ?[|│→]|[\\t: ])',
  plus: '(?<mark>\\+)(?!\\+)',
  quotation: ' {0,12}(?<mark>>)(?!>)',
} as const
type PrefixKind = keyof typeof PREFIXES
const PREFIX_KINDS = Object.keys(PREFIXES) as readonly PrefixKind[]
const patternsOf = (start: string, flags: string) =>
  Object.fromEntries(PREFIX_KINDS.map((kind) => [kind, new RegExp(start + PREFIXES[kind], flags)])) as Record<
    PrefixKind,
    RegExp
  >
const AT_LINES = patternsOf('(?<![^\\n])', 'g')
const AT_LINE = patternsOf('', 'y')

const NAMES = ['escapes', 'line_prefixes', 'emphasis'] as const satisfies readonly QuoteNormalization[]
export type Form = (typeof FORMS)[number]

/** The ways in which a text is read, the plainest first: their rank is their place. */
export const FORMS = [false, true]
  .flatMap((escapes) =>
    [null, ...PREFIX_KINDS].flatMap((prefix) => [false, true].map((emphasis) => ({ escapes, prefix, emphasis }))),
  )
  .map((form, rank) => {
    const used = { escapes: form.escapes, line_prefixes: form.prefix !== null, emphasis: form.emphasis }
    return { ...form, rank, used: NAMES.filter((name) => used[name]) }
  })

/** Makes the forms of a window that differ from the plainer ones. An action has no emphasis: there a star is a glob and `_x_` a name. */
export function* formsOf(text: string, window: Range, actor: Actor): Generator<FormedText> {
  const whole = NormalText.piece(text, window.start, window.end)
  const decoded = decodeJson(whole)
  for (const form of FORMS) {
    const listed = form.escapes ? decoded : whole
    const bare = form.prefix === null ? listed : rewrite(listed, AT_LINES[form.prefix], () => '')
    const plain = form.emphasis && actor !== 'agent_action' ? dropEmphasis(bare) : bare
    const isPlainer =
      (form.escapes && decoded === whole) ||
      (form.prefix !== null && bare === listed) ||
      (form.emphasis && plain === bare)
    if (!isPlainer) yield { form, plain, listed }
  }
}

const LONGEST_HUNK = 20_000

/** Tests whether a diff begins not far before a place. */
export function isInDiff(text: string, before: number): boolean {
  const above = text.slice(Math.max(0, before - LONGEST_HUNK), before)
  return ['@@', '+++ ', '*** '].some((mark) => above.includes(mark))
}

/**
 * Tests whether the prefixes in a range of a text are those of a listing, so that dropping them drops no word: every line of the range has one, the first
 * too, and numbers count the lines. A `+` before a digit could be a sign: it needs a diff around it (`inDiff`).
 */
export function holdsPrefixes(text: string, { start, end }: Range, kind: PrefixKind, inDiff: boolean): boolean {
  const pattern = AT_LINE[kind]
  let last: Prefix | null = null
  let dropped = 0
  for (let line = lineStart(text, start); line < end; line = lineEnd(text, line) + 1) {
    pattern.lastIndex = line
    const { number, mark = '' } = pattern.exec(text)?.groups ?? {}
    if (mark === '') {
      if (inDiff && ' \n\r'.includes(text[line] ?? '')) continue
      return false
    }
    const prefix = { number: Number(number), mark: mark.slice(-1) }
    if (!isNext(last, prefix, inDiff, /\d/.test(text[pattern.lastIndex] ?? ''))) return false
    if (line > start) dropped++
    last = prefix
  }
  return dropped > 0
}

/** The prefix of a line. */
interface Prefix {
  readonly number: number
  readonly mark: string
}

function isNext(last: Prefix | null, { number, mark }: Prefix, inDiff: boolean, isBeforeDigit: boolean): boolean {
  if (mark === '+') return inDiff || !isBeforeDigit
  if (mark === '>') return true
  if (mark === ':') return !isBeforeDigit && (last === null || number > last.number)
  return last === null || (number === last.number + 1 && mark === last.mark)
}

const MARK = /\*+|_+|`+|\n/g
const LONGEST_MARK = 3
const BLANK = /\s/
const WORD = /[0-9A-Za-z\u00c0-\u1fff\u3000-\uffff]/

/**
 * Drops Markdown emphasis: pairs of `*`, `**`, `***`, the same of `_`, and backticks around words, on one line. A mark inside a word (`2*3*4`,
 * `snake_case_name`) or with white space on both sides (`a * b`) is none. The text itself where no pair stands in it. Linear.
 */
export function dropEmphasis(source: NormalText): NormalText {
  const { text } = source
  if (!/[*_`]/.test(text)) return source
  const paired: Range[] = []
  const open = new Map<string, number>()
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (mark === '\n') open.clear()
    if (mark === '\n' || mark.length > LONGEST_MARK) continue
    const [before, after] = [text[index - 1] ?? ' ', text[index + mark.length] ?? ' ']
    const opener = open.get(mark)
    if (opener !== undefined && !BLANK.test(before) && !WORD.test(after)) {
      for (const start of [opener, index]) paired.push({ start, end: start + mark.length })
      open.delete(mark)
    } else if (!WORD.test(before) && !BLANK.test(after)) open.set(mark, index)
  }
  paired.sort((a, b) => a.start - b.start)
  return dropRanges(source, paired)
}

/** The work that one answer may still cost, in units of text that are folded: the search stops where it is spent. */
export interface Budget {
  left: number
}

const COST_OF_A_PLACE = 40
/** Bounds the places that are counted. */
export const MOST_OCCURRENCES = 10_000

/** The letters by which a quote is sought. */
interface Sought {
  readonly readings: readonly { readonly text: string }[]
  readonly letters: readonly string[]
}

/** Units of text that are searched at the cost of one that is folded. */
const SEARCHED = 32
/** A window reaches to the ends of its lines, up to here: terminals pad with white space. */
const FARTHEST_LINE = 4000

/**
 * Lists the pieces of a part around each place of the quote's letters, joined where they overlap: all of them together are not much longer than the text,
 * however often the letters stand in it. They end where the budget is spent. Offsets are those of `bare`.
 */
export function* windowsOf(
  part: Part,
  bare: NormalText,
  { readings, letters }: Sought,
  budget: Budget,
): Generator<Range> {
  if (readings.length === 0) return
  if (letters.length === 0) return yield { start: 0, end: bare.text.length }
  const longest = Math.max(...readings.map(({ text }) => text.length))
  const places = lettersOfPart(part)
    .flatMap((form) =>
      letters.flatMap((needle) => {
        budget.left -= form.text.length / SEARCHED
        const places = budget.left < 0 ? [] : [...occurrencesOf(form.text, needle, budget)]
        return places.map(({ start, end }) => sourceOf(form, start, end))
      }),
    )
    .map(({ start, end }) => ({ start: bare.unitAt(start), end: bare.unitAt(end) }))
    .sort((a, b) => a.start - b.start)
  let window: { start: number; end: number } | null = null
  for (const place of places) {
    if (window !== null && place.start < window.end) {
      if (place.end > window.end) window.end = reachForward(bare.text, place.end, longest)
      continue
    }
    if (window !== null) yield window
    window = { start: reachBack(bare.text, place.start, longest), end: reachForward(bare.text, place.end, longest) }
  }
  if (window !== null) yield window
}

/** Lists the places of a string that do not overlap, until the budget is spent. */
export function* occurrencesOf(text: string, string: string, budget: Budget): Generator<Range> {
  for (let start = text.indexOf(string); start !== -1; start = text.indexOf(string, start + string.length)) {
    budget.left -= COST_OF_A_PLACE
    if (budget.left < 0) return
    yield { start, end: start + string.length }
  }
}

/** Escapes can double the marks at the ends of a quote, and the marks around it decide how it is read. */
const margin = (longest: number): number => 6 * longest + 256

function reachForward(text: string, from: number, longest: number): number {
  const at = Math.min(text.length, from + margin(longest))
  const line = text.slice(at, at + FARTHEST_LINE).indexOf('\n')
  return line === -1 ? at : at + line
}

function reachBack(text: string, from: number, longest: number): number {
  const at = Math.max(0, from - margin(longest))
  const farthest = Math.max(0, at - FARTHEST_LINE)
  const line = text.slice(farthest, at).lastIndexOf('\n')
  return line === -1 ? at : farthest + line + 1
}
