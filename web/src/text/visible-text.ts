/**
 * A piece of text by an adversary, in which no character can hide, reorder or vanish: control characters,
 * bidirectional controls, invisible characters, tags, variation selectors, lone surrogates and unusual line ends become marks.
 * Tab and line feed stay. The judge is shown the same characters escaped (src/domain/text/escape.ts).
 */
export interface Segment {
  readonly kind: 'plain' | 'mark'
  /** The text to show; of a mark `⟨ESC⟩`, `⟨U+202E⟩`, `⟨U+200B×12⟩`. */
  readonly text: string
  /** Place in the given text, UTF-16 units. */
  readonly start: number
  readonly end: number
}

/** Matches special characters by a single class, without backtracking. */
const SPECIAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/g

/** Most pieces of a text; the marks of the rest are no elements of their own, so that a million of them kills no page. */
const MOST_SEGMENTS = 2000
const RUN_MINIMUM = 4
const CONTROL_NAMES: readonly string[] =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** Takes `text[from, to)` apart into plain pieces and marks, in order. Linear. */
export function visibleText(text: string, from = 0, to = text.length): Segment[] {
  const segments: Segment[] = []
  const marks = marksOf(text, from, to)
  let plain = from
  for (let next = marks.next(); next.done !== true; next = marks.next()) {
    const [start, end] = next.value
    if (start > plain) segments.push({ kind: 'plain', text: text.slice(plain, start), start: plain, end: start })
    segments.push({ kind: 'mark', text: nameOf(text, start, end), start, end })
    plain = end
    if (segments.length >= MOST_SEGMENTS) break
  }
  const rest: string[] = []
  let at = plain
  for (const [start, end] of marks) {
    rest.push(text.slice(at, start), nameOf(text, start, end))
    at = end
  }
  rest.push(text.slice(at, to))
  if (to > plain) segments.push({ kind: 'plain', text: rest.join(''), start: plain, end: to })
  return segments
}

/** Yields the places of the marks in `text[from, to)`. */
function* marksOf(text: string, from: number, to: number): Generator<readonly [number, number], undefined> {
  let at = from
  while (at < to) {
    SPECIAL.lastIndex = at
    const match = SPECIAL.exec(text)
    if (match === null || match.index >= to) return
    const end = endOfMark(text, match.index, to)
    if (end > match.index) yield [match.index, end]
    at = end === match.index ? end + 2 : end
  }
}

/** Writes a text with its marks as a single string, for titles and attributes. */
export const visibleString = (text: string): string =>
  visibleText(text)
    .map((segment) => segment.text)
    .join('')

/** Finds the end of the mark at `start`: after a character, or after a run of the same character. `start`: no mark, such as an emoji. */
function endOfMark(text: string, start: number, to: number): number {
  const point = text.codePointAt(start) ?? 0
  const width = point > 0xffff && start + 1 < to ? 2 : 1
  if (width === 2 && !isHiddenPair(point)) return start
  const unit = text.slice(start, start + width)
  let end = start + width
  while (end + width <= to && text.startsWith(unit, end)) end += width
  return (end - start) / width >= RUN_MINIMUM ? end : start + width
}

/** Tells tags, variation selectors of the supplement, and the format controls of music, shorthand and hieroglyphs. */
const isHiddenPair = (point: number): boolean =>
  (point >= 0xe0000 && point <= 0xe0fff) ||
  (point >= 0x1d173 && point <= 0x1d17a) ||
  (point >= 0x1bca0 && point <= 0x1bca3) ||
  (point >= 0x13430 && point <= 0x1343f)

/** Names control characters by their ASCII names, since few fonts have their pictures, all others by their numbers. */
function nameOf(text: string, start: number, end: number): string {
  const first = text.charCodeAt(start)
  const pair = first >= 0xd800 && first <= 0xdbff && end - start >= 2
  const point = pair ? (text.codePointAt(start) ?? first) : first
  const count = (end - start) / (point > 0xffff ? 2 : 1)
  const hex = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const name = point === 0x7f ? 'DEL' : (CONTROL_NAMES[point] ?? hex)
  return count === 1 ? `⟨${name}⟩` : `⟨${name}×${count}⟩`
}
