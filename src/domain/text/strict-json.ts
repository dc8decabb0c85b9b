import { err, type Issue, ok, type Result } from '../result.ts'
import { readJson } from './exact-json.ts'
import { scanJson } from './json-scan.ts'

export interface JsonFault extends Issue {
  readonly code: 'too_deep' | 'body_too_large' | 'invalid_json' | 'duplicate_key' | 'invalid_request'
}

/** Objects, lists and members that one text may hold: parsing millions of them would hold up everything else for seconds. */
const MOST_NODES = 2_000_000

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses JSON whose value is exactly its text. Refuses, each fault with its place: nesting beyond `depth` and millions of values (before anything is parsed), bytes that are
 * not UTF-8, text that is not JSON, a key that stands twice in one object, a number that becomes infinite, and a lone surrogate. The message never
 * repeats the text.
 */
export function readStrictJson(bytes: Buffer, depth: number): Result<unknown, JsonFault> {
  const { deep, members, containers } = scanJson(bytes, depth)
  if (deep !== -1) return fault('too_deep', `nested deeper than ${depth} levels at byte ${deep}`)
  if (containers + members > MOST_NODES)
    return fault('body_too_large', `the body holds more than ${MOST_NODES} objects, lists and members`)
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
  } catch {
    return fault('invalid_json', 'the body is not valid UTF-8')
  }
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxFault(text, bytes)
  }
  let walked = new Walk(value)
  if (walked.hasBackslashName) {
    value = readJson(text).value
    walked = new Walk(value)
  }
  if (walked.message !== null) return fault('invalid_request', walked.message, pointer(walked.keys.reverse()))
  if (walked.members !== members)
    return fault('duplicate_key', 'the same key stands twice in one object', pointer(readJson(text).repeated ?? []))
  return ok(value)
}

/** Finds the first value that storing and reading again would change: an infinite number or a lone surrogate. The value must not be deep. */
export function findUnstorable(value: unknown): Issue | null {
  const { message, keys } = new Walk(value)
  return message === null ? null : { path: pointer(keys.reverse()), message }
}

const fault = (code: JsonFault['code'], message: string, path = ''): Result<never, JsonFault> =>
  err({ code, path, message })

function syntaxFault(text: string, bytes: Buffer): Result<never, JsonFault> {
  if (text.trim() === '') return fault('invalid_json', 'the body is empty')
  const at = readJson(text).error
  if (at === -1) return fault('invalid_json', 'the body is not valid JSON')
  const byte = Buffer.byteLength(text.slice(0, at)) + (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0)
  return fault('invalid_json', `the body ${at === text.length ? 'ends' : 'stops being JSON'} at byte ${byte}`)
}

/** One pass over a parsed value, up to its first fault. */
class Walk {
  /** Members of all objects together: as many as colons in the text, unless a key stands twice in one object. */
  members = 0
  /** A name with a backslash may be misread by V8: see `parseExactJson`. */
  hasBackslashName = false
  message: string | null = null
  /** Keys from the fault outwards. */
  readonly keys: (string | number)[] = []

  constructor(value: unknown) {
    this.#visit(value)
  }

  #visit(value: unknown): boolean {
    if (typeof value === 'string') return !value.isWellFormed() && this.#refuse('the text holds a lone surrogate')
    if (typeof value === 'number')
      return Math.abs(value) === Infinity && this.#refuse('the number is beyond what can be kept')
    if (typeof value !== 'object' || value === null) return false
    return Array.isArray(value) ? this.#visitArray(value) : this.#visitObject(value as Record<string, unknown>)
  }

  #visitArray(items: readonly unknown[]): boolean {
    for (let index = 0; index < items.length; index++)
      if (this.#visit(items[index])) {
        this.keys.push(index)
        return true
      }
    return false
  }

  #visitObject(record: Record<string, unknown>): boolean {
    const names = Object.keys(record)
    this.members += names.length
    for (const name of names) {
      if (name.includes('\\')) this.hasBackslashName = true
      const isBad = name.isWellFormed()
        ? this.#visit(record[name])
        : this.#refuse('the name of this member holds a lone surrogate')
      if (!isBad) continue
      this.keys.push(name)
      return true
    }
    return false
  }

  #refuse(message: string): true {
    this.message = message
    return true
  }
}

const MOST_KEY_CHARS = 100

/** JSON pointer (RFC 6901). The keys are the sender’s: long ones are cut. */
export const pointer = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${typeof key === 'number' ? key : shorten(key)}`).join('')

const shorten = (key: string): string =>
  (key.length > MOST_KEY_CHARS ? `${key.slice(0, MOST_KEY_CHARS)}…` : key)
    .toWellFormed()
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
