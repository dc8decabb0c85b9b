const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const FIRST_ROOM = 64 * 1024
const NOTHING = Buffer.alloc(0)

/** One line without its ending. */
export interface Line {
  /** From 1; blank lines count. */
  readonly number: number
  /** Null: it has more bytes than a line may have, and none of them were kept. Good until the next chunk is given. */
  readonly bytes: Buffer | null
}

/**
 * Lines out of bytes that arrive in pieces, cut anywhere. A line ends with a newline, or a carriage return and a newline, or with the
 * last byte. Never holds more than one line of `most` bytes, and takes time in proportion to the bytes, however small the pieces are.
 */
export class LineSplitter {
  readonly #most: number
  /** The beginning of a line whose end has not come; `#size` counts on where it is too long, but nothing of it is kept. */
  #held = NOTHING
  #size = 0
  #number = 1

  /** `most`: bytes of one line, its ending left out. */
  constructor(most: number) {
    this.#most = most
  }

  /** The lines that end in this chunk. To be read to the end before the next chunk is given. */
  *feed(given: Uint8Array): Generator<Line> {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.length)
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end)
      from = end + 1
      yield this.#finish(piece)
    }
    this.#hold(chunk.subarray(from))
  }

  /** The last line, where no newline ends it. */
  *end(): Generator<Line> {
    if (this.#size === 0) return
    yield this.#take(this.#held.subarray(0, this.#size))
  }

  #finish(piece: Buffer): Line {
    if (this.#size === 0) return this.#take(withoutReturn(piece))
    this.#hold(piece)
    return this.#take(withoutReturn(this.#held.subarray(0, this.#size)))
  }

  #take(bytes: Buffer): Line {
    // A size beyond what is held is that of a line that was dropped.
    const dropped = this.#size > this.#most + 1
    this.#size = 0
    return { number: this.#number++, bytes: dropped || bytes.length > this.#most ? null : bytes }
  }

  /** One byte more than a line may have is kept: it may be the carriage return of its ending. */
  #hold(piece: Buffer): void {
    const size = this.#size + piece.length
    if (size > this.#most + 1) this.#held = NOTHING
    else {
      if (size > this.#held.length) this.#grow(size)
      this.#held.set(piece, this.#size)
    }
    this.#size = size
  }

  #grow(needed: number): void {
    const room = Math.min(Math.max(needed, this.#held.length * 2, FIRST_ROOM), this.#most + 1)
    const larger = Buffer.allocUnsafeSlow(room)
    larger.set(this.#held.subarray(0, this.#size))
    this.#held = larger
  }
}

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes)
