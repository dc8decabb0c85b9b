import { endOfAnsi } from '../text/fold.ts'

/**
 * One level of escapes, as JSON, programming languages, HTML and addresses write them. An escape is one number, because texts can be full of
 * them: its length times 65536 and the unit that it stands for; 0: what stands there is none.
 */
type ReadEscape = number

export const lengthOf = (read: ReadEscape): number => read >>> 16
export const unitOf = (read: ReadEscape): number => read & 0xffff

const escapeOf = (length: number, unit: number): ReadEscape => length * 0x10000 + unit

/** What a control sequence stands for: nothing that shows. */
const NOTHING = 0x200b
const LONGEST = 30_000
/** `&#65535;` */
const LONGEST_ENTITY = 8
const LONGEST_TAG_NAME = 6
const LONGEST_TAG = 300
const TAGS = new Set(
  'a b big br code del dd div dt em font h1 h2 h3 h4 i ins kbd li mark p pre q s samp small span strong sub sup td th tr tt u var'.split(
    ' ',
  ),
)

const ENTITIES: readonly (readonly [string, number])[] = [
  ['&lt;', 0x3c],
  ['&gt;', 0x3e],
  ['&amp;', 0x26],
  ['&quot;', 0x22],
  ['&apos;', 0x27],
  ['&nbsp;', 0x20],
]

/** What begins at `at` with a backslash, `&`, `%` or `^`, and a tag with `<`; 0: nothing that is an escape. */
export function readEscape(text: string, at: number): ReadEscape {
  const first = text.charCodeAt(at)
  if (first === 0x5c) return readBackslash(text, at)
  if (first === 0x25) return readHex(text, at, 1, 2)
  if (first === 0x5e) return readCaret(text, at)
  if (first === 0x3c) return readTag(text, at)
  if (text[at + 1] === '#') return readNumbered(text, at)
  for (const [entity, unit] of ENTITIES) if (text.startsWith(entity, at)) return escapeOf(entity.length, unit)
  return 0
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
      return readControl(text, at, readHex(text, at, 2, 4))
    case 0x78:
      return readControl(text, at, readHex(text, at, 2, 2))
    case 0x65:
      return readControl(text, at, escapeOf(2, 0x1b))
    case 0x30:
      return text.startsWith('33', at + 2) ? readControl(text, at, escapeOf(4, 0x1b)) : 0
    default:
      return 0
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
