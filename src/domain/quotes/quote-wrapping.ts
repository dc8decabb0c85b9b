import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { lineStart } from '../text/lines.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { isBlankForward } from './quote-exact.ts'

/** What is left of a quote when its outermost wrapping is off. */
interface Peeled {
  readonly text: string
  readonly layer: Extract<QuoteNormalization, 'wrapping' | 'ellipsis'>
  readonly edge: Edge | null
}

/**
 * What was peeled stands where the text could have a sign of its own, which the quote would have changed. `list`: a list mark; `line`: the `+` or the
 * number of a whole line (by its digits); `end`: a full stop, comma or semicolon at the end.
 */
export type Edge =
  | { readonly kind: 'list' }
  | { readonly kind: 'end' }
  | { readonly kind: 'line'; readonly number: string }

const PAIRS: readonly (readonly [string, string])[] = [
  ['***', '***'],
  ['**', '**'],
  ['__', '__'],
  ['``', '``'],
  ['`', '`'],
  ['*', '*'],
  ['_', '_'],
  ['\\"', '\\"'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['”', '”'],
  ['„', '“'],
  ['„', '”'],
  ['‘', '’'],
  ['‚', '‘'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['「', '」'],
  ...['quote', 'code', 'pre', 'q', 'blockquote', 'excerpt'].map((tag) => [`<${tag}>`, `</${tag}>`] as const),
]
const ELLIPSES = ['[...]', '(...)', '[…]', '(…)', '...', '…']
const LIST_MARKS = ['- ', '* ', '• ', '> ']
/** `4: `, `L4: `, `line 4: `, `4. `, `4) `. */
const LINE_NUMBER = /^(?:L|[Ll]ine )?([1-9]\d{0,6})[:.)] /
/** A line end, also an escaped one: what stands before it marks a line of its own, which is no wrapping of the next. */
const LINE_END = /^[ \t]*(?:\n|\r|\\{1,4}[nr])/
const ENDS = '.,;'
const FENCES = '`~'
const SHORTEST_FENCE = 3
const LONGEST_TAG = 20
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
  const marked = (mark: string | undefined, edge: Edge): Peeled | null => {
    const rest = mark === undefined ? '' : text.slice(mark.length)
    return rest === '' || LINE_END.test(rest) ? null : wrapping(rest, edge)
  }
  const number = LINE_NUMBER.exec(text)
  const outer =
    wrapping(withoutFence(text)) ??
    wrapping(withoutPair(text)) ??
    withoutEllipsis(text) ??
    marked(LIST_MARKS.find((one) => text.startsWith(one)) ?? promptOf(text), { kind: 'list' }) ??
    marked(number?.[0], { kind: 'line', number: number?.[1] ?? '' }) ??
    marked(isAdded(text) ? '+' : undefined, { kind: 'line', number: '' })
  const cut = wrapping(hasEnd(text) ? text.slice(0, -1) : null, { kind: 'end' })
  return [outer, cut].filter((one) => one !== null)
}

function withoutFence(text: string): string | null {
  const mark = text[0] ?? ''
  let length = 0
  while (text[length] === mark) length++
  if (mark === '' || !FENCES.includes(mark) || length < SHORTEST_FENCE || text.length <= 2 * length) return null
  if (!text.endsWith(text.slice(0, length))) return null
  const inside = text.slice(length, -length)
  const line = inside.indexOf('\n')
  return line !== -1 && isTag(inside.slice(0, line)) ? inside.slice(line + 1) : inside
}

const isTag = (text: string): boolean => {
  const tag = text.trim()
  return tag.length <= LONGEST_TAG && [...tag].every((one) => one.trim() !== '' && one !== '`')
}

function withoutPair(text: string): string | null {
  const pair = PAIRS.find(
    ([open, close]) => text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close),
  )
  return pair === undefined ? null : text.slice(pair[0].length, -pair[1].length)
}

function withoutEllipsis(text: string): Peeled | null {
  const end = ELLIPSES.find((one) => text.endsWith(one))
  if (end !== undefined) return { text: text.slice(0, -end.length).trim(), layer: 'ellipsis', edge: null }
  const start = ELLIPSES.find((one) => text.startsWith(one))
  return start === undefined ? null : { text: text.slice(start.length).trim(), layer: 'ellipsis', edge: null }
}

/** A line of a diff, and not a sign, a flag or an operator. */
const isAdded = (text: string): boolean => text.startsWith('+') && !'+=-0123456789.,'.includes(text[1] ?? '+')

const hasEnd = (text: string): boolean => ENDS.includes(text.at(-1) ?? ' ')

/** A shell's prompt before a command, and not the sign of an amount. */
const promptOf = (text: string): string | undefined =>
  text.startsWith('$ ') && !'0123456789.,-'.includes(text[2] ?? '0') ? '$ ' : undefined

const CLOSING = '"\'`)]}>*_”’»\n'

/** Whether nothing in the text stands against what was peeled off a quote that is found there. */
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

/** What a quote is set in, where it says by name which part it is from: `Bash.command: make`, `"command": "make"`, `{"command": "make"}`, `Bash(make)`, `[tool_output] make`. */
interface Framed {
  readonly name: string
  readonly text: string
}

const QUOTES = '"\'`'
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
  const text = quote.trim()
  const framed = (name: string, rest: string): Framed | null =>
    names.has(lower(name)) ? { name: lower(name), text: rest.trim() } : null
  if (text.startsWith('[')) {
    const end = text.indexOf(']')
    return end === -1 ? null : framed(text.slice(1, end), text.slice(end + 1))
  }
  if (text.startsWith('{') && text.endsWith('}')) {
    const member = text.slice(1, -1).trim()
    return member.startsWith('"') ? withoutLabel(member, framed) : null
  }
  const call = text.endsWith(')') ? text.indexOf('(') : -1
  const value = text.indexOf('=')
  return (
    (call === -1 ? null : framed(text.slice(0, call), text.slice(call + 1, -1))) ??
    (value === -1 || !isQuote(text[value + 1]) ? null : framed(text.slice(0, value), text.slice(value + 1))) ??
    withoutLabel(text, framed)
  )
}

/** A name can hold a colon of its own. */
function withoutLabel(text: string, framed: (name: string, rest: string) => Framed | null): Framed | null {
  let at = text.indexOf(':')
  for (let colons = 0; at !== -1 && colons < MOST_COLONS; colons++, at = text.indexOf(':', at + 1)) {
    const next = text[at + 1] ?? ''
    if (next.trim() !== '' && !isQuote(next)) continue
    const label = text.slice(0, at)
    const isQuoted = isQuote(label[0]) && label.endsWith(label[0] ?? '')
    const found = framed(isQuoted ? label.slice(1, -1) : label, text.slice(at + 1))
    if (found !== null) return found
  }
  return null
}

const isQuote = (character: string | undefined): boolean => character !== undefined && QUOTES.includes(character)
