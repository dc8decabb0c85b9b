import { MAX_DEPTH } from '../digest.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { type JsonReading, type Key, membersOf, readJson } from './json.ts'

export interface JsonFault extends Issue {
  readonly code: 'too_deep' | 'body_too_large' | 'invalid_json' | 'duplicate_key' | 'invalid_request'
}

/** Objects, lists and members that one text may hold: parsing millions of them would hold up everything else for seconds. */
const MOST_NODES = 2_000_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON whose value is exactly its text. Refuses, each fault with its place: bytes that are not UTF-8, nesting beyond `depth`, millions of
 * values, text that is not JSON, a key that stands twice in one object, a number that becomes infinite, and a lone surrogate. The message never
 * repeats the text.
 */
export function readStrictJson(bytes: Buffer, depth: number): Result<unknown, JsonFault> {
  const fault = (code: JsonFault['code'], message: string, path = '') => err({ code, path, message })
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return fault('invalid_json', 'the body is not valid UTF-8')
  }
  const { value, error, refusal, keys } = readBounded(text, { depth, nodes: MOST_NODES })
  if (refusal === 'duplicate_key') return fault(refusal, 'the same key stands twice in one object', pointer(keys))
  if (refusal === 'too_many')
    return fault('body_too_large', `the body holds more than ${MOST_NODES} objects, lists and members`)
  if (error !== -1) {
    const mark = bytes.indexOf('\ufeff') === 0 ? 3 : 0
    const place = `at byte ${Buffer.byteLength(text.slice(0, error)) + mark}`
    if (refusal !== null) return fault(refusal, `nested deeper than ${depth} levels ${place}`)
    const wrong = error === text.length ? `ends ${place}` : `stops being JSON ${place}`
    return fault('invalid_json', `the body ${text.trim() === '' ? 'is empty' : wrong}`)
  }
  const [unsound] = findUnsound(value, 1)
  return unsound === undefined ? ok(value) : err({ code: 'invalid_request', ...unsound })
}

/**
 * Reads a text exactly within bounds: the levels that may be open at once, and the objects, lists and members in all. `JSON.parse` reads most texts, and tells by its members, one for each colon outside of strings, that it read
 * exactly; the exact reader, which takes longer, reads the others.
 */
export function readBounded(text: string, { depth, nodes }: Record<'depth' | 'nodes', number>): JsonReading {
  const refused = (error: number, refusal: JsonReading['refusal']) => ({ value: undefined, error, refusal, keys: [] })
  let [level, members, containers] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === '"') at = endOfString(text, at) - 1
    else if (mark === ':') members++
    else if (mark === '}' || mark === ']') level--
    else if (mark === '{' || mark === '[') {
      containers++
      if (++level > depth) return refused(at, 'too_deep')
    }
  }
  if (containers + members > nodes) return refused(text.length, 'too_many')
  try {
    const value = JSON.parse(text) as unknown
    if (membersOf(value) === members) return { value, error: -1, refusal: null, keys: [] }
  } catch {}
  return readJson(text, true)
}

/** Finds the unit behind the quote that closes the string at `open`; the end of the text where none does. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

const MOST_UNSOUND = 100

/**
 * Lists the reasons against storing and digesting a value, at most so many: text with lone surrogates (UTF-8 would merge them), values that are
 * not JSON or change when stored (`1e400`), and nesting beyond `MAX_DEPTH`. Too deep a nesting is the last issue: the search ends there.
 */
export function findUnsound(root: unknown, most = MOST_UNSOUND): Issue[] {
  const issues: Issue[] = []
  const way: Key[] = []
  let isOver = false
  const note = (message: string) => {
    isOver ||= issues.push({ path: pointer(way), message }) >= most
  }
  const visit = (value: unknown): void => {
    const complaint = complaintAbout(value)
    if (complaint !== null) note(complaint)
    if (typeof value !== 'object' || value === null) return
    if (way.length === MAX_DEPTH) {
      note(`nested deeper than ${MAX_DEPTH} levels`)
      isOver = true
    }
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (isOver) return
      way.push(key)
      if (typeof key === 'string' && !key.isWellFormed()) note('the name of this member holds a lone surrogate')
      visit((value as Record<Key, unknown>)[key])
      way.pop()
    }
  }
  visit(root)
  return issues.slice(0, most)
}

function complaintAbout(value: unknown): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'the text holds a lone surrogate'
  if (value === Infinity || value === -Infinity) return 'the number is beyond what can be kept'
  const isOdd = typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
  return isOdd ? `a ${typeof value} is not JSON` : null
}

const MOST_KEY_CHARS = 100

/** JSON pointer (RFC 6901). The keys are the sender’s: long ones are cut. */
export const pointer = (keys: readonly Key[]): string =>
  keys.map((key) => `/${typeof key === 'number' ? key : shorten(key)}`).join('')

const shorten = (key: string): string =>
  (key.length > MOST_KEY_CHARS ? `${key.slice(0, MOST_KEY_CHARS)}…` : key)
    .toWellFormed()
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
