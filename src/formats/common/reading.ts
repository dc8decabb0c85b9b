import type { Issue } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/json.ts'
import { NOTHING_UNREAD, type Part, type Reply } from '../../domain/trajectory/trajectory.ts'
import { quoted, wordSet } from '../../domain/words.ts'
import type { Unread } from '../../schemas/grade.ts'
import { namesOf } from '../vocabulary.ts'
import { type PictureSource, parsePicture } from './pictures.ts'

/** Bounds of the documents that a reader accepts. Characters are UTF-16 units, as in every offset of the product. */
export type ReadLimits = { readonly max_steps: number; readonly max_part_chars: number }

export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an id as text: a non-empty text, or a number. Null for other values: a record without an id repeats no other record. */
export const idText = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : typeof value === 'string' && value !== '' ? value : null

/** Parses a time into milliseconds since 1970, from ISO 8601 text or a number of seconds or milliseconds; null for other values. */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && value > 0 ? (value < 1e11 ? value * 1000 : value) : null
  if (typeof value !== 'string' || value.length > 40 || !ISO_TIME.test(value)) return null
  // A time without a zone must not depend on the machine's zone.
  const time = Date.parse(HAS_ZONE.test(value) ? value : `${value.replace(' ', 'T')}Z`)
  return Number.isNaN(time) ? null : time
}

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

/** Names the JSON type of a value in a message: `null`, `array`, `string`, … */
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const MAX_ISSUES = 100
/** Bounds the parts of a run. A part takes some 300 bytes of memory besides its text: 32 MB of one-character texts would take gigabytes. */
const MAX_PARTS = 100_000
const MAX_NAME = 200
/** Bounds the pictures of a run, far above any judge's limit: each picture costs a digest, and a document of 32 MB can hold 200,000. */
const MAX_PICTURES = 1000

/** Cuts a name to `MAX_NAME` units, because headers repeat names. */
export const cutName = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`

class IssueList {
  readonly #kept: Issue[] = []
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

export interface ContentSink {
  readonly reading: Reading
  text(text: string, path: string): void
  media(placeholder: string, path: string, kind: string, source?: PictureSource): void
}

/** Maps a path that a reader reports to a path in the document. */
export type Place = (path: string) => string

/** Collects the issues and counts of one reading of one document; its `add` is the only way to make a part. */
export class Reading {
  errors = new IssueList()
  /** True for Veridict's own forms, which people write by hand: an odd value refuses the document. */
  isStrict = false
  /** The values of another form than is due: the refusal of a document without any part names them. */
  readonly oddities = new IssueList()
  readonly warnings = new IssueList()
  readonly limits: ReadLimits
  /** The reply of the model that is being read: every added part of the agent carries it. */
  reply: Reply | null = null
  readonly #warned = new Set<string>()
  readonly #pictures = new WeakMap<PictureSource, ReturnType<typeof parsePicture>>()
  unreadSoFar: Readonly<Unread> = NOTHING_UNREAD
  isCompacted = false
  #steps = 0
  #parts = 0
  #parsed = 0
  #place: Place = (path) => path
  /** Paths of the values that were counted as unread, or left out on purpose. */
  readonly passed: string[] = []
  #lastUnread: { readonly path: string | null; readonly mayAct: boolean } = { path: null, mayAct: false }

  constructor(limits: ReadLimits) {
    this.limits = limits
  }

  /** Reads a value assembled from pieces of the document: `place` maps every path that is reported meanwhile. */
  within(place: Place, read: () => void): void {
    const outer = this.#place
    this.#place = place
    try {
      read()
    } finally {
      this.#place = outer
    }
  }

  /** Reports a value of another form than is due: one unread record and one unread act, for the value may have held an act. */
  odd(path: string, due: string, value: unknown): void {
    const isWord = typeof value === 'string' && due.startsWith('one of ')
    const message = `must be ${due}, not ${value === undefined ? 'absent' : isWord ? quoted(value, 40) : typeName(value)}`
    this.oddities.add(this.#place(path), message)
    if (this.isStrict) this.refuse(path, message)
    else this.unread(path, `${message}; not read`, true)
  }

  refuse(path: string, message: string): void {
    this.errors.add(this.#place(path), message)
  }

  warn(path: string, message: string): void {
    this.warnings.add(this.#place(path), message)
  }

  /** Counts and warns of a record that cannot be read, or not as its own type. `mayAct`: the record may hold an act. */
  unread(path: string, message: string, mayAct: boolean): void {
    this.countUnread(path, mayAct)
    this.warn(path, message)
  }

  /** Counts an unread record without a warning. A second count of the same path in a row adds no record. */
  countUnread(path: string, mayAct: boolean): void {
    const placed = this.#place(path)
    const isAgain = placed === this.#lastUnread.path
    const isCounted = isAgain && this.#lastUnread.mayAct
    if (!isAgain) this.passed.push(placed)
    this.#lastUnread = { path: placed, mayAct: mayAct || isCounted }
    this.addUnread({ records: isAgain ? 0 : 1, actions: mayAct && !isCounted ? 1 : 0 })
  }

  /** Marks a value that the reader knows and leaves out: bookkeeping of the harness, or a copy of another value. */
  leaveOut(path: string): void {
    this.passed.push(this.#place(path))
  }

  addUnread({ records, actions }: Readonly<Unread>): void {
    const { unreadSoFar: before } = this
    this.unreadSoFar = { records: before.records + records, actions: before.actions + actions }
  }

  /** Warns once per message, at its first place: for facts that hold at every step of a file. */
  warnOnce(path: string, message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.warn(path, message)
  }

  /** Counts and warns of a record whose type the reader does not know; no part of the record is shown. */
  unreadRecord(path: string, what: string, type: unknown, record: unknown): void {
    this.unread(path, `${unknownType(what, type)}; not read`, mayAct(record))
  }

  /** Warns once of a type of piece that the reader does not know; the leaves of all such pieces are shown. */
  warnType(path: string, what: string, type: unknown): void {
    this.warnOnce(path, `${unknownType(what, type)}; shown leaf by leaf`)
  }

  /** Counts the steps of a list; false, with an error, for an empty list and above the limit of steps. */
  takeSteps(count: number, path: string): boolean {
    this.#steps += count
    if (count > 0 && this.#steps <= this.limits.max_steps) return true
    if (count === 0) this.refuse(path, 'holds no steps')
    else this.refuse(path, `${this.#steps} steps, more than the ${this.limits.max_steps} that are accepted`)
    return false
  }

  /** Adds a picture or a sound under its placeholder; with the picture data where `source` holds a picture that a judge can be shown. */
  addMedia(parts: Part[], part: Pick<Part, 'actor' | 'text' | 'path' | 'name'>, source?: PictureSource): void {
    const parsed = source === undefined ? null : this.#parsePicture(source)
    if (parsed?.ok === false) this.warn(part.path, `a picture that no judge can be shown: ${parsed.error}`)
    this.add(parts, { ...part, media: true, ...(parsed?.ok === true && { picture: parsed.value }) })
  }

  /** Parses a picture once per source: Inspect's attachments may be mentioned in a thousand places. */
  #parsePicture(source: PictureSource): ReturnType<typeof parsePicture> {
    const earlier = this.#pictures.get(source)
    if (earlier !== undefined) return earlier
    if (this.#parsed++ === MAX_PICTURES) this.warn('', `only the first ${MAX_PICTURES} pictures are looked at`)
    const parsed = this.#parsed > MAX_PICTURES ? null : parsePicture(source)
    this.#pictures.set(source, parsed)
    return parsed
  }

  add(parts: Part[], part: Omit<Part, 'media' | 'act'> & Partial<Pick<Part, 'media' | 'act'>>): void {
    const { actor, text, path, name, media = false, act = null, picture } = part
    if (text === '') return
    if (name === 'compact_summary') this.isCompacted = true
    if (text.length > this.limits.max_part_chars) {
      this.refuse(path, `${text.length} characters, more than the ${this.limits.max_part_chars} that are accepted`)
      return
    }
    if (++this.#parts > MAX_PARTS) {
      if (this.#parts === MAX_PARTS + 1)
        this.refuse(path, `more than the ${MAX_PARTS} texts that are accepted in one run`)
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

/** Appends a key to a JSON pointer (RFC 6901). */
export const pointer = (base: string, key: string | number): string =>
  `${base}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`

type Placed<T> = readonly [item: T, path: string, index: number]

/** Yields the items of an array with their pointers; nothing for another value. */
export function* itemsIn(list: unknown, path: string): Generator<Placed<unknown>> {
  if (!Array.isArray(list)) return
  for (let index = 0; index < list.length; index++) yield [list[index], pointer(path, index), index]
}

/** Yields the objects of a list with their pointers; any other item, and a value that is no list, is odd. */
export function* objectsIn(reading: Reading, list: unknown, path: string): Generator<Placed<Json>> {
  if (!isAbsent(list) && !Array.isArray(list)) reading.odd(path, 'an array', list)
  for (const [item, at, index] of itemsIn(list, path))
    if (isRecord(item)) yield [item, at, index]
    else reading.odd(at, 'an object', item)
}

/** Members that hold tool calls, in any format; in lower case, without separators. */
const CALLS = namesOf('any', 'calls')
const OF_CALLS = namesOf('any', 'of_calls')
const KINDS: ReadonlySet<string> = wordSet('event eventtype kind method op partkind subtype type')
const ACT_WORDS = namesOf('any', 'act_words')

const MOST_MEMBERS = 500
const MOST_LEVELS = 8
const MOST_NAME = 100
const MOST_TEXT = 1_000_000

type TestMember = (key: string, member: unknown) => boolean

/** Tells whether a member of a record, at any depth and also in JSON text, passes the test. `beyond`: the answer for a record too large to search. */
function someMember(record: unknown, test: TestMember, beyond: boolean, isAside?: (key: string) => boolean): boolean {
  let looked = 0
  const looks = (value: unknown, level: number): boolean => {
    if (typeof value === 'string') return looksInText(value, level)
    if (typeof value !== 'object' || value === null) return false
    if (level > MOST_LEVELS) return beyond
    for (const key in value) {
      if (looked++ === MOST_MEMBERS) return beyond
      if (isAside?.(key)) continue
      const member = (value as Readonly<Record<string, unknown>>)[key]
      if (test(key, member) || looks(member, level + 1)) return true
    }
    return false
  }
  const looksInText = (given: string, level: number): boolean => {
    const text = given.trimStart()
    if (text[0] !== '{' && text[0] !== '[') return false
    if (text.length > MOST_TEXT) return beyond
    const value = parseJson(text)
    return typeof value === 'object' && looks(value, level + 1)
  }
  return looks(record, 1)
}

/** Tells whether an unknown, or too large, record may hold an act, also in JSON text. `isAside`: members that hold no part of the run. */
export const mayAct = (record: unknown, isAside?: (key: string) => boolean): boolean =>
  someMember(record, (key, member) => isOfCall(plain(key), member), true, isAside)

/** Tells whether a member that is called an id (`call_id`, `toolUseID`, `tool_use_ids`) names a known call; too large a record names none. */
export const namesCall = (record: unknown, isCall: (id: string) => boolean): boolean =>
  someMember(
    record,
    (key, member) => /ids?$/i.test(key) && [member].flat().some((id) => typeof id === 'string' && isCall(id)),
    false,
  )

const isOfCall = (name: string, member: unknown): boolean =>
  KINDS.has(name) ? namesAct(member) : (CALLS.has(name) || OF_CALLS.has(name)) && saysAnything(member)

/** Tells whether a member that the reader does not know holds calls. */
export const holdsCalls = (record: Readonly<Record<string, unknown>>, key: string): boolean =>
  CALLS.has(plain(key)) && saysAnything(record[key])

const plain = (key: string): string => key.slice(0, MOST_NAME).toLowerCase().replaceAll('_', '').replaceAll('-', '')

const saysAnything = (value: unknown): boolean =>
  typeof value === 'string'
    ? value !== ''
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Recognizes type names with a word for an act: `custom_tool_call`, `ToolUse`, `item.exec`. */
const namesAct = (kind: unknown): boolean =>
  typeof kind === 'string' &&
  kind
    .slice(0, MOST_NAME)
    .split(WORD_ENDS)
    .some((word) => ACT_WORDS.has(word.toLowerCase()))

const WORD_ENDS = /[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/
