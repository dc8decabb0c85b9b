import data from '../words.json' with { type: 'json' }
import { wordSet } from '../words.ts'
import { ANSI_TAIL, NormalText, rewrite } from './normal-text.ts'

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
const ESCAPE = new RegExp(
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
export const decodeEscapes = (source: NormalText): NormalText => rewrite(source, ESCAPE, ([there]) => readEscape(there))

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
