import { createHash, type Hash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { digestFile } from '../../archives/unpack/file-bytes.ts'

interface ContentOptions {
  /** Absolute paths that are no content: what the command itself writes. */
  readonly ignores: (path: string) => boolean
  readonly signal: AbortSignal
}

/** As far as folders are read at all (`src/archives/unpack/limits.ts`): what lies beyond is refused by the reading, not compared. */
const MAX_DEPTH = 32
const MAX_NAMES = 200_000
/** Files that are read together. */
const AT_ONCE = 8

/**
 * A digest (SHA-256, hex) of what stands at and below some absolute paths: of every file its place and its bytes, whenever they were written.
 * Archives are not unpacked. Hidden files and links are left out, as they are by the reading. What is not there, or may not be read,
 * counts as such.
 */
export async function digestContent(paths: readonly string[], options: ContentOptions): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    // A link that is given by name is followed; one that is found is not.
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory()) await addFolder(hash, path, path, 0, options)
    else add(hash, '', found?.isFile() ? await digestOf(path, options.signal) : null)
    hash.update('\n\n')
  }
  return hash.digest('hex')
}

async function addFolder(
  hash: Hash,
  root: string,
  folder: string,
  depth: number,
  options: ContentOptions,
): Promise<void> {
  options.signal.throwIfAborted()
  const entries = depth > MAX_DEPTH ? null : await listFolder(folder)
  if (entries === null) return add(hash, relative(root, folder), null)
  const shown = entries.filter(({ name }) => !name.startsWith('.') && !options.ignores(join(folder, name)))
  const files = shown.filter((entry) => entry.isFile())
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(({ name }) => join(folder, name))
    const digests = await Promise.all(some.map((path) => digestOf(path, options.signal)))
    for (const [index, path] of some.entries()) add(hash, relative(root, path), digests[index] ?? null)
  }
  for (const entry of shown)
    if (entry.isDirectory()) await addFolder(hash, root, join(folder, entry.name), depth + 1, options)
}

/** In one order whatever the file system says; null where it cannot be listed. */
async function listFolder(folder: string): Promise<Dirent[] | null> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      if (entries.length === MAX_NAMES) return null
      entries.push(entry)
    }
  } catch {
    return null
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Null where it cannot be read. */
async function digestOf(path: string, signal: AbortSignal): Promise<string | null> {
  try {
    return await digestFile(path, signal)
  } catch {
    signal.throwIfAborted()
    return null
  }
}

const add = (hash: Hash, place: string, digest: string | null): void => {
  hash.update(`${JSON.stringify([place, digest])}\n`)
}
