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

/** A piece of source text and what is shown instead of it. */
interface Escape {
  readonly start: number
  readonly end: number
  readonly shown: string
}

/** The escapes of `text[from, to)`, in order. Linear. */
export function* findEscapes(text: string, from: number, to: number): Generator<Escape> {
  const frames = findFrameLines(text, from, to)
  let frame = frames.next()
  for (const special of findSpecial(text, from, to)) {
    while (!frame.done && frame.value < special.start) {
      yield escapeOf(text, frame.value, frame.value + 1)
      frame = frames.next()
    }
    yield special
  }
  while (!frame.done) {
    yield escapeOf(text, frame.value, frame.value + 1)
    frame = frames.next()
  }
}

function* findSpecial(text: string, from: number, to: number): Generator<Escape> {
  SPECIAL.lastIndex = from
  let at = from
  while (at < to) {
    SPECIAL.lastIndex = at
    const match = SPECIAL.exec(text)
    if (match === null || match.index >= to) return
    const start = match.index
    at = start + 1
    const code = text.charCodeAt(start)
    if (code === 0x0d && text.charCodeAt(start + 1) === 0x0a) {
      yield { start, end: start + 1, shown: '' }
    } else if (isOrdinaryPair(text, start)) {
      at = start + 2
    } else {
      const width = text.codePointAt(start) === code ? 1 : 2
      at = endOfRun(text, start, width, to)
      yield escapeOf(text, start, at)
    }
  }
}

/** A surrogate pair that is neither a tag nor a variation selector nor a musical control: an emoji, say. */
function isOrdinaryPair(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0
  if (point < 0x10000) return false
  const hidden = (point >= 0xe0000 && point <= 0xe0fff) || (point >= 0x1d173 && point <= 0x1d17a)
  return !hidden
}

function endOfRun(text: string, start: number, width: number, to: number): number {
  const unit = text.slice(start, start + width)
  let end = start + width
  while (end + width <= to && text.startsWith(unit, end)) end += width
  return (end - start) / width >= RUN_MINIMUM ? end : start + width
}

/** Of single characters, by code point: a text can hold millions of them, and there are some thousands in all. */
const singles = new Map<number, string>()

function escapeOf(text: string, start: number, end: number): Escape {
  const point = text.codePointAt(start) ?? 0
  const count = (end - start) / (point > 0xffff ? 2 : 1)
  if (count !== 1) return { start, end, shown: `⟨U+${hexOf(point)}×${count}⟩` }
  const shown = singles.get(point) ?? `⟨U+${hexOf(point)}⟩`
  singles.set(point, shown)
  return { start, end, shown }
}

const hexOf = (point: number): string => point.toString(16).toUpperCase().padStart(4, '0')

/** Places of the first character of lines that look like a frame of the prompt. */
function* findFrameLines(text: string, from: number, to: number): Generator<number> {
  if (!text.includes('==') && !text.includes('--')) return
  let line = from === 0 ? 0 : text.indexOf('\n', from - 1) + 1
  if (from > 0 && line === 0) return
  while (line < to) {
    let at = line
    while (at < to && (text[at] === ' ' || text[at] === '\t')) at++
    if (at < to && at >= from && looksLikeFrame(text, at)) yield at
    const next = text.indexOf('\n', Math.max(at, line))
    if (next === -1) return
    line = next + 1
  }
}

function looksLikeFrame(text: string, at: number): boolean {
  const mark = text[at]
  if (mark !== '=' && mark !== '-') return false
  let word = at
  while (text[word] === mark) word++
  if (word - at < 2) return false
  while (text[word] === ' ' || text[word] === '\t') word++
  const head = text.slice(word, word + 16)
  return mark === '='
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
