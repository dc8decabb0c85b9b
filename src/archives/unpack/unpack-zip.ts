import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { readAt } from './file-bytes.ts'
import type { ArchiveLimits } from './limits.ts'
import { ArchiveRefusal, type Spool } from './spool.ts'

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
  if (against !== null) return spool.refuse(name, against)
  if (name.endsWith('/')) return spool.addFolder(name)
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false })
  const read = { bytes: 0, crc: 0 }
  const kept = await spool
    .addFile(name, counted(raw, entry.compressionMethod, spool, read))
    .finally(() => raw.destroy())
  if (kept && (read.bytes !== entry.uncompressedSize || read.crc !== entry.crc32))
    throw new Error(`${name.slice(0, 200)} is not what the zip says it is: size or checksum differ`)
}

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
  return pipeline(raw, method === DEFLATED ? createInflateRaw() : createZstdDecompress(), () => undefined)
}

/** Decodes a stream once it is read: an error of a decoder without a listener would end the process. */
async function* counted(
  raw: Readable,
  method: number,
  spool: Spool,
  read: { bytes: number; crc: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of decoded(raw, method) as AsyncIterable<Buffer>) {
    spool.count(chunk.length)
    read.bytes += chunk.length
    read.crc = crc32(chunk, read.crc)
    yield chunk
  }
}
