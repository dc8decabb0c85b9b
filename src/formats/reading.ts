import type { Issue } from '../domain/result.ts'
import type { Part } from '../domain/trajectory.ts'

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

export const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

/** What a document of another type is called in a message: `null`, `array`, `string`, … */
export const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const MAX_ISSUES = 100
const MAX_NAME = 200

/** Names stand in headers, so one that is as long as a file must not. */
export const cutName = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`

/** Issues in the order in which they were found, the first hundred of them; beyond that, only their number. */
class IssueList {
  readonly #kept: Issue[] = []
  #total = 0

  add(path: string, message: string): void {
    this.#total++
    if (this.#kept.length < MAX_ISSUES) this.#kept.push({ path: path.toWellFormed(), message: message.toWellFormed() })
  }

  get isEmpty(): boolean {
    return this.#total === 0
  }

  toArray(): Issue[] {
    if (this.#total <= MAX_ISSUES) return [...this.#kept]
    const shown = MAX_ISSUES - 1
    return [...this.#kept.slice(0, shown), { path: '', message: `and ${this.#total - shown} more` }]
  }
}

/** What one reading of one document found out so far, and the only way to make a part. */
export class Reading {
  readonly errors = new IssueList()
  readonly warnings = new IssueList()
  readonly limits: ReadLimits
  readonly #said = new Set<string>()
  #steps = 0

  constructor(limits: ReadLimits) {
    this.limits = limits
  }

  error(path: string, message: string): void {
    this.errors.add(path, message)
  }

  warn(path: string, message: string): void {
    this.warnings.add(path, message)
  }

  /** For what is true of every step of such a file: said once, at the first place. */
  warnOnce(path: string, message: string): void {
    if (this.#said.has(message)) return
    this.#said.add(message)
    this.warn(path, message)
  }

  /** Unknown members are read over, but never silently: what nobody reads is what a surface could hide in. */
  warnUnknown(record: Json, path: string, known: ReadonlySet<string>): void {
    for (const key of Object.keys(record)) {
      if (known.has(key)) continue
      const cut = key.startsWith('_corpus_')
      this.warn(pointer(path, key), cut ? 'the corpus that published this file cut it' : 'unknown field, not read')
    }
  }

  /** Takes the steps that a list is about to add; an error where they would be too many. */
  takeSteps(count: number, path: string): boolean {
    this.#steps += count
    if (this.#steps <= this.limits.max_steps) return true
    this.error(path, `${this.#steps} steps, more than the ${this.limits.max_steps} that are accepted`)
    return false
  }

  /** Adds a part where it has a text. */
  add(parts: Part[], part: Omit<Part, 'media'> & { readonly media?: boolean }): void {
    const { actor, text, path, name, media = false } = part
    if (text === '') return
    if (text.length > this.limits.max_part_chars) {
      this.error(path, `${text.length} characters, more than the ${this.limits.max_part_chars} that are accepted`)
      return
    }
    parts.push({ actor, text, path, name: cutName(name), media })
  }
}

/** JSON pointer (RFC 6901) of a member. */
export const pointer = (base: string, key: string | number): string =>
  `${base}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`
