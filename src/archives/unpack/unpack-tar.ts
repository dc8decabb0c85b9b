import { createReadStream } from 'node:fs'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract } from 'tar-stream'
import type { Spool } from './spool.ts'

export type TarPacking = 'tar' | 'tar.gz' | 'tar.zst'

const BLOCK = 512
const CHUNK = 128 * 1024

/**
 * Unpacks a tar into a spool. Every byte from the decompressor counts, headers and skipped entries included. A tar ends with empty blocks:
 * a tar cut between two entries has none, and would look whole otherwise.
 */
export async function unpackTar(path: string, packing: TarPacking, spool: Spool, abort?: AbortSignal): Promise<void> {
  const entries = extract()
  const whole = new TrailingZeros()
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        spool.count(chunk.length)
        whole.add(chunk)
        done(null, chunk)
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
  const source = createReadStream(path)
  const options = abort === undefined ? {} : { signal: abort }
  const stages = [source, ...decompressor(packing), counter, entries] as [Readable, ...Transform[], typeof entries]
  const fed = pipeline(stages, options)
  // The loop below meets the same error; an unhandled rejection here would report it a second time.
  const failure = fed.then(
    () => null,
    (error: unknown) => ({ error }),
  )
  let last = 0
  try {
    for await (const entry of entries) {
      spool.countEntry()
      const { name, type, size = 0 } = entry.header
      const own = new TrailingZeros()
      if (type === 'directory') await spool.addFolder(name)
      else if (type === 'file' || type === 'contiguous-file') await spool.addFile(name, own.over(bytesOf(entry)))
      else spool.refuse(name, `is a ${kindOf(type)}, not a file`)
      entry.resume()
      last = own.length + ((BLOCK - (size % BLOCK)) % BLOCK)
    }
  } catch (error) {
    entries.destroy()
    const first = await failure
    throw first !== null && isTelling(first.error) ? first.error : error
  }
  const late = await failure
  if (late !== null) throw late.error
  if (whole.length < last + BLOCK)
    throw new Error('is cut: the empty blocks that end a tar are missing, so entries may be, too')
}

/** Casts a stream of `streamx`, which is iterable like any other and has no such type. */
const bytesOf = (entry: unknown) => entry as AsyncIterable<Uint8Array>

const decompressor = (packing: TarPacking): Transform[] =>
  packing === 'tar.gz'
    ? [createGunzip({ chunkSize: CHUNK })]
    : packing === 'tar.zst'
      ? [createZstdDecompress({ chunkSize: CHUNK })]
      : []

/** Tells a real error from that of a stream closed after it. */
const isTelling = (error: unknown): boolean =>
  !(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')

function kindOf(type: string | null | undefined): string {
  if (type === 'symlink' || type === 'link') return type === 'link' ? 'hard link' : 'symbolic link'
  if (type === 'character-device' || type === 'block-device') return 'device'
  return type === 'fifo' ? 'named pipe' : 'special entry'
}

/** Zeros to compare a whole chunk with, because a bomb is mostly zeros. */
const ZEROS = Buffer.alloc(256 * 1024)

/** Counts the zeros at the end of a stream, in linear time and without keeping its bytes. */
class TrailingZeros {
  #length = 0

  /** Count of zero bytes at the end of the stream so far. */
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

  /** Yields the same bytes while counting them. */
  async *over(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      this.add(chunk)
      yield chunk
    }
  }
}
