import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline, type Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { codeOf } from './place.ts'
import { ArchiveRefusal, Spool, type SpoolOptions } from './spool.ts'
import type { TarPacking } from './tar-and-zip.ts'

export type Packing = TarPacking | OnePacking | 'zip'

const TAR_MARK_AT = 257

/** Returns the packing of a file by its first bytes (512 are enough) and what they unpack to, never by its name; null for an unpacked file. */
export async function packingIn(path: string, head: Uint8Array): Promise<Packing | null> {
  const packing = packingOf(head)
  if (packing !== 'tar.gz' && packing !== 'tar.zst') return packing
  const single = packing === 'tar.gz' ? 'gz' : 'zst'
  const start = await startOf(path, single, 512)
  const first = firstByte(start)
  return packingOf(start) !== 'tar' && (first === OBJECT || first === ARRAY) ? single : packing
}

export const OBJECT = 0x7b
export const ARRAY = 0x5b

/** Returns the first byte that is no space or byte order mark. */
export const firstByte = (head: Uint8Array): number | undefined =>
  head.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

function packingOf(head: Uint8Array): TarPacking | 'zip' | null {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, index) => head[index] === byte)
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0x50, 0x4b, 0x05, 0x06)) return 'zip'
  if (starts(0x1f, 0x8b)) return 'tar.gz'
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return 'tar.zst'
  const mark = Buffer.from(head.subarray(TAR_MARK_AT, TAR_MARK_AT + 5)).toString('latin1')
  return mark === 'ustar' ? 'tar' : null
}

type UnpackResult =
  | { readonly kind: 'unpacked'; readonly spool: Spool }
  | { readonly kind: 'refused' | 'unreadable'; readonly detail: string }

/** Unpacks an archive, or the file packed as `name`, into `folder`, whole or not at all. Throws only where it was aborted. */
export async function unpackArchive(
  path: string,
  name: string,
  packing: Packing,
  options: SpoolOptions,
): Promise<UnpackResult> {
  const { limits, abort } = options
  const packed = await stat(path).catch(() => null)
  if (packed === null) return { kind: 'unreadable', detail: 'cannot be opened' }
  const spool = new Spool(packed.size, options)
  try {
    const { unpackTar, unpackZip } = await import('./tar-and-zip.ts')
    if (packing === 'zip') await unpackZip(path, limits, spool)
    else if (packing === 'gz' || packing === 'zst') await unpackOne(path, packing, unpackedName(name, packing), spool)
    else await unpackTar(path, packing, spool, abort)
    return { kind: 'unpacked', spool }
  } catch (error) {
    abort?.throwIfAborted()
    if (codeOf(error) === 'ENOSPC') return { kind: 'unreadable', detail: `${dirname(options.folder)}: ${NO_ROOM}` }
    const message = error instanceof Error && error.message !== '' ? error.message : codeOf(error)
    const what = `${packing} of ${packed.size} bytes, stopped after ${spool.entries} entries and ${spool.bytes} bytes unpacked`
    const kind = error instanceof ArchiveRefusal ? 'refused' : 'unreadable'
    return { kind, detail: `${message} (${what}); nothing of it is read` }
  }
}

const NO_ROOM = 'the disk is full, on which archives are unpacked: make room, or set TMPDIR to another folder'

/** A packing of a single file: `run.json.gz`. */
type OnePacking = 'gz' | 'zst'

export async function unpackOne(path: string, packing: OnePacking, name: string, spool: Spool): Promise<void> {
  const { counted } = await import('./tar-and-zip.ts')
  spool.countEntry()
  await spool.addFile(
    name,
    counted(() => decoded(path, packing), spool),
  )
}

/** Returns the name of the unpacked file. */
function unpackedName(name: string, packing: OnePacking): string {
  const end = `.${packing}`
  const own = name.endsWith(end) ? name.slice(0, -end.length) : name
  return own === '' || own.startsWith('.') ? 'content' : own
}

/** Reads the first bytes of a packed file; fewer from a broken file. */
async function startOf(path: string, packing: OnePacking, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decoded(path, packing) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= bytes) break
    }
  } catch {
    // Unpacking meets the same error, and reports it.
  }
  return Buffer.concat(chunks).subarray(0, bytes)
}

function decoded(path: string, packing: OnePacking): Transform {
  const decoder = packing === 'gz' ? createGunzip() : createZstdDecompress()
  return pipeline(createReadStream(path), decoder, () => undefined)
}
