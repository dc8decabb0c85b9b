import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ArchiveLimits } from './limits.ts'

/** What a file system takes for one name. */
const MAX_NAME_BYTES = 255

/**
 * The names on the way to an entry of an archive, or why it is not followed. `./` and doubled slashes are nothing; a path is never
 * repaired, because what it was meant to reach is not known. An empty list is the archive's own root.
 */
export function parseEntryName(path: string, limits: ArchiveLimits): Result<readonly string[], string> {
  if (path === '') return err('has no name')
  if (path.length > limits.max_path_chars) return err(`has a path of ${path.length} characters`)
  if (path.includes('\0')) return err('has NUL in its path')
  if (path.startsWith('/')) return err('has an absolute path')
  if (path.includes('\\')) return err('has a backslash in its path')
  if (isDrive(path)) return err('has a drive in its path')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) return err('has a path that leaves the archive')
  if (names.length > limits.max_depth) return err(`stands ${names.length} folders deep`)
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) return err('has a name that no file can have')
  return ok(names)
}

function isDrive(path: string): boolean {
  const letter = path.charCodeAt(0) | 0x20
  return path[1] === ':' && letter >= 0x61 && letter <= 0x7a
}

type Kind = 'file' | 'folder'

/**
 * The places that an archive has taken. Two names that some file systems hold for one (case, composed accents) collide, so that an
 * archive reads the same everywhere. Digests, not names: a million long names must not fill the memory.
 */
export class TakenPlaces {
  readonly #taken = new Map<string, { readonly exact: string; readonly kind: Kind }>()

  /** How many places are taken, folders that were only named on the way included. */
  get size(): number {
    return this.#taken.size
  }

  /** Takes a place and the folders on its way; says what stands against it. A folder may be named again. */
  take(names: readonly string[], kind: Kind): string | null {
    for (let count = 1; count < names.length; count++) {
      const against = this.#takeOne(names.slice(0, count), 'folder')
      if (against !== null) return against
    }
    return names.length === 0 ? null : this.#takeOne(names, kind)
  }

  #takeOne(names: readonly string[], kind: Kind): string | null {
    const path = names.join('/')
    const folded = digest(path.normalize('NFC').toLowerCase())
    const exact = digest(path)
    const taken = this.#taken.get(folded)
    if (taken === undefined) {
      this.#taken.set(folded, { exact, kind })
      return null
    }
    if (taken.exact !== exact) return 'differs only in case or accents from an entry before it'
    if (taken.kind === 'folder' && kind === 'folder') return null
    return taken.kind === kind ? 'is there twice' : 'is a file here and a folder there'
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
