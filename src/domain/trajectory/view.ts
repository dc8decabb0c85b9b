import { eachEscape } from '../text/escape.ts'
import { NormalText, type Range, TextWriter } from '../text/normal-text.ts'

export type { Range } from '../text/normal-text.ts'

/** One part of a trajectory as a judge is shown it, with the way back to the source. */
export interface PartView {
  readonly source: string
  readonly text: string
  /** Places where view and source differ, as of a `NormalText`: a hostile part can hold millions. */
  readonly edits: ArrayLike<number>
  /** Source ranges that are not shown; empty when the part is whole. */
  readonly hidden: readonly Range[]
}

/** Makes the view of a whole part, or of the given source ranges of it with markers between them. Linear. */
export function viewPart(source: string, nonce: string, shown?: readonly Range[]): PartView {
  const ranges = (shown ?? [{ start: 0, end: source.length }]).map((range) => snap(source, range))
  const writer = new TextWriter(source)
  let at = 0
  const hideTo = (end: number): void => {
    if (end > at) writer.replace(at, end, `⟦${end - at} characters not shown · ${nonce}⟧`)
  }
  for (const range of ranges) {
    hideTo(range.start)
    eachEscape(source, range.start, range.end, (start, end, text) => writer.replace(start, end, text))
    at = range.end
  }
  hideTo(source.length)
  const hidden = shown === undefined ? [] : hiddenRanges(source, shown)
  if (writer.edits.length === 0) return { source, text: source, edits: [], hidden }
  return { source, text: writer.finish(), edits: Uint32Array.from(writer.edits), hidden }
}

/** Lists the source ranges that a view of the given ranges, which are in order, leaves out. */
export function hiddenRanges(source: string, shown: readonly Range[]): Range[] {
  const gaps: Range[] = []
  const { length } = source
  let at = 0
  for (const { start, end } of [...shown.map((range) => snap(source, range)), { start: length, end: length }]) {
    if (start > at) gaps.push({ start: at, end: start })
    at = Math.max(at, end)
  }
  return gaps
}

/** Moves the ends of a range off the middle of surrogate pairs. */
function snap(source: string, range: Range): Range {
  const whole = (offset: number) => {
    const inside = (source.codePointAt(offset - 1) ?? 0) > 0xffff
    return offset > 0 && inside ? offset - 1 : offset
  }
  return { start: whole(range.start), end: whole(range.end) }
}

/** Finds the source range behind a range of the view; null where it touches text that was not shown. */
export function toSource({ text, edits, hidden }: PartView, { start, end }: Range): Range | null {
  const source = new NormalText(text, edits).range(start, end)
  return isShown({ hidden }, source) ? source : null
}

/** Tests whether the judge was shown all of a source range. */
export const isShown = (view: Pick<PartView, 'hidden'>, range: Range): boolean =>
  view.hidden.every((hidden) => range.end <= hidden.start || range.start >= hidden.end)
