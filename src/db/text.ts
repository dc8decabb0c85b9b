import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { parseExactJson } from '../domain/text/json.ts'
import { packedTextOf } from '../domain/trajectory/trajectory.ts'
import { refusal } from './errors.ts'

/** The first bytes of a zstd frame. Never those of UTF-8, where 0xB5 cannot follow an ASCII character. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Stands before UTF-16: a byte that UTF-8 never has. */
const UTF16 = 0xff
/** Makes a trajectory about five times smaller at several hundred MB/s. */
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }

/** Renders the bytes of a text, compressed where they are more than `above`. A text with a lone surrogate is kept as UTF-16: every text comes back exactly. */
export function packText(text: string, above: number): Buffer {
  const bytes = text.isWellFormed()
    ? Buffer.from(text)
    : Buffer.concat([Buffer.of(UTF16), Buffer.from(text, 'utf16le')])
  return bytes.length > above ? packBytes(bytes) : bytes
}

/** Compresses the JSON text of a document; a document that another thread has read is compressed already. */
export const packDocument = (document: object): Buffer =>
  packedTextOf(document) ?? packBytes(Buffer.from(JSON.stringify(document)))

/** Compresses bytes; zstd takes memory for the size that it expects. */
const packBytes = (bytes: Buffer): Buffer => zstdCompressSync(bytes, { params: PARAMS, pledgedSrcSize: bytes.length })

/** Decodes the text of `packText`. Throws a StorageError where the bytes are damaged. */
export const unpackText = (packed: Uint8Array): string => textIn(unpackBytes(packed))

/** Decompresses the bytes of `packText`, which `textIn` decodes. Throws a StorageError where they are damaged. */
export function unpackBytes(packed: Uint8Array): Buffer {
  const stored = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  try {
    // No JSON text and no other text of `packText` begins like that.
    return stored.subarray(0, ZSTD.length).equals(ZSTD) ? zstdDecompressSync(stored) : stored
  } catch (error) {
    throw refusal('a stored text is damaged: it cannot be decompressed', { cause: error })
  }
}

export const textIn = (bytes: Buffer): string =>
  bytes[0] === UTF16 ? bytes.toString('utf16le', 1) : bytes.toString('utf8')

/** Parses a stored JSON text. Throws a StorageError where it is damaged. */
export function parseStored<T>(text: string): T {
  try {
    return parseExactJson(text) as T
  } catch (error) {
    throw refusal('a stored document is damaged: it is no JSON', { cause: error })
  }
}

/** Columns that hold their values in another form, by their names in all tables and readings: JSON texts, packed texts, and a condition. */
const JSON_COLUMNS = 'disposition failure grade ground_truth request review scopes signals tallies usage'.split(' ')
/** Bytes above which the text of a column is compressed. */
const PACKED_ABOVE: Readonly<Record<string, number>> = { reply_text: 1024, raw_reply: 1024, line: 0 }
const DECODERS = new Map<string, (stored: never) => unknown>([
  ...JSON_COLUMNS.map((name) => [name, parseStored<unknown>] as const),
  ...Object.keys(PACKED_ABOVE).map((name) => [name, unpackText] as const),
  ...['cached', 'is_graded', 'is_open'].map((name) => [name, Boolean] as const),
])

/** Restores the values of a row, in the row itself. Throws a StorageError where a value is damaged. */
export function decodeRow<R>(row: R): R {
  const values = row as Record<string, unknown>
  for (const name in values) {
    const decode = DECODERS.get(name)
    if (decode !== undefined && values[name] !== null) values[name] = decode(values[name] as never)
  }
  return row
}

/** Encodes the values of a row. */
export const encodeRow = <R extends object>(row: R): R =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, encodeColumn([name, value])])) as R

/** Renders the value of a column as the database holds it. */
export function encodeColumn([name, value]: readonly [name: string, value: unknown]): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string') return name in PACKED_ABOVE ? packText(value, PACKED_ABOVE[name] ?? 0) : value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}
