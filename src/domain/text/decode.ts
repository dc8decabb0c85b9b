import { endOfAnsi } from './fold.ts'
import { type NormalText, UnitWriter } from './normal-text.ts'

/**
 * One level of escapes, as JSON, programming languages, HTML and addresses write them. An escape is one number, because texts can be full of
 * them: its length times 65536 and the unit that it stands for; 0: what stands there is none.
 */
type ReadEscape = number

const lengthOf = (read: ReadEscape): number => read >>> 16
const unitOf = (read: ReadEscape): number => read & 0xffff

const escapeOf = (length: number, unit: number): ReadEscape => length * 0x10000 + unit

/** What a control sequence stands for: nothing that shows. */
const NOTHING = 0x200b
const LONGEST = 30_000
/** `&#65535;` */
const LONGEST_ENTITY = 8
/** `\U000000e9` */
const LONGEST_WIDE = 10
const LONGEST_TAG_NAME = 6
const LONGEST_TAG = 300
const TAGS = new Set(
  'a b big br code del dd div dt em font h1 h2 h3 h4 i ins kbd li mark p pre q s samp small span strong sub sup td th tr tt u var'.split(
    ' ',
  ),
)

/** Those of Latin-1 in their order, from U+00A0 on. */
const LATIN =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil
  sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
  ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig
  ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml`.split(/\s+/)
const ENTITIES: ReadonlyMap<string, number> = new Map([
  ...LATIN.map((name, at) => [name, 0xa0 + at] as const),
  ...([
    ['lt', 0x3c],
    ['gt', 0x3e],
    ['amp', 0x26],
    ['quot', 0x22],
    ['apos', 0x27],
    ['nbsp', 0x20],
  ] as const),
  ...([
    ['lsquo', 0x2018],
    ['rsquo', 0x2019],
    ['ldquo', 0x201c],
    ['rdquo', 0x201d],
    ['oelig', 0x153],
    ['OElig', 0x152],
  ] as const),
  ...([
    ['ndash', 0x2013],
    ['mdash', 0x2014],
    ['hellip', 0x2026],
    ['bull', 0x2022],
    ['euro', 0x20ac],
  ] as const),
])

/** Reads all kinds of escapes back by one level; the text itself where it holds none. Linear. */
export function decodeEscapes(source: NormalText): NormalText {
  const { text } = source
  if (!/[\\&%^<]/.test(text)) return source
  let writer: UnitWriter | null = null
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80 || OPENS[code] === 0) continue
    const read = readEscape(text, at) || readEscapedMark(text, at)
    if (read === 0) continue
    const end = at + lengthOf(read)
    writer ??= new UnitWriter(source)
    writer.copy(from, at)
    if (unitOf(read) !== NOTHING) writer.push(unitOf(read), at, end)
    from = end
    at = end - 1
  }
  writer?.copy(from, text.length)
  return writer?.finish() ?? source
}

/** `\`, `&`, `%`, `^`, `<` */
const OPENS = new Uint8Array(0x80)
for (const opener of '\\&%^<') OPENS[opener.charCodeAt(0)] = 1

/** A backslash before any visible character that is no letter or digit. */
function readEscapedMark(text: string, at: number): ReadEscape {
  const next = text.charCodeAt(at + 1)
  const isMark = next > 0x20 && next < 0x7f && !isLetterOrDigit(next) && next !== 0x5f
  return text.charCodeAt(at) === 0x5c && isMark ? escapeOf(2, next) : 0
}

/** The escapes of a JSON string but for `\b` and `\f`: no quote holds the characters that they stand for. */
const JSON_ESCAPES: ReadonlyMap<number, number> = new Map(
  [...'nrt"/\\'].map((letter, index) => [letter.charCodeAt(0), '\n\r\t"/\\'.charCodeAt(index)] as const),
)

/** Reads the escapes of JSON back by one level; the text itself where it holds none. Linear. */
export function decodeJson(source: NormalText): NormalText {
  const { text } = source
  let writer: UnitWriter | null = null
  let from = 0
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', Math.max(from, at + 1))) {
    const unit = JSON_ESCAPES.get(text.charCodeAt(at + 1))
    const read = unit !== undefined ? escapeOf(2, unit) : text[at + 1] === 'u' ? readHex(text, at, 2, 4) : 0
    if (read === 0) continue
    writer ??= new UnitWriter(source)
    writer.copy(from, at)
    from = at + lengthOf(read)
    writer.push(unitOf(read), at, from)
  }
  writer?.copy(from, text.length)
  return writer?.finish() ?? source
}

/** Reads the escape at `at`, which begins with a backslash, `&`, `%` or `^`, or the tag with `<`; 0: no escape. */
function readEscape(text: string, at: number): ReadEscape {
  const first = text.charCodeAt(at)
  if (first === 0x5c) return readBackslash(text, at)
  if (first === 0x25) return readBytes(text, at, percentByte)
  if (first === 0x5e) return readCaret(text, at)
  if (first === 0x3c) return readTag(text, at)
  if (text[at + 1] === '#') return readNumbered(text, at)
  const end = text.slice(at, at + LONGEST_ENTITY).indexOf(';')
  const unit = end === -1 ? undefined : ENTITIES.get(text.slice(at + 1, at + end))
  return unit === undefined ? 0 : escapeOf(end + 1, unit)
}

/** One byte that is written as an escape at `at`; 0: none is. */
type ReadByte = (text: string, at: number) => ReadEscape

const percentByte: ReadByte = (text, at) => (text[at] === '%' ? readHex(text, at, 1, 2) : 0)
const hexByte: ReadByte = (text, at) => (text[at] === '\\' && text[at + 1] === 'x' ? readHex(text, at, 2, 2) : 0)

/** `\303`, as `git` and `ls` write names; of ASCII nothing is written so. */
function octalByte(text: string, at: number): ReadEscape {
  const high = octalDigit(text.charCodeAt(at + 1))
  if (text[at] !== '\\' || high < 2 || high > 3) return 0
  const middle = octalDigit(text.charCodeAt(at + 2))
  const low = octalDigit(text.charCodeAt(at + 3))
  return middle === -1 || low === -1 ? 0 : escapeOf(4, high * 64 + middle * 8 + low)
}

const octalDigit = (code: number): number => (code >= 0x30 && code <= 0x37 ? code - 0x30 : -1)

/** Bytes of UTF-8 that are written one behind the other are the one character that they make. */
function readBytes(text: string, at: number, read: ReadByte): ReadEscape {
  const first = read(text, at)
  if (first === 0 || unitOf(first) < 0x80) return first
  const length = lengthOf(first)
  let next = at
  const nextByte = (): number => {
    next += length
    const byte = read(text, next)
    return byte === 0 ? -1 : unitOf(byte)
  }
  const character = readCharacter(unitOf(first), nextByte)
  return character === null || character.code > 0xffff ? first : escapeOf(character.bytes * length, character.code)
}

/** `\u{e9}` and `\U000000e9`. */
function readWide(text: string, at: number): ReadEscape {
  const isBraced = text[at + 2] === '{'
  const end = isBraced ? text.slice(at, at + LONGEST_WIDE).indexOf('}') : LONGEST_WIDE
  const digits = end === -1 ? '' : text.slice(at + (isBraced ? 3 : 2), at + end)
  const unit = digits === '' || (!isBraced && digits.length < 8) ? Number.NaN : Number(`0x${digits}`)
  return Number.isInteger(unit) && unit > 0 && unit <= 0xffff ? escapeOf(end + (isBraced ? 1 : 0), unit) : 0
}

function readBackslash(text: string, at: number): ReadEscape {
  switch (text.charCodeAt(at + 1)) {
    case 0x6e:
    case 0x72:
      return escapeOf(2, 0x0a)
    case 0x74:
    case 0x76:
    case 0x66:
    case 0x62:
      return escapeOf(2, 0x20)
    case 0x75:
      return text[at + 2] === '{' ? readWide(text, at) : readControl(text, at, readHex(text, at, 2, 4))
    case 0x55:
      return readWide(text, at)
    case 0x78:
      return readControl(text, at, readBytes(text, at, hexByte))
    case 0x65:
      return readControl(text, at, escapeOf(2, 0x1b))
    case 0x30:
      return text.startsWith('33', at + 2) ? readControl(text, at, escapeOf(4, 0x1b)) : 0
    default:
      return readBytes(text, at, octalByte)
  }
}

/** A tag of HTML with its attributes, on one line. */
function readTag(text: string, at: number): ReadEscape {
  const name = text[at + 1] === '/' ? at + 2 : at + 1
  let end = name
  while (end - name < LONGEST_TAG_NAME && isLetterOrDigit(text.charCodeAt(end))) end++
  if (!TAGS.has(text.slice(name, end).toLowerCase())) return 0
  const last = Math.min(text.length, at + LONGEST_TAG)
  while (end < last && !'<>\n'.includes(text[end] ?? '\n')) end++
  return text[end] === '>' ? escapeOf(end + 1 - at, NOTHING) : 0
}

const isLetterOrDigit = (code: number): boolean => {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39)
}

/** `&#96;` and `&#x60;`. */
function readNumbered(text: string, at: number): ReadEscape {
  const isHex = (text.charCodeAt(at + 2) | 0x20) === 0x78
  const end = text.slice(at, at + LONGEST_ENTITY).indexOf(';')
  const digits = text.slice(at + (isHex ? 3 : 2), at + end)
  const unit = end === -1 || digits === '' ? Number.NaN : Number(isHex ? `0x${digits}` : digits)
  return Number.isInteger(unit) && unit > 0 && unit <= 0xffff ? escapeOf(end + 1, unit) : 0
}

/** What `cat -v` prints for a control sequence, a tab and the end of a line: `^[[32m`, `^I`, `^M`. */
function readCaret(text: string, at: number): ReadEscape {
  const next = text[at + 1]
  if (next === 'I') return escapeOf(2, 0x20)
  if (next === 'M') return escapeOf(2, NOTHING)
  if (next !== '[') return 0
  const end = endOfAnsi(text, at + 1, Math.min(text.length, at + LONGEST))
  return end === at + 1 ? 0 : escapeOf(end - at, NOTHING)
}

/** An escape character takes the rest of its control sequence with it. */
function readControl(text: string, at: number, read: ReadEscape): ReadEscape {
  if (unitOf(read) !== 0x1b) return read
  const last = at + lengthOf(read) - 1
  const end = endOfAnsi(text, last, Math.min(text.length, at + LONGEST))
  return end === last ? 0 : escapeOf(end - at, NOTHING)
}

function readHex(text: string, at: number, skip: number, digits: number): ReadEscape {
  let unit = 0
  for (let next = at + skip; next < at + skip + digits; next++) {
    const digit = hexDigit(text.charCodeAt(next))
    if (digit === -1) return 0
    unit = unit * 16 + digit
  }
  return escapeOf(skip + digits, unit)
}

export function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** One more byte of a text; -1: there is none. */
type NextByte = () => number

/** How many bytes a character of UTF-8 has that begins with this one; 0: none begins so. */
function sizeOf(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/** The character that begins with the byte, and how many bytes it has; null: they are no UTF-8. */
export function readCharacter(first: number, next: NextByte): { readonly code: number; readonly bytes: number } | null {
  const bytes = sizeOf(first)
  if (bytes === 0) return null
  let code = bytes === 1 ? first : first & (0xff >> (bytes + 1))
  for (let read = 1; read < bytes; read++) {
    const byte = next()
    if (byte < 0x80 || byte > 0xbf) return null
    code = code * 64 + (byte & 0x3f)
  }
  return code > 0x10ffff ? null : { code, bytes }
}
