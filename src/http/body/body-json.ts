import type { Issue } from '../../domain/result.ts'
import { readJson } from '../../domain/text/exact-json.ts'
import { scanJson } from '../../domain/text/json-scan.ts'
import { faultAt } from '../problem.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * A body or a line as a value that is exactly what its text says. Refused, each with its place: nesting beyond `depth` (before anything
 * recurses), bytes that are not UTF-8, text that is not JSON, a key that stands twice in one object (parsers differ in which one they
 * keep), a number that is too large to be one, and half characters. Throws an HttpProblem that never repeats the body: it can hold
 * anything.
 */
export function parseJson(bytes: Buffer, depth: number): unknown {
  const { deep, members } = scanJson(bytes, depth)
  if (deep !== -1) throw faultAt('', `nested deeper than ${depth} levels at byte ${deep}`, 'too_deep')
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw faultAt('', 'the body is not valid UTF-8', 'invalid_json')
  }
  let value = parseText(text, bytes)
  let examined = examine(value)
  if (examined.backslash) {
    value = readJson(text).value
    examined = examine(value)
  }
  if (examined.fault !== null) throw faultAt(examined.fault.path, examined.fault.message, 'invalid_request')
  if (examined.members !== members)
    throw faultAt(pathOf(readJson(text).repeated ?? []), 'the same key stands twice in one object', 'duplicate_key')
  return value
}

function parseText(text: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    const at = readJson(text).error
    if (at === -1) throw faultAt('', 'the body is not valid JSON', 'invalid_json')
    const byte = Buffer.byteLength(text.slice(0, at)) + (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0)
    throw faultAt('', `the body ${at === text.length ? 'ends' : 'stops being JSON'} at byte ${byte}`, 'invalid_json')
  }
}

/** What was found in a parsed value. */
interface Examined {
  /** Of all objects together: what the text had, unless a key stood twice in one object. */
  readonly members: number
  /** Whether a name holds a backslash: see `parseExactJson`. */
  readonly backslash: boolean
  /** The first value that would not be the same once stored and read again. */
  readonly fault: Issue | null
}

/**
 * Looks at every value of a parsed body, once: numbers that became infinite (`1e400`, which would be stored as null), keys and texts
 * with half a character (which UTF-8 would fold together). Recurses as deep as the value is: its depth is checked before it is parsed.
 */
export function examine(value: unknown): Examined {
  const found: Found = { members: 0, backslash: false, message: null, keys: [] }
  visit(value, found)
  const { members, backslash, message, keys } = found
  return { members, backslash, fault: message === null ? null : { path: pathOf(keys.reverse()), message } }
}

interface Found {
  members: number
  backslash: boolean
  message: string | null
  /** The way to the fault, innermost first. */
  readonly keys: (string | number)[]
}

/** Whether there is a fault in it. */
function visit(value: unknown, found: Found): boolean {
  if (typeof value === 'string') return !value.isWellFormed() && blame(found, HALF)
  if (typeof value === 'number') return (value === Infinity || value === -Infinity) && blame(found, HUGE)
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? visitArray(value, found) : visitObject(value as Record<string, unknown>, found)
}

function visitArray(items: readonly unknown[], found: Found): boolean {
  for (let index = 0; index < items.length; index++) {
    if (!visit(items[index], found)) continue
    found.keys.push(index)
    return true
  }
  return false
}

function visitObject(record: Record<string, unknown>, found: Found): boolean {
  const keys = Object.keys(record)
  found.members += keys.length
  for (const key of keys) {
    if (key.includes('\\')) found.backslash = true
    const isFault = !key.isWellFormed() ? blame(found, HALF_NAME) : visit(record[key], found)
    if (!isFault) continue
    found.keys.push(key)
    return true
  }
  return false
}

const HUGE = 'the number is beyond what can be kept'
const HALF = 'the text holds a lone surrogate'
const HALF_NAME = 'the name of this member holds a lone surrogate'

function blame(found: Found, message: string): true {
  found.message = message
  return true
}

const MOST_KEY_CHARS = 100

/** JSON pointer (RFC 6901); keys are the sender’s, and are cut where they are long. */
const pathOf = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${typeof key === 'number' ? key : shortKey(key)}`).join('')

const shortKey = (key: string): string => {
  const short = key.length > MOST_KEY_CHARS ? `${key.slice(0, MOST_KEY_CHARS)}…` : key
  return short.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')
}
