import { createHash } from 'node:crypto'

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
