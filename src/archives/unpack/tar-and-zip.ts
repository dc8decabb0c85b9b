import { createReadStream } from 'node:fs'
import { pipeline as pipe, type Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { extract } from 'tar-stream'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import type { ArchiveLimits } from './limits.ts'
import { readAt } from './place.ts'
import { ArchiveRefusal, type Spool } from './spool.ts'

export type TarPacking = 'tar' | 'tar.gz' | 'tar.zst'

const BLOCK = 512
const CHUNK = 128 * 1024

/** Unpacks a tar into a spool. Every unpacked byte counts. A tar without the empty blocks at its end was cut. */
export async function unpackTar(path: string, packing: TarPacking, spool: Spool, abort?: AbortSignal): Promise<void> {
  const entries = extract()
  const whole = new TrailingZeros()
  const file = createReadStream(path)
  const bytes = packing === 'tar' ? file : pipe(file, decoderOf(packing), () => undefined)
  const content = counted(
    () => bytes,
    spool,
    (chunk) => whole.add(chunk),
  )
  const fed = pipeline(content, entries, abort === undefined ? {} : { signal: abort })
  // The loop below meets the same error; an unhandled rejection here would report it a second time.
  const failure = fed.then(
    () => null,
    (error: unknown) => ({ error }),
  )
  let last = 0
  try {
    for await (const entry of entries) {
      spool.countEntry()
      const { name, type, size = 0, mtime = null } = entry.header
      const own = new TrailingZeros()
      if (type === 'directory') await spool.addFolder(name)
      else if (type === 'file' || type === 'contiguous-file') await spool.addFile(name, own.over(bytesOf(entry)), mtime)
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

const decoderOf = (packing: 'tar.gz' | 'tar.zst'): Transform =>
  packing === 'tar.gz' ? createGunzip({ chunkSize: CHUNK }) : createZstdDecompress({ chunkSize: CHUNK })

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

const STORED = 0
const DEFLATED = 8
/** Inspect packs its samples by this method; `yauzl` returns the raw bytes. */
const ZSTANDARD = 93

const DIRECTORY_RECORD = Buffer.from('PK\x01\x02', 'latin1')

const UNIX_KIND = 0o170000
const UNIX_FILE = 0o100000
const UNIX_FOLDER = 0o040000
const UNIX_LINK = 0o120000

/** Unpacks a zip into a spool. Sizes in the zip are not trusted: bytes are counted, then compared. */
export async function unpackZip(path: string, limits: ArchiveLimits, spool: Spool): Promise<void> {
  // Names are decoded here, because `yauzl` itself rejects the whole file for one invalid name.
  const zip = await openPromise(path, { decodeStrings: false, autoClose: false })
  try {
    if (zip.entryCount > limits.max_entries)
      throw new ArchiveRefusal(`more than ${limits.max_entries} entries, ${zip.entryCount}`)
    for await (const entry of zip.eachEntry()) {
      spool.countEntry()
      await unpackEntry(zip, entry, spool)
    }
    if (await hasMoreEntries(path, zip))
      throw new ArchiveRefusal(`its directory holds more entries than it says, ${zip.entryCount}`)
  } finally {
    zip.close()
  }
}

/** Tells whether another directory record follows the count of entries in the zip, which `yauzl` trusts. */
async function hasMoreEntries(path: string, zip: ZipFile): Promise<boolean> {
  const { readEntryCursor } = zip as unknown as { readonly readEntryCursor: number }
  return (await readAt(path, readEntryCursor, DIRECTORY_RECORD.length)).equals(DIRECTORY_RECORD)
}

async function unpackEntry(zip: ZipFile, entry: Entry, spool: Spool): Promise<void> {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true)
  const against = complaintAbout(entry)
  if (against !== null) {
    spool.refuse(name, against)
    return
  }
  if (name.endsWith('/')) return spool.addFolder(name)
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false })
  const read = { bytes: 0, crc: 0 }
  const see = (chunk: Buffer): void => {
    read.bytes += chunk.length
    read.crc = crc32(chunk, read.crc)
  }
  const content = counted(() => decoded(raw, entry.compressionMethod), spool, see)
  const kept = await spool.addFile(name, content, changeOf(entry)).finally(() => raw.destroy())
  if (kept && (read.bytes !== entry.uncompressedSize || read.crc !== entry.crc32))
    throw new Error(`${name.slice(0, 200)} is not what the zip says it is: size or checksum differ`)
}

/** Extra fields with times in UTC: the extended timestamp, and that of NTFS. */
const UTC_FIELDS: ReadonlySet<number> = new Set([0x5455, 0x000a])

/** Returns the time of an entry's last change; null where the zip has the time of an unknown zone alone. */
const changeOf = (entry: Entry): Date | null =>
  entry.extraFields.some(({ id }) => UTC_FIELDS.has(id)) ? entry.getLastModDate() : null

function complaintAbout(entry: Entry): string | null {
  const unix = (entry.externalFileAttributes >>> 16) & UNIX_KIND
  if (unix === UNIX_LINK) return 'is a symbolic link, not a file'
  if (unix !== 0 && unix !== UNIX_FILE && unix !== UNIX_FOLDER) return 'is a special entry, not a file'
  if (entry.isEncrypted()) return 'is encrypted'
  const method = entry.compressionMethod
  if (method !== STORED && method !== DEFLATED && method !== ZSTANDARD) return `is packed by method ${method}`
  return null
}

function decoded(raw: Readable, method: number): Readable {
  if (method === STORED) return raw
  return pipe(raw, method === DEFLATED ? createInflateRaw() : createZstdDecompress(), () => undefined)
}

/** Counts a stream that is opened once it is read: an error of a decoder without a listener would end the process. */
export async function* counted(open: () => AsyncIterable<Buffer>, spool: Spool, see = (_: Buffer): void => undefined) {
  for await (const chunk of open()) {
    spool.count(chunk.length)
    see(chunk)
    yield chunk
  }
}
