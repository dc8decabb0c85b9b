import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { lazy } from '../result.ts'
import { MAX_QUOTE_CHARS } from '../rubric/answer.ts'
import { decodeJson, unescapeWithin } from '../text/escape.ts'
import { readLetters } from '../text/letters.ts'
import { foldText, NormalText } from '../text/normal-text.ts'
import { isBlankForward, lineStart } from '../text/search.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { dropEmphasis } from './quote-forms.ts'

/** The passes that a quote and the text around a place of its letters go through before they are compared. */
export const QUOTE_PASSES = { white_space: true, typographic_quotes: true, unicode: true } as const

/** A quote with some of its wrapping off. */
interface Layer {
  readonly text: string
  readonly used: readonly QuoteNormalization[]
  /** Tests of a place, by the signs that were taken off. */
  readonly edges: readonly Edge[]
  /** The names that the quote was set in: they must be those of the part. */
  readonly names: readonly string[]
}

/** Tests whether no sign of the text stands against a sign that was taken off the quote at `[start, end)`. */
type Edge = (text: string, start: number, end: number) => boolean

/** One way to read a quote: what is left of it when a wrapping is off, and its escapes read back or not. */
export interface Reading extends Layer {
  /** As it is compared with a text as it stands, and with one whose emphasis was dropped. */
  readonly whole: ReturnType<typeof compared>
  readonly plain: ReturnType<typeof compared>
}

/** A quote with all the ways to read it, worked out once for all parts. */
export type Quote = ReturnType<typeof readQuote>

const SHORT_QUOTE = 12
const MOST_LAYERS = 12
const LONGEST_EXPANSION = 4 * MAX_QUOTE_CHARS

/** Reads a quote. `partNames`: the names that the quote can be set in, asked for where it does not stand as it is written. */
export function readQuote(text: string, partNames: () => ReadonlySet<string>) {
  const plain = unescapeWithin(text, LONGEST_EXPANSION)
  const visible = visibleIn(plain ?? '')
  return {
    text,
    /** White space and control sequences alone prove nothing, even where they are a whole line. */
    isBlank: foldText(text, { ansi: true, white_space: true }).trim() === '',
    /** As written, the quote is too short to prove anything, unless it is a whole line. */
    short: plain !== null && visible < SHORT_QUOTE,
    /** Control sequences are dropped from the text only where the quote has none: a sequence that it keeps must be right, digit by digit. */
    ansi: plain?.includes('\u001b') === false,
    /** No text with fewer units can hold the quote. */
    least: Math.min(text.length, SHORT_QUOTE, visible >> 3),
    /** The readings; empty where the escapes of the quote stand for more than any quote may hold. Not asked for where it stands as it is written. */
    ways: lazy(() => (plain === null ? NO_WAYS : readWays(plain, partNames()))),
  }
}

type Ways = ReturnType<typeof readWays>
const NO_WAYS: Ways = { readings: [], letters: [] }

/** Lists the readings of a quote, the plainest first, with the letters of them; no letters: the quote is to be sought anywhere. */
function readWays(plain: string, partNames: ReadonlySet<string>) {
  const escaped = (layer: Layer): Layer => ({
    ...layer,
    text: decodeJson(new NormalText(layer.text)).text,
    used: [...layer.used, 'escapes'],
  })
  const layers = layersOf(plain, partNames)
  const inside = layersOf(decodeJson(new NormalText(plain)).text, partNames)
  const all = [
    ...layers.flatMap((layer) => [layer, escaped(layer)]),
    ...inside.map((layer) => ({ ...layer, used: escaped(layer).used })),
  ]
  const readings: readonly Reading[] = all
    .filter(({ text }, index) => all.findIndex((layer) => layer.text === text) === index)
    .map((layer) => {
      const bare = dropEmphasis(new NormalText(layer.text)).text
      return { ...layer, whole: compared(layer.text), plain: compared(bare) }
    })
    .filter(({ whole }) => whole.folded !== '')
  const letters = new Set(readings.flatMap(({ text }) => readLetters(text).map((form) => form.text)))
  return { readings, letters: letters.has('') || plain.includes('\u001b') ? [] : [...letters] }
}

function visibleIn(text: string): number {
  let visible = 0
  for (const character of text) if ((character > ' ' && character <= '~') || character.trim() !== '') visible++
  return visible
}

/** Puts a reading through the passes. */
const compared = (text: string) => ({
  folded: foldText(text, QUOTE_PASSES).trim(),
  /** With its line breaks and tabs told apart, for texts whose escapes are read back. */
  broken: foldText(text, { ...QUOTE_PASSES, breaks: true }).trim(),
  /** Too short to prove anything, unless it is a whole line. */
  short: visibleIn(text) < SHORT_QUOTE,
})

/** The quote as it is, and with one layer of wrapping after the other taken off, outside in. */
function layersOf(text: string, partNames: ReadonlySet<string>): Layer[] {
  const layers: Layer[] = [{ text, used: [], edges: [], names: [] }]
  for (const layer of layers)
    for (const next of unwrap(layer, partNames))
      if (next.text !== '' && layers.length < MOST_LAYERS && layers.every((known) => known.text !== next.text))
        layers.push(next)
  return layers
}

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

/** Takes off a quote's frame of a name; the outermost of fence, pair, ellipsis and mark before it; the sign at its end. Never looks inside. */
function unwrap(layer: Layer, partNames: ReadonlySet<string>): Layer[] {
  const quote = layer.text.trim()
  const off = (text: string | undefined, edges: Edge[] = [], used: QuoteNormalization = 'wrapping'): Layer[] =>
    text === undefined
      ? []
      : [{ ...layer, text: text.trim(), used: [...new Set([...layer.used, used])], edges: [...layer.edges, ...edges] }]
  const behind = (mark: RegExpExecArray | null): string | undefined => {
    const rest = mark === null ? '' : quote.slice(mark[0].length)
    return LINE_END.test(rest) ? undefined : rest
  }
  const frame = [...framesOf(quote)].find(([name = '']) => partNames.has(name.toLowerCase()))
  const names = [...layer.names, ...(frame?.slice(0, 1) ?? []).map((name) => name.toLowerCase())]
  const line = LINE_MARK.exec(quote)
  const ellipsis = [TRAILING_ELLIPSIS, LEADING_ELLIPSIS].find((pattern) => pattern.test(quote))
  const outer = [
    off(FENCE.exec(quote)?.[2]),
    off(withoutPair(quote)),
    off(ellipsis && quote.replace(ellipsis, ''), [], 'ellipsis'),
    off(behind(LIST_MARK.exec(quote)), [allowsList]),
    off(behind(line), [allowsLine(line?.[1] ?? '')]),
  ].find((layers) => layers.length > 0)
  return [
    ...off(frame?.[1]).map((framed) => ({ ...framed, names })),
    ...(outer ?? []),
    ...off(/[.,;]$/.test(quote) ? quote.slice(0, -1) : undefined, [allowsEnd]),
  ]
}

function withoutPair(text: string): string | undefined {
  const pair = PAIR.exec(text)
  if (pair !== null) return pair[2] ?? pair[4]
  const isQuoted = text.length > 2 && QUOTATION_MARKS.includes(`${text[0]}${text.at(-1)}`)
  return isQuoted ? text.slice(1, -1) : undefined
}

const LONGEST_HEAD = 200
const LINE_MARKS = ':|│→.)'
const CLOSING = '"\'`)]}>*_”’»\n'

/** A full stop, comma or semicolon was taken off. */
const allowsEnd: Edge = (text, _start, end) => CLOSING.includes(text[end] ?? '\n') || isBlankForward(text, end)

/** The mark of a list was taken off. */
const allowsList: Edge = (text, start) => !'-+*•>'.includes(headOf(text, start)[0] ?? ' ')

/** The number of a whole line, or the `+` of a diff, was taken off. */
const allowsLine =
  (number: string): Edge =>
  (text, start) => {
    const head = headOf(text, start)
    if (start - lineStart(text, start) > LONGEST_HEAD) return false
    const bare = LINE_MARKS.includes(head.at(-1) ?? ' ') ? head.slice(0, -1).trim() : head
    return head === '' || (number !== '' && bare === number)
  }

/** Takes the beginning of the line before a place. */
function headOf(text: string, start: number): string {
  const line = lineStart(text, start)
  return text.slice(line, Math.min(start, line + LONGEST_HEAD)).trim()
}

const MOST_COLONS = 4

const COMMON: Readonly<Partial<Record<Actor, readonly string[]>>> = {
  agent_action: ['action', 'bash', 'cmd', 'command', 'shell'],
  tool_output: ['observation', 'output', 'result', 'stdout'],
}

/** The names by which a quote can say that it is from a part, in lower case: its own, the pieces of it, who wrote it, and common ones. */
export const namesOfPart = ({ name, actor }: Part): readonly string[] => [
  ...[name, actor, ...name.split('.')]
    .filter((word) => word.length > 1 && Number.isNaN(Number(word)))
    .map((word) => word.toLowerCase()),
  ...(COMMON[actor] ?? []),
]

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
