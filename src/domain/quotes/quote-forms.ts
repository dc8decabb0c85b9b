import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { decodeJson } from '../text/escape.ts'
import { dropRanges, NormalText, type Range, rewrite } from '../text/normal-text.ts'
import { lineEnd, lineStart } from '../text/search.ts'

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

/** Tests whether the prefixes in a range are those of a listing: every line has one, and numbers count the lines. A `+` needs a diff around it. */
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

/** Drops pairs of Markdown marks around words on one line; a mark inside a word (`2*3*4`, `a_b`) or between blanks is none. Linear. */
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
