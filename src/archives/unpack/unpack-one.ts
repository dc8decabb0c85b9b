import { createReadStream } from 'node:fs'
import type { Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { Spool } from './spool.ts'

/** One file that was packed by itself: `run.json.gz`. */
export type OnePacking = 'gz' | 'zst'

export async function unpackOne(path: string, packing: OnePacking, name: string, spool: Spool): Promise<void> {
  spool.countEntry()
  await spool.addFile(name, counted(path, packing, spool))
}

/** What the file is called once it is unpacked. */
export function unpackedName(name: string, packing: OnePacking): string {
  const end = `.${packing}`
  const own = name.endsWith(end) ? name.slice(0, -end.length) : name
  return own === '' || own.startsWith('.') ? 'content' : own
}

/** The first bytes of what is packed; fewer where it is broken. */
export async function startOf(path: string, packing: OnePacking, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decoded(path, packing) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= bytes) break
    }
  } catch {
    // Unpacking meets the same error, and tells it.
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}

function decoded(path: string, packing: OnePacking): Transform {
  const source = createReadStream(path)
  const decoder = packing === 'gz' ? createGunzip() : createZstdDecompress()
  source.on('error', (error) => decoder.destroy(error))
  decoder.on('close', () => source.destroy())
  return source.pipe(decoder)
}

/** Decodes only once somebody reads: an error of a decoder that nobody listens to yet would end the process. */
async function* counted(path: string, packing: OnePacking, spool: Spool): AsyncGenerator<Uint8Array> {
  for await (const chunk of decoded(path, packing) as AsyncIterable<Buffer>) {
    spool.count(chunk.length)
    yield chunk
  }
}
