import type { Issue } from '../../domain/result.ts'
import { NOTHING_UNREAD, type Part, type Reply } from '../../domain/trajectory/trajectory.ts'
import type { Unread } from '../../schemas/grade.ts'
import { type PictureSource, parsePicture } from './pictures.ts'
import { holdsCalls, mayAct } from './unread-acts.ts'

/** Bounds of what a reader accepts. Characters are UTF-16 units, as in every offset of the product. */
export interface ReadLimits {
  readonly max_steps: number
  readonly max_part_chars: number
}

export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An id as text: a text that says something, or a number. Null for the rest: what has no id is no repetition of anything. */
export const idText = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null

/** A time as milliseconds since 1970, from ISO 8601 text or a number of seconds or milliseconds; null for what is none. */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && value > 0 ? (value < 1e11 ? value * 1000 : value) : null
  if (typeof value !== 'string' || value.length > 40 || !ISO_TIME.test(value)) return null
  // A time without a zone must not depend on the machine's.
  const time = Date.parse(HAS_ZONE.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? null : time
}

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

/** What a document of another type is called in a message: `null`, `array`, `string`, … */
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const MAX_ISSUES = 100
/** A part takes some 300 bytes of memory besides its text: 32 MB of one-character texts would take gigabytes. */
const MAX_PARTS = 100_000
const MAX_NAME = 200
/** Far more than a judge is ever shown: each costs a digest, and a document of 32 MB can hold 200,000. */
const MAX_PICTURES = 1000

/** Names stand in headers, so one that is as long as a file must not. */
export const cutName = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`

/** Issues in the order in which they were found, the first hundred of them; beyond that, only their number. */
class IssueList {
  readonly #kept: Issue[] = []
  /** Of all that were found. */
  total = 0

  add(path: string, message: string): void {
    this.total++
    if (this.#kept.length < MAX_ISSUES) this.#kept.push({ path: path.toWellFormed(), message: message.toWellFormed() })
  }

  toArray(): Issue[] {
    if (this.total <= MAX_ISSUES) return [...this.#kept]
    const shown = MAX_ISSUES - 1
    return [...this.#kept.slice(0, shown), { path: '', message: `and ${this.total - shown} more` }]
  }
}

/** Where in the document stands what a reader found at a path. */
export type Place = (path: string) => string

/** What one reading of one document found out so far, and the only way to make a part. */
export class Reading {
  readonly errors = new IssueList()
  readonly warnings = new IssueList()
  readonly limits: ReadLimits
  /** The reply of the model whose record is being read: each part that is added has it. */
  reply: Reply | null = null
  readonly #isElsewhere: (path: string) => boolean
  readonly #said = new Set<string>()
  readonly #pictures = new WeakMap<PictureSource, ReturnType<typeof parsePicture>>()
  /** What could not be read so far. */
  unreadSoFar: Readonly<Unread> = NOTHING_UNREAD
  #steps = 0
  #parts = 0
  #parsed = 0
  #place: Place = (path) => path
  #lastUnread: { readonly path: string | null; readonly mayAct: boolean } = { path: null, mayAct: false }

  /** `isElsewhere`: whether what cannot be read at a place is read at another one. */
  constructor(limits: ReadLimits, isElsewhere: (path: string) => boolean = () => false) {
    this.limits = limits
    this.#isElsewhere = isElsewhere
  }

  /** Reads what was put together from pieces of the document: every path that is told meanwhile goes through `place`. */
  within<T>(place: Place, read: () => T): T {
    const outer = this.#place
    this.#place = place
    try {
      return read()
    } finally {
      this.#place = outer
    }
  }

  error(path: string, message: string): void {
    this.errors.add(this.#place(path), message)
  }

  warn(path: string, message: string): void {
    this.warnings.add(this.#place(path), message)
  }

  /** A record that cannot be read, or not as what it is. */
  unread(path: string, message: string, mayAct: boolean): void {
    if (this.#isElsewhere(path)) return
    this.countUnread(path, mayAct)
    this.warn(path, message)
  }

  /** For a record that is warned of otherwise. One that cannot be read in two respects is still one. */
  countUnread(path: string, mayAct: boolean): void {
    const { path: last, mayAct: counted } = this.#lastUnread
    const placed = this.#place(path)
    const isAgain = placed === last
    this.#lastUnread = { path: placed, mayAct: mayAct || (isAgain && counted) }
    this.addUnread({ records: isAgain ? 0 : 1, actions: mayAct && !(isAgain && counted) ? 1 : 0 })
  }

  addUnread({ records, actions }: Readonly<Unread>): void {
    const { unreadSoFar: before } = this
    this.unreadSoFar = { records: before.records + records, actions: before.actions + actions }
  }

  /** For what is true of every step of such a file: said once, at the first place. */
  warnOnce(path: string, message: string): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.warn(path, message)
  }

  /** Unknown members are read over, but never silently: a surface could hide in what is not read. */
  warnUnknown(record: Json, path: string, known: ReadonlySet<string>): void {
    for (const key in record) {
      if (known.has(key)) continue
      const cut = key.startsWith('_corpus_')
      const message = cut ? 'the corpus that published this file cut it' : 'unknown field, not read'
      if (holdsCalls(record, key)) this.countUnread(path, true)
      this.warn(pointer(path, key), message)
    }
  }

  /** The same, once a file and kind of record: session logs repeat their members in every line. */
  warnUnknownOnce(record: Json, path: string, known: ReadonlySet<string>): void {
    for (const key of Object.keys(record)) {
      if (known.has(key)) continue
      if (holdsCalls(record, key)) this.countUnread(path, true)
      this.warnOnce(path, `unknown field ${JSON.stringify(cutName(key))}, not read`)
    }
  }

  /** A record of a type that the reader does not know: nothing of it is shown. */
  unreadRecord(path: string, what: string, type: unknown, record: unknown): void {
    this.unread(path, `${unknownType(what, type)}; not read`, mayAct(record))
  }

  /** The same for a piece of a text, of which all is shown as it stands. */
  warnType(path: string, what: string, type: unknown): void {
    this.warn(path, `${unknownType(what, type)}; shown leaf by leaf`)
  }

  /** Takes the steps that a list is about to add; an error where they would be too many. */
  takeSteps(count: number, path: string): boolean {
    this.#steps += count
    if (this.#steps <= this.limits.max_steps) return true
    this.error(path, `${this.#steps} steps, more than the ${this.limits.max_steps} that are accepted`)
    return false
  }

  /** Adds a picture or a sound under its placeholder; with the picture itself, where `source` holds one that a judge can be shown. */
  addMedia(parts: Part[], part: Pick<Part, 'actor' | 'text' | 'path' | 'name'>, source?: PictureSource): void {
    const parsed = source === undefined ? null : this.#parsePicture(source)
    if (parsed?.ok === false) this.warn(part.path, `a picture that no judge can be shown: ${parsed.error}`)
    this.add(parts, { ...part, media: true, ...(parsed?.ok === true && { picture: parsed.value }) })
  }

  /** One source may be mentioned in a thousand places (Inspect’s attachments): it is parsed once. */
  #parsePicture(source: PictureSource): ReturnType<typeof parsePicture> {
    const known = this.#pictures.get(source)
    if (known !== undefined) return known
    if (this.#parsed++ === MAX_PICTURES) this.warn('', `only the first ${MAX_PICTURES} pictures are looked at`)
    const parsed = this.#parsed > MAX_PICTURES ? null : parsePicture(source)
    this.#pictures.set(source, parsed)
    return parsed
  }

  /** Adds a part where it has a text. */
  add(parts: Part[], part: Omit<Part, 'media' | 'act'> & Partial<Pick<Part, 'media' | 'act'>>): void {
    const { actor, text, path, name, media = false, act = null, picture } = part
    if (text === '') return
    if (text.length > this.limits.max_part_chars) {
      this.error(path, `${text.length} characters, more than the ${this.limits.max_part_chars} that are accepted`)
      return
    }
    if (++this.#parts > MAX_PARTS) {
      if (this.#parts === MAX_PARTS + 1)
        this.error(path, `more than the ${MAX_PARTS} texts that are accepted in one run`)
      return
    }
    parts.push({
      ...{ actor, text, path: this.#place(path), name: cutName(name), media, act },
      ...(picture !== undefined && { picture }),
      ...(this.reply !== null && actor.startsWith('agent_') && { reply: this.reply }),
    })
  }
}

const unknownType = (what: string, type: unknown): string =>
  `unknown ${what}: ${typeof type === 'string' ? JSON.stringify(cutName(type)) : 'none'}`

/** JSON pointer (RFC 6901) of a member. */
export const pointer = (base: string, key: string | number): string =>
  `${base}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** What stands at a place of a list, where it is an object; else an error, and null. */
export function objectAt(reading: Reading, item: unknown, at: string, what: string): Json | null {
  if (isRecord(item)) return item
  reading.error(at, `${what} must be an object, not ${typeName(item)}`)
  return null
}

/** The items of an array with their pointers; none of anything else. */
export function* itemsIn(list: unknown, path: string): Generator<readonly [item: unknown, path: string]> {
  if (!Array.isArray(list)) return
  for (let index = 0; index < list.length; index++) yield [list[index], pointer(path, index)]
}

/** The objects of a list, with their pointers and places in it; what else stands there is an error: `a message must be an object, not null`. */
export function* objectsIn(
  reading: Reading,
  list: readonly unknown[],
  path: string,
  what: string,
): Generator<readonly [record: Json, path: string, index: number]> {
  for (const [index, item] of list.entries()) {
    const at = pointer(path, index)
    const record = objectAt(reading, item, at, what)
    if (record !== null) yield [record, at, index]
  }
}
