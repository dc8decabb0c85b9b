import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { lineStart } from '../text/lines.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { isBlankForward } from './quote-exact.ts'

/** A quote without its outermost wrapping. */
interface Peeled {
  readonly text: string
  readonly layer: Extract<QuoteNormalization, 'wrapping' | 'ellipsis'>
  readonly edge: Edge | null
}

/**
 * An end at which the text could have a sign of its own, which the peeled sign would have changed. `list`: a list mark; `line`: the `+` or the
 * number of a whole line (by its digits); `end`: a full stop, comma or semicolon at the end.
 */
export type Edge =
  | { readonly kind: 'list' }
  | { readonly kind: 'end' }
  | { readonly kind: 'line'; readonly number: string }

/** Pairs of one mark, and of an HTML tag. */
const PAIR = /^(?:(\*{1,3}|_{1,2}|`{1,2}|\\"|"|')(.+)\1|<(quote|code|pre|q|blockquote|excerpt)>(.+)<\/\3>)$/s
const QUOTATION_MARKS = ['“”', '””', '„“', '„”', '‘’', '‚‘', '«»', '»«', '‹›', '「」']
/** A fence, with the name of a language on its first line. */
const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))(?:[ \t]*[^\s`]{0,20}[ \t]*\n)?(.+)\1$/s
const ELLIPSIS = String.raw`(?:\[(?:\.{3}|…)\]|\((?:\.{3}|…)\)|\.{3}|…)`
const LEADING_ELLIPSIS = new RegExp(`^${ELLIPSIS}`)
const TRAILING_ELLIPSIS = new RegExp(`${ELLIPSIS}$`)
/** The mark of a list or a quotation, or a shell's prompt before a command, and not the sign of an amount. */
const LIST_MARK = /^(?:[-*•>] |\$ (?![0-9.,-]|$))/
/** `4: `, `L4: `, `line 4: `, `4. `, `4) `; the `+` of a diff, and not a sign, a flag or an operator. */
const LINE_MARK = /^(?:(?:L|[Ll]ine )?([1-9]\d{0,6})[:.)] |\+(?![-+=0-9.,]|$))/
/** A line end, also an escaped one: what stands before it marks a line of its own, which is no wrapping of the next. */
const LINE_END = /^[ \t]*(?:\n|\r|\\{1,4}[nr]|$)/
const LONGEST_HEAD = 200
const LINE_MARKS = ':|│→.)'

/**
 * Takes the outermost layer off a quote: a fence, a pair of marks, an ellipsis, else a mark before it; or the sign at its end, which can be its own.
 * Never looks inside.
 */
export function peel(quote: string): Peeled[] {
  const text = quote.trim()
  const wrapping = (inside: string | null, edge: Edge | null = null): Peeled | null =>
    inside === null ? null : { text: inside.trim(), layer: 'wrapping', edge }
  const behind = (mark: RegExpExecArray | null, edge: Edge): Peeled | null => {
    const rest = mark === null ? '' : text.slice(mark[0].length)
    return LINE_END.test(rest) ? null : wrapping(rest, edge)
  }
  const line = LINE_MARK.exec(text)
  const outer =
    wrapping(FENCE.exec(text)?.[2] ?? null) ??
    wrapping(withoutPair(text)) ??
    withoutEllipsis(text) ??
    behind(LIST_MARK.exec(text), { kind: 'list' }) ??
    behind(line, { kind: 'line', number: line?.[1] ?? '' })
  const cut = wrapping(/[.,;]$/.test(text) ? text.slice(0, -1) : null, { kind: 'end' })
  return [outer, cut].filter((one) => one !== null)
}

function withoutPair(text: string): string | null {
  const pair = PAIR.exec(text)
  if (pair !== null) return pair[2] ?? pair[4] ?? null
  const isQuoted = text.length > 2 && QUOTATION_MARKS.includes(`${text[0]}${text.at(-1)}`)
  return isQuoted ? text.slice(1, -1) : null
}

function withoutEllipsis(text: string): Peeled | null {
  const cut = [TRAILING_ELLIPSIS, LEADING_ELLIPSIS].find((pattern) => pattern.test(text))
  return cut === undefined ? null : { text: text.replace(cut, '').trim(), layer: 'ellipsis', edge: null }
}

const CLOSING = '"\'`)]}>*_”’»\n'

/** Tests whether no sign of the text stands against the sign that was peeled off a quote at a place. */
export function allowsEdge(text: string, start: number, end: number, edge: Edge): boolean {
  if (edge.kind === 'end') return CLOSING.includes(text[end] ?? '\n') || isBlankForward(text, end)
  const line = lineStart(text, start)
  const before = text.slice(line, Math.min(start, line + LONGEST_HEAD)).trim()
  if (edge.kind === 'list') return before === '' || !'-+*•>'.includes(before[0] ?? '')
  if (start - line > LONGEST_HEAD) return false
  return before === '' || (edge.number !== '' && withoutMarks(before) === edge.number)
}

const withoutMarks = (head: string): string =>
  (LINE_MARKS.includes(head.at(-1) ?? ' ') ? head.slice(0, -1) : head).trim()

/** A quote that names its part, and the text behind the name: `Bash.command: make`, `"command": "make"`, `{"command": "make"}`, `Bash(make)`, `[tool_output] make`. */
interface Framed {
  readonly name: string
  readonly text: string
}

const MOST_COLONS = 4

const COMMON: Readonly<Partial<Record<Actor, readonly string[]>>> = {
  agent_action: ['action', 'bash', 'cmd', 'command', 'shell'],
  tool_output: ['observation', 'output', 'result', 'stdout'],
}

/** The names by which a quote can say that it is from a part, in lower case: its own, the pieces of it, who wrote it, and common ones. */
export const namesOfPart = ({ name, actor }: Part): readonly string[] => [
  ...[name, actor, ...name.split('.')].filter((one) => one.length > 1 && Number.isNaN(Number(one))).map(lower),
  ...(COMMON[actor] ?? []),
]

const lower = (text: string): string => text.toLowerCase()

/** Takes off the outermost frame that one of the names makes; null: there is none. */
export function withoutFrame(quote: string, names: ReadonlySet<string>): Framed | null {
  for (const [name = '', text = ''] of framesOf(quote.trim()))
    if (names.has(lower(name))) return { name: lower(name), text: text.trim() }
  return null
}

/** Lists the names that a quote may be set in, each with the text behind it: `[name] …`, `{"name": …}`, `name(…)`, `name="…"`, `name: …`. */
function* framesOf(text: string): Generator<readonly string[]> {
  if (text.startsWith('[')) yield /^\[([^\]]*)\](.*)$/s.exec(text)?.slice(1) ?? []
  else if (/^\{.*\}$/s.test(text)) {
    const member = text.slice(1, -1).trim()
    if (member.startsWith('"')) yield* labelsOf(member)
  } else {
    yield /^([^(]*)\((.*)\)$/s.exec(text)?.slice(1) ?? []
    yield /^([^=]*)=(["'`].*)$/s.exec(text)?.slice(1) ?? []
    yield* labelsOf(text)
  }
}

/** Lists labels, quoted or not: a name can hold a colon of its own. */
function* labelsOf(text: string): Generator<readonly string[]> {
  let at = text.indexOf(':')
  for (let colons = 0; at !== -1 && colons < MOST_COLONS; colons++, at = text.indexOf(':', at + 1))
    if (/^[\s"'`]?$/.test(text[at + 1] ?? ''))
      yield [text.slice(0, at).replace(/^(["'`])(.*)\1$/s, '$2'), text.slice(at + 1)]
}
