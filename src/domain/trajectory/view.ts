import { eachEscape } from '../text/escape.ts'
import type { Range } from '../text/normal-text.ts'

export type { Range } from '../text/normal-text.ts'

/**
 * One part of a trajectory as a judge is shown it, with the way back to the source.
 *
 * `edits` holds four numbers for each place where view and source differ: start and end in the view, start and end in the
 * source; in order, flat, because a hostile part can hold millions. `elisions` holds the edits that hide text.
 */
export interface PartView {
  readonly source: string
  readonly text: string
  readonly edits: ArrayLike<number>
  /** Source ranges that are not shown; empty when the part is whole. */
  readonly hidden: readonly Range[]
}

/** Pieces of a view that are held apart: each takes more memory than it has characters. */
const MOST_PIECES = 4096

/** The view of a whole part, or of the given source ranges of it with markers between them. Linear. */
export function viewPart(source: string, nonce: string, shown?: readonly Range[]): PartView {
  const ranges = (shown ?? [{ start: 0, end: source.length }]).map((range) => snap(source, range))
  const chunks: string[] = []
  const out: string[] = []
  const edits: number[] = []
  const hidden: Range[] = []
  let length = 0
  let at = 0
  const push = (text: string) => {
    out.push(text)
    length += text.length
    if (out.length === MOST_PIECES) chunks.push(out.splice(0).join(''))
  }
  const replace = (text: string, start: number, end: number) => {
    edits.push(length, length + text.length, start, end)
    push(text)
  }
  const hide = (end: number) => {
    if (end <= at) return
    hidden.push({ start: at, end })
    replace(`⟦${end - at} characters not shown · ${nonce}⟧`, at, end)
    at = end
  }
  for (const range of ranges) {
    hide(range.start)
    eachEscape(source, range.start, range.end, (start, end, text) => {
      push(source.slice(at, start))
      replace(text, start, end)
      at = end
    })
    push(source.slice(at, range.end))
    at = range.end
  }
  hide(source.length)
  if (edits.length === 0) return { source, text: source, edits, hidden }
  return { source, text: chunks.join('') + out.join(''), edits: Uint32Array.from(edits), hidden }
}

/** The source ranges that a view of the given ranges leaves out. */
export function hiddenRanges(source: string, shown: readonly Range[]): Range[] {
  const hidden: Range[] = []
  let at = 0
  for (const range of shown.map((one) => snap(source, one))) {
    if (range.start > at) hidden.push({ start: at, end: range.start })
    at = Math.max(at, range.end)
  }
  if (source.length > at) hidden.push({ start: at, end: source.length })
  return hidden
}

/** Never cuts a surrogate pair in two. */
function snap(source: string, range: Range): Range {
  const whole = (offset: number) => {
    const inside = (source.codePointAt(offset - 1) ?? 0) > 0xffff
    return offset > 0 && inside ? offset - 1 : offset
  }
  return { start: whole(range.start), end: whole(range.end) }
}

/** The source range behind a range of the view, or null where it touches text that was not shown. */
export function toSource(view: PartView, range: Range): Range | null {
  const start = mapOffset(view.edits, range.start, 'start')
  const end = mapOffset(view.edits, range.end, 'end')
  const source = { start, end: Math.max(start, end) }
  return isShown(view, source) ? source : null
}

/** Whether the judge was shown all of a source range. */
export const isShown = (view: Pick<PartView, 'hidden'>, range: Range): boolean =>
  view.hidden.every((hidden) => range.end <= hidden.start || range.start >= hidden.end)

/** An offset inside an edit snaps outwards, to the whole of what the edit stands for. */
function mapOffset(edits: ArrayLike<number>, offset: number, side: 'start' | 'end'): number {
  const index = lastEditBefore(edits, offset, side)
  if (index < 0) return offset
  const [viewStart, viewEnd, sourceStart, sourceEnd] = editAt(edits, index)
  if (offset >= viewEnd) return sourceEnd + (offset - viewEnd)
  if (offset === viewStart) return sourceStart
  return side === 'start' ? sourceStart : sourceEnd
}

/** The last edit that starts at or before the offset; for an end, strictly before it. Binary search. */
function lastEditBefore(edits: ArrayLike<number>, offset: number, side: 'start' | 'end'): number {
  let low = 0
  let high = edits.length / 4
  while (low < high) {
    const middle = (low + high) >> 1
    const start = edits[middle * 4] ?? 0
    if (side === 'start' ? start <= offset : start < offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

function editAt(edits: ArrayLike<number>, index: number): [number, number, number, number] {
  const at = index * 4
  return [edits[at] ?? 0, edits[at + 1] ?? 0, edits[at + 2] ?? 0, edits[at + 3] ?? 0]
}
