export interface Span {
  readonly start: number
  readonly end: number
}

/** The shown head of a long text, in UTF-16 units. */
export const HEAD = 4000
/** The shown surroundings of a place of interest. */
const AROUND = 600
/** The most units beyond the head of a text that is shown whole. */
const SLACK = 1000

/**
 * Picks the spans of a text to show at first: all of a short text; of a long text its head and the surroundings of the places of interest. In
 * order, apart from each other.
 */
export function cutText(length: number, places: readonly Span[]): Span[] {
  if (length <= HEAD + SLACK) return [{ start: 0, end: length }]
  const wanted = [
    { start: 0, end: HEAD },
    ...places.map(({ start, end }) => ({
      start: Math.max(0, start - AROUND),
      end: Math.min(length, Math.min(end, start + HEAD) + AROUND),
    })),
  ].sort((a, b) => a.start - b.start)
  const merged: Span[] = []
  for (const span of wanted) {
    const last = merged.at(-1)
    if (last !== undefined && span.start <= last.end + SLACK)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    else merged.push(span)
  }
  return merged
}

const CHUNK = 20_000
/** The units before the end of a chunk in which it may end with a line. */
const LOOK_BACK = 4000

/**
 * Cuts a text into chunks of some thousand characters, at ends of lines if possible: the browser lays out the chunks on the screen, so that a
 * megabyte of text stays smooth.
 */
export function chunkText(text: string): Span[] {
  const chunks: Span[] = []
  let start = 0
  while (text.length - start > CHUNK) {
    const line = text.lastIndexOf('\n', start + CHUNK - 1) + 1
    let end = line > start + CHUNK - LOOK_BACK ? line : start + CHUNK
    // A character of two units stays whole.
    if (text.codePointAt(end - 1) !== text.charCodeAt(end - 1)) end++
    chunks.push({ start, end })
    start = end
  }
  chunks.push({ start, end: text.length })
  return chunks
}

/** A piece of text with the numbers of the marks that lie over it. */
export interface Piece extends Span {
  readonly over: readonly number[]
}

/** Cuts `span` wherever a mark begins or ends, so that marks may overlap. In order, covering it. */
export function splitAtMarks(span: Span, marks: readonly Span[]): Piece[] {
  const edges = new Set([span.start, span.end])
  for (const mark of marks)
    for (const edge of [mark.start, mark.end]) if (edge > span.start && edge < span.end) edges.add(edge)
  const sorted = [...edges].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => {
    const start = sorted[index] ?? 0
    const over = marks.flatMap((mark, number) => (mark.start <= start && mark.end >= end ? [number] : []))
    return { start, end, over }
  })
}
