import { createHash } from 'node:crypto'
import { err, ok, type Result } from '../../domain/result.ts'
import type { ArchiveLimits } from './limits.ts'

/** Bounds an item's name to the length of an `item_id`. */
const MAX_NAME = 300
const MAX_SHOWN = 200

/** Percent-encodes control, bidirectional and invisible characters for a terminal: an archive's author may choose them. */
export const safeText = (text: string): string => text.toWellFormed().replaceAll(UNSAFE, encodeURIComponent)

/** C0, C1, soft hyphen, Arabic letter mark, zero-width and bidirectional marks, line separators, variation selectors, tags. */
const UNSAFE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0f]/gu

/** Quotes an archive author's text in a message: safe, and cut to `MAX_SHOWN` units. */
export const shownName = (text: string): string =>
  text.length <= MAX_SHOWN ? safeText(text) : `${safeText(text.slice(0, MAX_SHOWN))}…`

/** Gives unique names to items. Too long a name is cut in front and completed by a digest, so that names are stable. */
export class NameBook {
  readonly #used = new Set<string>()
  /** The number to try next for a repeated name: a file may repeat a name a million times. */
  readonly #next = new Map<string, number>()

  unique(wanted: string): string {
    const safe = safeText(wanted)
    const whole = safe === '' ? 'item' : safe
    const base = whole.length <= MAX_NAME ? whole : cut(whole)
    let name = base
    let count = this.#next.get(base) ?? 2
    for (; this.#used.has(name); count++) {
      const end = `~${count}`
      name = `${base.length + end.length <= MAX_NAME ? base : cut(base)}${end}`
    }
    if (name !== base) this.#next.set(base, count)
    this.#used.add(name)
    return name
  }
}

function cut(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `${digest}…${name.slice(name.length - (MAX_NAME - 40)).toWellFormed()}`
}

/** Bounds a name in bytes, as file systems do. */
const MAX_NAME_BYTES = 255

/** Parses the path of an entry into names; empty: the archive’s root. An unsafe path is an error and never repaired. */
export function parseEntryName(path: string, limits: ArchiveLimits): Result<readonly string[], string> {
  if (path === '') return err('has no name')
  if (path.length > limits.max_path_chars) return err(`has a path of ${path.length} characters`)
  if (path.includes('\0')) return err('has NUL in its path')
  if (path.startsWith('/')) return err('has an absolute path')
  if (path.includes('\\')) return err('has a backslash in its path')
  if (/^[a-z]:/i.test(path)) return err('has a drive in its path')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) return err('has a path that leaves the archive')
  if (names.length > limits.max_depth) return err(`stands ${names.length} folders deep`)
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) return err('has a name that no file can have')
  return ok(names)
}

/** The places of entries, as digests. Names that some file systems treat as one (case, composed accents) collide. */
export class ArchivePlaces {
  readonly #places = new Map<string, { readonly exact: string; readonly kind: 'file' | 'folder' }>()

  /** Count of places, with the folders that were only named on the way. */
  get size(): number {
    return this.#places.size
  }

  /** Adds a place and the folders on its way; returns the conflict, or null. A folder may be repeated. */
  take(names: readonly string[], kind: 'file' | 'folder'): string | null {
    for (let count = 1; count < names.length; count++) {
      const against = this.#addPlace(names.slice(0, count), 'folder')
      if (against !== null) return against
    }
    return names.length === 0 ? null : this.#addPlace(names, kind)
  }

  #addPlace(names: readonly string[], kind: 'file' | 'folder'): string | null {
    const path = names.join('/')
    const folded = digest(path.normalize('NFC').toLowerCase())
    const exact = digest(path)
    const before = this.#places.get(folded)
    if (before === undefined) {
      this.#places.set(folded, { exact, kind })
      return null
    }
    if (before.exact !== exact) return 'differs only in case or accents from an entry before it'
    if (before.kind === 'folder' && kind === 'folder') return null
    return before.kind === kind ? 'is there twice' : 'is a file here and a folder there'
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)
