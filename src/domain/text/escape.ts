/**
 * Which characters of trajectory text a judge is shown escaped, and how.
 *
 * Escaped, never deleted: control characters (but for tab and line feed), bidirectional and invisible characters, tags,
 * variation selectors, lone surrogates, and whatever looks like a frame of the prompt. `⟨U+200B⟩` stands for one character,
 * `⟨U+0000×12⟩` for a run. The brackets of an escape are themselves escaped where they would read as one, so the writing has
 * one meaning. Only the carriage return of a CRLF line end is folded away.
 */

/** Single characters, two of them only before what makes them an escape or the opening of a special token: nothing to backtrack. */
const SPECIAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb⟦]|<(?=\|)|⟨(?=U\+)/g

const RUN_MINIMUM = 4
const FRAME_WORDS = ['STEP', 'END', 'TRAJECTORY', 'GROUND', 'QUESTION', 'RUBRIC', 'EVIDENCE', 'OMITTED'] as const
const PART_WORDS = ['user', 'system', 'agent_reasoning', 'agent_message', 'agent_action', 'tool_output'] as const

/** Takes a piece of source text, and what is shown instead of it. */
type OnEscape = (start: number, end: number, shown: string) => void

/** Tells of the escapes of `text[from, to)`, in order. Linear. */
export function eachEscape(text: string, from: number, to: number, tell: OnEscape): void {
  let frame = firstFrame(text, from, to)
  const tellFrames = (before: number): void => {
    for (; frame < before; frame = frameBehind(text, frame, to)) tell(frame, frame + 1, shownOf(text, frame, frame + 1))
  }
  for (let at = from; at < to; ) {
    SPECIAL.lastIndex = at
    const start = SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : to
    if (start >= to) break
    at = start + 1
    const isFolded = text.charCodeAt(start) === 0x0d && text.charCodeAt(at) === 0x0a
    if (!isFolded && isOrdinaryPair(text, start)) {
      at++
      continue
    }
    if (!isFolded) at = endOfRun(text, start, to)
    tellFrames(start)
    tell(start, at, isFolded ? '' : shownOf(text, start, at))
  }
  tellFrames(to)
}

/** A surrogate pair that is neither a tag nor a variation selector nor a musical control: an emoji, say. */
function isOrdinaryPair(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0
  if (point < 0x10000) return false
  const hidden = (point >= 0xe0000 && point <= 0xe0fff) || (point >= 0x1d173 && point <= 0x1d17a)
  return !hidden
}

function endOfRun(text: string, start: number, to: number): number {
  const unit = String.fromCodePoint(text.codePointAt(start) ?? 0)
  const width = unit.length
  let end = start + width
  while (end + width <= to && text.startsWith(unit, end)) end += width
  return (end - start) / width >= RUN_MINIMUM ? end : start + width
}

/** Of single characters, by code point: a text can hold millions of them, and there are some thousands in all. */
const singles = new Map<number, string>()

function shownOf(text: string, start: number, end: number): string {
  const point = text.codePointAt(start) ?? 0
  const count = (end - start) / (point > 0xffff ? 2 : 1)
  if (count !== 1) return `⟨U+${hexOf(point)}×${count}⟩`
  const shown = singles.get(point) ?? `⟨U+${hexOf(point)}⟩`
  singles.set(point, shown)
  return shown
}

const hexOf = (point: number): string => point.toString(16).toUpperCase().padStart(4, '0')

/** The first character of the first line of `text[from, to)` that looks like a frame of the prompt; infinite: there is none. */
function firstFrame(text: string, from: number, to: number): number {
  if (!text.includes('==') && !text.includes('--')) return Number.POSITIVE_INFINITY
  return from === 0 ? frameFrom(text, 0, to) : frameBehind(text, from - 1, to)
}

/** The same from the line behind a place on. */
function frameBehind(text: string, place: number, to: number): number {
  const end = text.indexOf('\n', place)
  return end === -1 ? Number.POSITIVE_INFINITY : frameFrom(text, end + 1, to)
}

/** The same from the beginning of a line on. */
function frameFrom(text: string, start: number, to: number): number {
  for (let line = start; line < to; ) {
    let at = line
    while (at < to && isBlank(text.charCodeAt(at))) at++
    if (at < to && looksLikeFrame(text, at)) return at
    const end = text.indexOf('\n', at)
    if (end === -1) break
    line = end + 1
  }
  return Number.POSITIVE_INFINITY
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

const [EQUALS, HYPHEN] = [0x3d, 0x2d]

function looksLikeFrame(text: string, at: number): boolean {
  const mark = text.charCodeAt(at)
  if (mark !== EQUALS && mark !== HYPHEN) return false
  let word = at
  while (text.charCodeAt(word) === mark) word++
  if (word - at < 2) return false
  while (isBlank(text.charCodeAt(word))) word++
  const head = text.slice(word, word + 16)
  return mark === EQUALS
    ? FRAME_WORDS.some((name) => head.toUpperCase().startsWith(name))
    : PART_WORDS.some((name) => head.toLowerCase().startsWith(name))
}

const LONGEST_RUN = 100_000

/** Reads escapes in a judge's quote back into the characters that they stand for. Linear; unknown writings stay. */
export const unescapeView = (shown: string): string => unescapeWithin(shown, Number.POSITIVE_INFINITY) ?? shown

/** The same, or null where the characters would be more than `most`: a run is written in a few characters and stands for 100,000. */
export function unescapeWithin(shown: string, most: number): string | null {
  let at = shown.indexOf('⟨U+')
  if (at === -1) return shown
  const out: string[] = []
  let last = 0
  let length = 0
  while (at !== -1) {
    const close = shown.indexOf('⟩', at)
    if (close === -1) break
    const decoded = close - at <= 20 ? decodeEscape(shown.slice(at + 3, close)) : null
    if (decoded !== null) {
      out.push(shown.slice(last, at), decoded)
      length += decoded.length
      if (length > most) return null
      last = close + 1
    }
    at = shown.indexOf('⟨U+', decoded === null ? at + 3 : close + 1)
  }
  out.push(shown.slice(last))
  return out.join('')
}

function decodeEscape(body: string): string | null {
  const [hex = '', count = '1', ...rest] = body.split('×')
  if (rest.length > 0 || !isHex(hex) || !isDecimal(count)) return null
  const point = Number.parseInt(hex, 16)
  const times = Number.parseInt(count, 10)
  return point <= 0x10ffff && times <= LONGEST_RUN ? String.fromCodePoint(point).repeat(times) : null
}

const isHex = (text: string) =>
  text.length >= 4 && text.length <= 6 && [...text].every((c) => '0123456789ABCDEF'.includes(c))
const isDecimal = (text: string) => text.length > 0 && text.length <= 6 && [...text].every((c) => c >= '0' && c <= '9')
