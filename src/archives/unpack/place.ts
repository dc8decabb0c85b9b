import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../../domain/text/json.ts'

/** A file or a folder: its path, and its name for people (the path as requested, with `!` before entries of an archive). */
export interface Place {
  readonly path: string
  readonly shown: string
}

export const within = (place: Place, name: string): Place => ({
  path: join(place.path, name),
  shown: place.shown.endsWith('!') ? `${place.shown}${name}` : `${place.shown}/${name}`,
})

/** Returns the last name of a place. */
export const nameIn = ({ shown }: Place): string =>
  shown.slice(Math.max(shown.lastIndexOf('/'), shown.lastIndexOf('!')) + 1)

type PlaceKind = 'file' | 'folder' | 'link' | 'other'

export interface Listed {
  readonly name: string
  readonly kind: PlaceKind
}

const kindOf = (entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): PlaceKind =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other'

/** Orders names with their numbers as numbers, so that `episode-2` comes before `episode-10`; the same on every machine. */
const collator = new Intl.Collator('en', { numeric: true })
export const byName = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)

/** Lists the names of a folder, sorted; null for more than `max` names, or for a folder that cannot be read. */
export async function listFolder(folder: Place, max: number): Promise<Listed[] | null> {
  const listed: Listed[] = []
  try {
    for await (const entry of await opendir(folder.path)) {
      if (listed.length === max) return null
      listed.push({ name: entry.name, kind: kindOf(entry) })
    }
  } catch {
    return null
  }
  return listed.sort((a, b) => byName(a.name, b.name))
}

/** Finds the entry at a relative path below a folder; null where none exists, or where a link is on the way. */
export async function find(folder: Place, ...names: readonly string[]): Promise<(Place & { kind: PlaceKind }) | null> {
  let place = folder
  let kind: PlaceKind = 'folder'
  for (const name of names) {
    if (kind !== 'folder') return null
    place = within(place, name)
    const stats = await lstat(place.path).catch(() => null)
    if (stats === null) return null
    kind = kindOf(stats)
  }
  return kind === 'link' ? null : { ...place, kind }
}

const finderOf =
  (kind: PlaceKind) =>
  async (folder: Place, ...names: readonly string[]): Promise<Place | null> => {
    const entry = await find(folder, ...names)
    return entry?.kind === kind ? entry : null
  }
export const findFile = finderOf('file')
export const findFolder = finderOf('folder')

/** Returns the names of a relative path from a file; null where the path leaves the folder: absolute, `..`, a drive, NUL. */
export function relativeNames(path: string): string[] | null {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.includes('\0') || path.includes(':'))
    return null
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return names.length === 0 || names.includes('..') ? null : names
}

type ReadBytes =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'over' | 'gone'; readonly detail: string }

/** Reads a regular file of at most `max` bytes, and at most one byte past it where the file grows. A link is not followed. */
export async function readBytes({ path }: Place, max: number): Promise<ReadBytes> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => codeOf(error))
  if (typeof file === 'string') return { kind: 'gone', detail: `cannot be opened: ${file}` }
  try {
    const { size } = await file.stat()
    const over = { kind: 'over', detail: `more than the ${max} bytes that are read of a file` } as const
    if (size > max) return { kind: 'over', detail: `${size} bytes, ${over.detail}` }
    const chunks: Buffer[] = []
    let total = 0
    for (let chunk = size + 1; ; chunk = 64 * 1024) {
      const buffer = Buffer.allocUnsafe(Math.min(chunk, max - total + 1))
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
      if (bytesRead === 0) break
      total += bytesRead
      if (total > max) return over
      chunks.push(buffer.subarray(0, bytesRead))
    }
    return { kind: 'read', bytes: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks) }
  } catch (error) {
    return { kind: 'gone', detail: `cannot be read: ${codeOf(error)}` }
  } finally {
    await file.close()
  }
}

export const codeOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.message) : 'unknown'

type ReadText =
  | { readonly kind: 'read'; readonly text: string; readonly warnings: readonly string[] }
  | Exclude<ReadBytes, { kind: 'read' }>

const STRICT = new TextDecoder('utf-8', { fatal: true })
const LENIENT = new TextDecoder('utf-8')

/** Tells whether JSON, or any text with a byte order mark, is written in UTF-16. */
export function isUtf16([first = -1, second = -1, third = -1, fourth = -1]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return (
    hasMark || (isOpening(first) && second === 0 && fourth <= 0) || (first === 0 && isOpening(second) && third <= 0)
  )
}

/** Recognizes `{` or `[`. */
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b

/** Decodes UTF-8 text without its byte order mark. Invalid bytes become U+FFFD, with a warning. */
export function decodeText(bytes: Uint8Array): ReadText {
  if (isUtf16(bytes)) return decodeUtf16(bytes)
  try {
    return { kind: 'read', text: STRICT.decode(bytes), warnings: [] }
  } catch (error) {
    if (!(error instanceof TypeError)) return { kind: 'over', detail: 'longer than a text can be here' }
    const warning = 'the file is not UTF-8 throughout; what cannot be decoded is shown as U+FFFD'
    return { kind: 'read', text: LENIENT.decode(bytes), warnings: [warning] }
  }
}

function decodeUtf16(bytes: Uint8Array): ReadText {
  const isBig = bytes[0] === 0xfe || bytes[0] === 0
  const [encoding, name] = isBig ? ['utf-16be', 'big endian'] : ['utf-16le', 'little endian']
  return {
    kind: 'read',
    text: new TextDecoder(encoding).decode(bytes),
    warnings: [`the file is UTF-16 (${name}), not UTF-8; read as such`],
  }
}

export async function readText(place: Place, max: number): Promise<ReadText> {
  const read = await readBytes(place, max)
  return read.kind === 'read' ? decodeText(read.bytes) : read
}

/** Reads a small JSON file of a harness; null for a missing or invalid file. */
export async function readJson(place: Place | null, max: number): Promise<unknown> {
  const read = place === null ? null : await readText(place, max)
  return read?.kind === 'read' ? (parseJson(read.text) ?? null) : null
}

const CHUNK_BYTES = 256 * 1024

/** Yields the bytes of a file in pieces that share one buffer: each piece is valid until the next is requested. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const room = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(room, 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield room.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Reads a number of bytes of a file from an offset; fewer at its end. */
export async function readAt(path: string, at: number, bytes: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
