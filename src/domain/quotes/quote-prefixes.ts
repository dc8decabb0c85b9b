import { lineStart } from '../text/lines.ts'
import { dropRanges, type NormalText, type Range } from '../text/normal-text.ts'

/**
 * What stands before each line of a listing and is left out by who quotes it: line numbers (`    12\t`, `12:`, `12|`, `12→`, `12 `), the `+`
 * of a diff, the `>` of a quotation. Never `-`: what a diff takes away would read as what it adds.
 */
export const PREFIX_KINDS = ['number', 'plus', 'quotation'] as const
export type PrefixKind = (typeof PREFIX_KINDS)[number]

interface Prefix {
  /** Where the line itself begins. */
  readonly end: number
  readonly number: number
  readonly mark: string
}

const MOST_DIGITS = 7
const MOST_INDENT = 12
const LONGEST_HUNK = 20_000

/** Drops the prefixes of one kind; the text itself where none stands in it. `holdsPrefixes` says where they may be dropped. Linear. */
export const dropPrefixes = (source: NormalText, kind: PrefixKind): NormalText =>
  dropRanges(source, [...prefixesIn(source.text, kind)])

function* prefixesIn(text: string, kind: PrefixKind): Generator<Range> {
  for (let line = 0; line < text.length; ) {
    const prefix = readPrefix(text, line, kind)
    if (prefix !== null) yield { start: line, end: prefix.end }
    const stop = text.indexOf('\n', line)
    line = stop === -1 ? text.length : stop + 1
  }
}

/**
 * Whether the prefixes in a range of a text are those of a listing, so that dropping them drops no word: every line of the range has one,
 * the first too, and numbers count the lines. A `+` before a digit could be a sign: it needs a diff around it (`inDiff`).
 */
export function holdsPrefixes(text: string, { start, end }: Range, kind: PrefixKind, inDiff: boolean): boolean {
  let line = lineStart(text, start)
  let last: Prefix | null = null
  let dropped = 0
  while (line < end) {
    const prefix = readPrefix(text, line, kind)
    if (prefix === null) {
      if (!(inDiff && isContext(text, line))) return false
    } else if (!follows(last, prefix, text, inDiff)) return false
    if (prefix !== null && line > start) dropped++
    last = prefix ?? last
    const stop = text.indexOf('\n', line)
    if (stop === -1) break
    line = stop + 1
  }
  return dropped > 0
}

function follows(last: Prefix | null, prefix: Prefix, text: string, inDiff: boolean): boolean {
  const next = text.charCodeAt(prefix.end)
  if (prefix.mark === '+') return inDiff || !isDigit(next)
  if (prefix.mark === '>') return true
  if (prefix.mark === ':') return !isDigit(next) && (last === null || prefix.number > last.number)
  return last === null || (prefix.number === last.number + 1 && prefix.mark === last.mark)
}

function readPrefix(text: string, line: number, kind: PrefixKind): Prefix | null {
  if (kind === 'plus')
    return text[line] === '+' && text[line + 1] !== '+' ? { end: line + 1, number: 0, mark: '+' } : null
  let at = line
  while (at < line + MOST_INDENT && text[at] === ' ') at++
  if (kind === 'quotation') {
    if (text[at] !== '>' || text[at + 1] === '>') return null
    return { end: at + 1, number: 0, mark: '>' }
  }
  const digits = at
  while (at < digits + MOST_DIGITS && isDigit(text.charCodeAt(at))) at++
  if (at === digits) return null
  const number = Number(text.slice(digits, at))
  const mark = text[at] === ' ' && '|│→'.includes(text[at + 1] ?? ' ') ? (text[++at] ?? '') : (text[at] ?? '')
  return mark !== '' && '\t:|│→ '.includes(mark) ? { end: at + 1, number, mark } : null
}

const isContext = (text: string, line: number): boolean =>
  text[line] === ' ' || text[line] === '\n' || text[line] === '\r'

/** Whether a diff begins not far before a place. */
export function isInDiff(text: string, before: number): boolean {
  const above = text.slice(Math.max(0, before - LONGEST_HUNK), before)
  return ['@@', '+++ ', '*** '].some((mark) => above.includes(mark))
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
