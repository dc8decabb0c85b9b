/** Size of the smallest piece of memory; all have a power of two. */
const LEAST = 16 * 1024

/**
 * Memory that threads share, for bytes that are handed to workers: what is copied there is not copied on its way, and the memory is used again. (What
 * is made anew for each stays until two heaps are collected.) `most`: bytes that are kept ready.
 */
export class SharedMemory {
  readonly #most: number
  #ready = 0
  readonly #bySize = new Map<number, SharedArrayBuffer[]>()

  constructor(most: number) {
    this.#most = most
  }

  copyOf(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
    const size = LEAST * 2 ** Math.max(0, Math.ceil(Math.log2(bytes.length / LEAST)))
    const known = this.#bySize.get(size)?.pop()
    if (known !== undefined) this.#ready -= size
    const copy = new Uint8Array(known ?? new SharedArrayBuffer(size), 0, bytes.length)
    copy.set(bytes)
    return copy
  }

  /** Nothing reads a copy any more. */
  release({ buffer }: Uint8Array<SharedArrayBuffer>): void {
    const size = buffer.byteLength
    // What came last is what comes next.
    for (const [other, ready] of this.#bySize)
      while (this.#ready + size > this.#most && other !== size && ready.pop() !== undefined) this.#ready -= other
    if (this.#ready + size > this.#most) return
    this.#ready += size
    const same = this.#bySize.get(size)
    if (same === undefined) this.#bySize.set(size, [buffer])
    else same.push(buffer)
  }
}
