/** A range of UTF-16 offsets, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Numbers of an edit: its start and end in the text, then those in the base. */
const EDIT = 4

/**
 * A text that passes have made of a source, with the way back. Text and base are equal in length but for the edits, which are in order, four numbers each:
 * the units of an edit stand for all of its range of the base, every other unit for the unit at its own place.
 */
export class NormalText {
  readonly text: string
  readonly edits: ArrayLike<number>
  /** The text before the last pass; null: the source. */
  private readonly base: NormalText | null

  constructor(text: string, edits: ArrayLike<number> = [], base: NormalText | null = null) {
    this.text = text
    this.edits = edits
    this.base = base
  }

  /** Takes `source[start, end)` as it stands. */
  static piece(source: string, start: number, end: number): NormalText {
    return new NormalText(source.slice(start, end), [0, 0, 0, start])
  }

  /** Finds the source offset of a unit. */
  start(at: number): number {
    return this.toSource(at, 0)
  }

  /** Finds the source offset behind a unit. */
  end(at: number): number {
    return this.toSource(at, 1)
  }

  /** Finds the source range of `text[start, end)`. */
  range(start: number, end: number): Range {
    return { start: this.start(start), end: this.end(end - 1) }
  }

  /** Finds the first unit that begins at or behind a source offset. */
  unitAt(offset: number): number {
    const inBase = this.base?.unitAt(offset) ?? offset
    const edit = this.lastEdit(2, inBase - 1)
    const behind = Math.max(0, inBase - (this.edits[edit + 3] ?? 0))
    return Math.min((this.edits[edit + 1] ?? 0) + behind, this.text.length)
  }

  /** `side`: 0 is the beginning of the unit, 1 its end. */
  private toSource(at: number, side: 0 | 1): number {
    const edit = this.lastEdit(0, at)
    const numberOf = (member: number): number => this.edits[edit + member] ?? 0
    const isInEdit = at < numberOf(1)
    const inBase = isInEdit ? numberOf(2 + side) : at + side + numberOf(3) - numberOf(1)
    return this.base === null ? inBase : this.base.toSource(inBase - side, side)
  }

  /** Finds the last edit of which a number is at most `most`; negative: there is none. */
  private lastEdit(member: number, most: number): number {
    let low = 0
    let high = this.edits.length / EDIT
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.edits[middle * EDIT + member] ?? 0) <= most) low = middle + 1
      else high = middle
    }
    return (low - 1) * EDIT
  }
}

/** Pieces of a text that are kept apart: each takes more memory than it has characters. */
const MOST_PIECES = 4096

/** Writes a text out of another: pieces of it, and what stands for others. */
export class TextWriter {
  readonly edits: number[] = []
  private readonly source: string
  private readonly chunks: string[] = []
  private pieces: string[] = []
  private length = 0
  /** The unit of the source up to which the text is written. */
  private at = 0

  constructor(source: string) {
    this.source = source
  }

  /** Copies the source up to `start`, and writes `text` for `source[start, end)`: as an edit, or unit by unit. */
  replace(start: number, end: number, text: string, isEdit = true): void {
    this.push(this.source.slice(this.at, start))
    if (isEdit) this.edits.push(this.length, this.length + text.length, start, end)
    this.push(text)
    this.at = end
  }

  /** Copies the rest of the source. */
  finish(): string {
    this.push(this.source.slice(this.at))
    return this.chunks.join('') + this.pieces.join('')
  }

  private push(text: string): void {
    if (text === '') return
    this.length += text.length
    if (this.pieces.push(text) < MOST_PIECES) return
    this.chunks.push(this.pieces.join(''))
    this.pieces = []
  }
}

/**
 * Makes a pass over a text: writes the matches of a global pattern otherwise; null: no match begins there. Of an equally long writing each unit stands
 * for its own. Answers the text itself where nothing changes.
 */
export function rewrite(
  source: NormalText,
  pattern: RegExp,
  write: (match: RegExpExecArray) => string | null,
): NormalText {
  const { text } = source
  let writer: TextWriter | null = null
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [there] = match
    const written = write(match)
    if (written === null) pattern.lastIndex = match.index + 1
    if (written === null || written === there) continue
    writer ??= new TextWriter(text)
    writer.replace(match.index, pattern.lastIndex, written, written.length !== there.length)
  }
  return writer === null ? source : new NormalText(writer.finish(), Uint32Array.from(writer.edits), source)
}

/** Drops the given ranges, which are in order and apart; the text itself where none is given. */
export function dropRanges(source: NormalText, ranges: readonly Range[]): NormalText {
  if (ranges.length === 0) return source
  const writer = new TextWriter(source.text)
  for (const { start, end } of ranges) writer.replace(start, end, '')
  return new NormalText(writer.finish(), Uint32Array.from(writer.edits), source)
}
