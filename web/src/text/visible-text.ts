/**
 * Text that an adversary wrote, taken apart so that nothing in it can hide, reorder or vanish: control characters,
 * bidirectional controls, invisible characters, tags, variation selectors, lone surrogates and unusual line ends become marks.
 * Tab and line feed stay. The judge is shown the same characters escaped (src/domain/text/escape.ts).
 */
export interface Segment {
  readonly kind: 'plain' | 'mark'
  /** What to show. Of a mark: `⟨ESC⟩`, `⟨U+202E⟩`, `⟨U+200B×12⟩`. */
  readonly text: string
  /** Place in the given text, UTF-16 units. */
  readonly start: number
  readonly end: number
}

/** One character class: nothing to backtrack. */
const SPECIAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/g

/** More marks than this in one text are not elements of their own any more: a page must not die of a million of them. */
const MOST_MARKS = 1000
const RUN_MINIMUM = 4
const CONTROL_NAMES: readonly string[] =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** Plain pieces and marks of `text[from, to)`, in order, covering it. Linear. */
export function visibleText(text: string, from = 0, to = text.length): Segment[] {
  const segments: Segment[] = []
  let plain = from
  let at = from
  let marks = 0
  while (at < to) {
    SPECIAL.lastIndex = at
    const match = SPECIAL.exec(text)
    if (match === null || match.index >= to) break
    const { index } = match
    const end = endOfMark(text, index, to)
    if (end === index) {
      at = index + 2
      continue
    }
    if (marks++ < MOST_MARKS) {
      if (index > plain) segments.push({ kind: 'plain', text: text.slice(plain, index), start: plain, end: index })
      segments.push({ kind: 'mark', text: nameOf(text, index, end), start: index, end })
      plain = end
      at = end
    } else {
      segments.push({ kind: 'plain', text: escapeRest(text, plain, to), start: plain, end: to })
      return segments
    }
  }
  if (to > plain) segments.push({ kind: 'plain', text: text.slice(plain, to), start: plain, end: to })
  return segments
}

/** As one string, for titles and attributes, where nothing can be marked. */
export const visibleString = (text: string): string =>
  visibleText(text)
    .map((segment) => segment.text)
    .join('')

function escapeRest(text: string, from: number, to: number): string {
  const out: string[] = []
  let plain = from
  let at = from
  while (at < to) {
    SPECIAL.lastIndex = at
    const match = SPECIAL.exec(text)
    if (match === null || match.index >= to) break
    const end = endOfMark(text, match.index, to)
    if (end === match.index) {
      at = match.index + 2
      continue
    }
    out.push(text.slice(plain, match.index), nameOf(text, match.index, end))
    plain = end
    at = end
  }
  out.push(text.slice(plain, to))
  return out.join('')
}

/** Where the mark that begins at `start` ends: after one character, or after a run of the same. `start`: no mark, an emoji, say. */
function endOfMark(text: string, start: number, to: number): number {
  const point = text.codePointAt(start) ?? 0
  const width = point > 0xffff && start + 1 < to ? 2 : 1
  if (width === 2 && !isHiddenPair(point)) return start
  const unit = text.slice(start, start + width)
  let end = start + width
  while (end + width <= to && text.startsWith(unit, end)) end += width
  return (end - start) / width >= RUN_MINIMUM ? end : start + width
}

/** Tags, variation selectors of the supplement, and the format controls of music, shorthand and hieroglyphs. */
const isHiddenPair = (point: number): boolean =>
  (point >= 0xe0000 && point <= 0xe0fff) ||
  (point >= 0x1d173 && point <= 0x1d17a) ||
  (point >= 0x1bca0 && point <= 0x1bca3) ||
  (point >= 0x13430 && point <= 0x1343f)

/** Control characters by their ASCII names (few fonts have their pictures), all others by their numbers. */
function nameOf(text: string, start: number, end: number): string {
  const first = text.charCodeAt(start)
  const pair = first >= 0xd800 && first <= 0xdbff && end - start >= 2
  const point = pair ? (text.codePointAt(start) ?? first) : first
  const count = (end - start) / (point > 0xffff ? 2 : 1)
  const hex = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const name = point === 0x7f ? 'DEL' : (CONTROL_NAMES[point] ?? hex)
  return count === 1 ? `⟨${name}⟩` : `⟨${name}×${count}⟩`
}
