import data from '../words.json' with { type: 'json' }
import { wordSet } from '../words.ts'
import { ANSI_TAIL, NormalText, rewrite } from './normal-text.ts'

/**
 * Escapes characters of trajectory text for the judge.
 *
 * Escaped, never deleted: control characters (but for tab and line feed), bidirectional and invisible characters, tags,
 * variation selectors, lone surrogates, and whatever looks like a frame of the prompt. `⟨U+200B⟩` stands for one character,
 * `⟨U+0000×12⟩` for a run. The brackets of an escape are themselves escaped where they would read as one, so the writing has
 * one meaning. Only the carriage return of a CRLF line end is folded away.
 */

const HIDDEN =
  '\\0-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}\\u{1d173}-\\u{1d17a}⟦'
const FRAME_WORDS = ['STEP', 'END', 'TRAJECTORY', 'GROUND', 'QUESTION', 'RUBRIC', 'EVIDENCE', 'OMITTED'] as const
const PART_WORDS = ['user', 'system', 'agent_reasoning', 'agent_message', 'agent_action', 'tool_output'] as const

/** Writes the pattern of words in any case. */
const anyCase = (words: readonly string[]): string =>
  words.map((word) => word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)).join('|')

/** The first mark of a line that looks like a frame of the prompt. */
const FRAME = `(?<=(?<![^\\n])[ \\t]*)(?:=(?==+[ \\t]*(?:${anyCase(FRAME_WORDS)}))|-(?=-+[ \\t]*(?:${anyCase(PART_WORDS)})))`
/** Two characters only before what makes them an escape or the opening of a special token; four equal ones or more are one run. */
const SPECIAL = new RegExp(`\\r(?=\\n)|(?:([${HIDDEN}])(?:\\1{3,})?|<(?=\\|)|⟨(?=U\\+)|${FRAME})`, 'gu')

/** Takes a piece of source text, and the text shown instead of it. */
type OnEscape = (start: number, end: number, shown: string) => void

/** Tells of the escapes of `text[from, to)`, in order. Linear. */
export function eachEscape(text: string, from: number, to: number, tell: OnEscape): void {
  SPECIAL.lastIndex = from
  for (let match = SPECIAL.exec(text); match !== null && match.index < to; match = SPECIAL.exec(text)) {
    const { 0: there, index } = match
    const isFolded = there === '\r' && text[index + 1] === '\n'
    const shown = there.slice(0, to - index)
    tell(index, index + shown.length, isFolded ? '' : escapeOf(shown))
    SPECIAL.lastIndex = index + shown.length
  }
}

/** Writes the escape of one character or a run of equal ones. */
function escapeOf(run: string): string {
  const point = run.codePointAt(0) ?? 0
  const count = run.length / (point > 0xffff ? 2 : 1)
  const hex = point.toString(16).toUpperCase().padStart(4, '0')
  return `⟨U+${hex}${count === 1 ? '' : `×${count}`}⟩`
}

const LONGEST_RUN = 100_000
const ESCAPE = /⟨U\+([0-9A-F]{4,6})(?:×([0-9]{1,6}))?⟩/g

/** Reads escapes in a judge's quote back; null where the characters would be more than `most`: a run of a few characters stands for 100,000. Linear; unknown writings stay. */
export function unescapeWithin(shown: string, most = Number.POSITIVE_INFINITY): string | null {
  let length = 0
  const plain = shown.replace(ESCAPE, (written: string, hex: string, count = '1') => {
    const [point, times] = [Number.parseInt(hex, 16), Number(count)]
    if (point > 0x10ffff || times > LONGEST_RUN) return written
    length += times * (point > 0xffff ? 2 : 1)
    return length > most ? '' : String.fromCodePoint(point).repeat(times)
  })
  return length > most ? null : plain
}

/** The value of a cell. A list is joined by `; `; null and undefined are empty. */
export type CsvValue = string | number | boolean | null | undefined | readonly string[]

/** Control, bidirectional and invisible characters, and lone surrogates: a name must not steer a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Characters that begin a formula in a spreadsheet, full-width forms included. */
const FORMULA_STARTS: readonly string[] = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

/** Joins the cells of a row of RFC 4180. Invisible characters are `⟨U+001B⟩`; an apostrophe defuses formulas; numbers stay numbers. */
export const csvCells = (values: readonly CsvValue[]): string => values.map(csvCell).join(',')

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const shown = (typeof value === 'string' ? value : value.join('; ')).replaceAll(UNSEEN, escapeOf)
  // Spreadsheets ignore leading space.
  const text = FORMULA_STARTS.includes(shown.trimStart()[0] ?? '') ? `'${shown}` : shown
  return text.includes('"') || text.includes(',') ? `"${text.replaceAll('"', '""')}"` : text
}

/** One level of escapes, as JSON, programming languages, HTML and addresses write them. */

const HEX = '[0-9a-fA-F]'
/** Letters of escapes, and what is written for them where texts are searched; case and the kinds of white space do not count there. */
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: ' ', v: ' ', f: ' ', b: ' ' }
const TAGS = wordSet(data.tags)

/** Entities of Latin-1 in their order, from U+00A0 on. */
const LATIN = data.latin_entities.split(' ')
const OTHERS =
  'lt< gt> amp& quot" apos\' lsquo‘ rsquo’ ldquo“ rdquo” oeligœ OEligŒ ndash– mdash— hellip… bull• euro€'.split(' ')
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.map((name, at) => [name, String.fromCharCode(0xa0 + at)] as const),
  ...OTHERS.map((entity) => [entity.slice(0, -1), entity.slice(-1)] as const),
  ['nbsp', ' '],
])

/** Writes the pattern of bytes that make one character of UTF-8, up to three of them, where each is written as an escape. */
const utf8 = (lead: (digits: string) => string): string =>
  `${lead('[c-dC-D]')}${lead('[89abAB]')}|${lead('[eE]')}(?:${lead('[89abAB]')}){2}`
const percentByte = (high: string): string => `%${high}${HEX}`
/** Quoted-printable of mails: `=C3=9C`. */
const mailByte = (high: string): string => `=${high}${HEX}`
const hexByte = (high: string): string => `\\\\x${high}${HEX}`
/** `\303\251`, as `git` and `ls` write names; of ASCII nothing is written so. */
const OCTAL = '\\\\3[0-3][0-7]\\\\2[0-7]{2}|\\\\3[45][0-7](?:\\\\2[0-7]{2}){2}|\\\\[23][0-7]{2}'

const CONTROL = '\\\\(?:x1[bB]|u001[bB]|e|033)'
const IS_CONTROL = new RegExp(`^${CONTROL}`)
/** No groups: a text can be full of escapes, and their first characters tell them apart. */
const CODED = new RegExp(
  [
    `(?:${CONTROL}|\\^\\[)${ANSI_TAIL}`,
    `${utf8(percentByte)}|%${HEX}{2}|${utf8(mailByte)}`,
    `${utf8(hexByte)}|\\\\x(?!1[bB])${HEX}{2}`,
    OCTAL,
    `\\\\u(?!001[bB])${HEX}{4}|\\\\u\\{${HEX}{1,6}\\}|\\\\U${HEX}{8}`,
    `&#[xX]${HEX}{1,4};|&#[0-9]{1,5};|&[a-zA-Z0-9]{2,6};`,
    '\\^[IM]',
    '</?[a-zA-Z][a-zA-Z0-9]{0,5}\\b[^<>\\n]{0,290}>',
    '\\\\[nrtvfb!-/:-@[-^`{-~]',
  ].join('|'),
  'g',
)

/** Reads all kinds of escapes back by one level; the text itself where it holds none. Linear. */
export const decodeEscapes = (source: NormalText): NormalText => rewrite(source, CODED, ([there]) => readEscape(there))

/** Reads an escape; null: it is none. */
function readEscape(there: string): string | null {
  switch (there[0]) {
    case '%':
    case '=':
      return charactersOf(there.slice(1).split(/[%=]/), 16)
    case '^':
      return there[1] === 'I' ? ' ' : ''
    case '&':
      return readEntity(there.slice(1, -1))
    case '<':
      return TAGS.has(/[a-z0-9]+/i.exec(there)?.[0].toLowerCase() ?? '') ? '' : null
    default:
      return readBackslash(there, there[1] ?? '')
  }
}

function readBackslash(there: string, kind: string): string | null {
  if (there.length === 2) return LETTERS[kind] ?? kind
  if (IS_CONTROL.test(there)) return ''
  if (kind === 'x') return charactersOf(there.slice(2).split('\\x'), 16)
  if (kind === 'u' || kind === 'U')
    return unitOf(Number.parseInt(there.replace(/^..\{?/, ''), 16), there[2] === '{' ? 1 : 0)
  return charactersOf(there.slice(1).split('\\'), 8)
}

function readEntity(name: string): string | null {
  if (!name.startsWith('#')) return ENTITIES.get(name) ?? null
  return unitOf(Number(name.replace(/^#[xX]/, '0x').replace('#', '')), 1)
}

const unitOf = (code: number, least: number): string | null =>
  code < least || code > 0xffff ? null : String.fromCharCode(code)

/** Reads bytes as the one character that they make; bytes that make none stand for themselves. */
function charactersOf(bytes: readonly string[], radix: number): string {
  const units = String.fromCharCode(...bytes.map((digits) => Number.parseInt(digits, radix)))
  return units < '\x80' ? units : charactersIn(units)
}

function charactersIn(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString()
  return text.includes('\ufffd') ? bytes : text
}

const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g

/** Reads units that are bytes as UTF-8; bytes that make no character stand for themselves. */
const decodeUtf8 = (bytes: NormalText): NormalText => rewrite(bytes, UTF8, ([there]) => charactersIn(there))

/** The escapes of a JSON string but for `\b` and `\f`: no quote holds the characters that they stand for. */
const JSON_ESCAPE = new RegExp(`\\\\(?:u(${HEX}{4})|([nrt"/\\\\]))`, 'g')
const JSON_LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Reads the escapes of JSON back by one level; the text itself where it holds none. Linear. */
export const decodeJson = (source: NormalText): NormalText =>
  source.text.includes('\\')
    ? rewrite(source, JSON_ESCAPE, ([, unit, letter = '']) =>
        unit === undefined ? (JSON_LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(unit, 16)),
      )
    : source

/** A line of `xxd`, `hexdump -C`, `od -t x1z` or `tcpdump -X`, near the beginning of its data. */
const DUMP = /^[ \t]*0[0x][0-9a-f]{2,14}(?::|[ \t])[ \t]*[0-9a-f]{2}/im
/** `00000010: 5275 6e20 …`, `00000010  52 75 6e 20  …`, `0x0010:  5275 …`: at most 64 bytes; behind a colon two blanks end them. */
const LINE = /^[ \t]*(?:0x)?[0-9a-f]{4,16}(?::[ \t]*((?:[0-9a-f]{2} ?){1,64})|[ \t]+((?:[0-9a-f]{2} *){1,64}))/gim
const BYTE = /[0-9a-f]{2}/gi

/** Reads the bytes of a dump, joined over their lines, as UTF-8; null: the text is no dump. Linear. */
export function dumpedText(text: string): NormalText | null {
  if (!DUMP.test(text)) return null
  const bytes: number[] = []
  const edits: number[] = []
  for (const { 0: line, 1: packed, 2: spread = '', index } of text.matchAll(LINE)) {
    const listed = packed ?? spread
    const from = index + line.length - listed.length
    for (const byte of listed.matchAll(BYTE)) {
      const place = from + byte.index
      edits.push(bytes.length, bytes.length + 1, place, place + 2)
      bytes.push(Number.parseInt(byte[0], 16))
    }
  }
  const read = new NormalText(Buffer.from(bytes).toString('latin1'), Uint32Array.from(edits))
  return bytes.length === 0 ? null : decodeUtf8(read)
}
