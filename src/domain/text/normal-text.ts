/** A range of UTF-16 offsets, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A text made from a source by one pass or several, with the range of the source behind each of its UTF-16 units. */
export class NormalText {
  readonly text: string
  /** Null: the text is a piece of the source, from `base` on. */
  private readonly from: Uint32Array | null
  private readonly to: Uint32Array | null
  private readonly base: number

  constructor(text: string, from: Uint32Array | null = null, to: Uint32Array | null = null, base = 0) {
    this.text = text
    this.from = from
    this.to = to
    this.base = base
  }

  /** `source[start, end)` as it stands. */
  static piece(source: string, start: number, end: number): NormalText {
    return new NormalText(source.slice(start, end), null, null, start)
  }

  /** The source offset of a unit; behind the last one, the end of the text. */
  start(at: number): number {
    if (this.from === null) return this.base + at
    return this.from[at] ?? (at === 0 ? 0 : this.end(this.text.length - 1))
  }

  /** The source offset behind a unit. */
  end(at: number): number {
    return this.to === null ? this.base + at + 1 : (this.to[at] ?? 0)
  }

  /** The source range behind `text[start, end)`, which is not empty. */
  range(start: number, end: number): Range {
    return { start: this.start(start), end: this.end(end - 1) }
  }

  /** Copies the source ranges of `text[start, end)` into other places. */
  copyPlaces(start: number, end: number, from: Uint32Array, to: Uint32Array, at: number): void {
    if (this.from !== null && this.to !== null) {
      from.set(this.from.subarray(start, end), at)
      to.set(this.to.subarray(start, end), at)
      return
    }
    const offset = this.base - at
    for (let unit = at; unit < at + end - start; unit++) {
      from[unit] = offset + start + unit
      to[unit] = offset + start + unit + 1
    }
  }

  /** Finds the first unit that begins at or behind a source offset. */
  unitAt(offset: number): number {
    if (this.from === null) return Math.max(0, Math.min(this.text.length, offset - this.base))
    let low = 0
    let high = this.from.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.from[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Collects the units of a normal text that a pass makes from another one. */
export class UnitWriter {
  length = 0
  private readonly source: NormalText
  private readonly codes: Uint16Array
  private readonly from: Uint32Array
  private readonly to: Uint32Array

  /** `room`: the most units that the pass can make. */
  constructor(source: NormalText, room = source.text.length) {
    this.source = source
    this.codes = new Uint16Array(room)
    this.from = new Uint32Array(room)
    this.to = new Uint32Array(room)
  }

  /** Writes a unit that stands for `text[start, end)` of the pass's source. */
  push(code: number, start: number, end: number): void {
    this.codes[this.length] = code
    this.from[this.length] = this.source.start(start)
    this.to[this.length++] = this.source.end(end - 1)
  }

  /** Copies `text[start, end)` of the pass's source. */
  copy(start: number, end: number): void {
    const { codes, source } = this
    const { text } = source
    let { length } = this
    source.copyPlaces(start, end, this.from, this.to, length)
    for (let at = start; at < end; at++) codes[length++] = text.charCodeAt(at)
    this.length = length
  }

  /** The code of the last unit; -1: none was written. */
  get last(): number {
    return this.codes[this.length - 1] ?? -1
  }

  replaceLast(code: number): void {
    if (this.length > 0) this.codes[this.length - 1] = code
  }

  /** Lets the last unit reach to the end of `text[…, end)`. */
  reach(end: number): void {
    if (this.length > 0) this.to[this.length - 1] = this.source.end(end - 1)
  }

  finish(): NormalText {
    const { codes, from, to, length } = this
    return new NormalText(textOf(codes, length), from.subarray(0, length), to.subarray(0, length))
  }
}

/** The string of UTF-16 units. */
export const textOf = (codes: Uint16Array, length = codes.length): string =>
  Buffer.from(codes.buffer, codes.byteOffset, length * 2).toString('utf16le')

/** Drops the given ranges, which are in order and apart; the text itself where none is given. */
export function dropRanges(source: NormalText, ranges: Iterable<Range>): NormalText {
  let writer: UnitWriter | null = null
  let at = 0
  for (const { start, end } of ranges) {
    writer ??= new UnitWriter(source)
    writer.copy(at, start)
    at = end
  }
  writer?.copy(at, source.text.length)
  return writer?.finish() ?? source
}
