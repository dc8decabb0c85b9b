import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ArchiveLimits } from './limits.ts'

/** What `item_id` accepts. */
const MAX_NAME = 300
const MAX_SHOWN = 200

/**
 * A text as it may stand on a terminal: control, bidirectional and invisible characters are percent-encoded. Whatever packed the
 * archive, or wrote the trajectory, chose them.
 */
export function safeText(text: string): string {
  let safe = ''
  for (const char of text.toWellFormed()) safe += isUnsafe(char.codePointAt(0) ?? 0) ? encodeURIComponent(char) : char
  return safe
}

/** C0, C1, soft hyphen, Arabic letter mark, zero-width and bidirectional marks, line separators, variation selectors, tags. */
const UNSAFE: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe01ef],
]
const isUnsafe = (code: number): boolean => UNSAFE.some(([from, to]) => code >= from && code <= to)

/** Something of an archive's author in a message: safe, and never as long as an archive. */
export const shownName = (text: string): string =>
  text.length <= MAX_SHOWN ? safeText(text) : `${safeText(text.slice(0, MAX_SHOWN))}…`

/** Unique names of items. What is too long is cut in front and told apart by a digest, so that a name is stable. */
export class NameBook {
  readonly #taken = new Set<string>()
  /** The number to try next for a name that is taken: a file may say one name a million times. */
  readonly #next = new Map<string, number>()

  take(wanted: string): string {
    const safe = safeText(wanted)
    const whole = safe === '' ? 'item' : safe
    const base = whole.length <= MAX_NAME ? whole : cut(whole)
    let name = base
    let count = this.#next.get(base) ?? 2
    for (; this.#taken.has(name); count++) {
      const end = `~${count}`
      name = `${base.length + end.length <= MAX_NAME ? base : cut(base)}${end}`
    }
    if (name !== base) this.#next.set(base, count)
    this.#taken.add(name)
    return name
  }
}

function cut(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${digest}…${name.slice(name.length - (MAX_NAME - 40)).toWellFormed()}`
}

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
