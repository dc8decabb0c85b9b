/** What is zero as a whole, as a bomb mostly is, is compared at once. */
const ZEROS = Buffer.alloc(256 * 1024)

/** Counts the zeros at the end of a stream, in linear time and without keeping any of it. */
export class TrailingZeros {
  #length = 0

  /** How many bytes at the end of what came so far are zero. */
  get length(): number {
    return this.#length
  }

  add(chunk: Uint8Array): void {
    if (chunk.length <= ZEROS.length && ZEROS.subarray(0, chunk.length).equals(chunk)) {
      this.#length += chunk.length
      return
    }
    let at = chunk.length
    while (at > 0 && chunk[at - 1] === 0) at--
    this.#length = at === 0 ? this.#length + chunk.length : chunk.length - at
  }

  /** The same bytes, counted on their way. */
  async *over(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.add(chunk)
      yield chunk
    }
  }
}
