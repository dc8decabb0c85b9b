import { constants, type Dirent } from 'node:fs'
import { lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'

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

export async function findFile(folder: Place, ...names: readonly string[]): Promise<Place | null> {
  const entry = await find(folder, ...names)
  return entry?.kind === 'file' ? entry : null
}

export async function findFolder(folder: Place, ...names: readonly string[]): Promise<Place | null> {
  const entry = await find(folder, ...names)
  return entry?.kind === 'folder' ? entry : null
}

/** Returns the names of a relative path from a file; null where the path leaves the folder: absolute, `..`, a drive, NUL. */
export function relativeNames(path: string): string[] | null {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.includes('\0') || path.includes(':'))
    return null
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  return names.length === 0 || names.includes('..') ? null : names
}

export type ReadBytes =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'over' | 'gone'; readonly detail: string }

/**
 * Reads the bytes of a regular file of at most `max` bytes. The size is checked first, and a file that grows meanwhile (or reports a wrong
 * size) is read at most one byte past the limit. A link is not followed.
 */
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
