const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const FIRST_ROOM = 64 * 1024

export interface Line {
  /** From 1; blank lines count. */
  readonly number: number
  /** Null: it has more bytes than a line may have, and none of them were kept. Good until the next line is read. */
  readonly bytes: Buffer | null
}

/** Splits bytes in pieces into lines, with at most one line of `most` bytes in memory, in time proportional to the bytes. */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Line> {
  let number = 1
  /** The line that is read; `size` counts on where it is too long, but nothing of it is kept. */
  let held = Buffer.alloc(0)
  let size = 0
  const hold = (piece: Buffer): void => {
    const needed = size + piece.length
    // One byte more than a line may have is kept: it may be the carriage return of its ending.
    const room = needed > most + 1 ? 0 : Math.min(Math.max(needed, held.length * 2, FIRST_ROOM), most + 1)
    if (room === 0 || needed > held.length) held = Buffer.concat([held.subarray(0, size)], room)
    if (room > 0) held.set(piece, size)
    size = needed
  }
  const finish = (end: number): Line => {
    const length = size > 0 && held[size - 1] === end ? size - 1 : size
    const isKept = length <= most
    size = 0
    return { number: number++, bytes: isKept ? held.subarray(0, length) : null }
  }
  for await (const { buffer, byteOffset, length } of pieces) {
    const piece = Buffer.from(buffer, byteOffset, length)
    let from = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      hold(piece.subarray(from, end))
      from = end + 1
      yield finish(CARRIAGE_RETURN)
    }
    hold(piece.subarray(from))
  }
  if (size > 0) yield finish(-1)
}
