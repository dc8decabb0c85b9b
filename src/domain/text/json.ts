import { MAX_DEPTH } from '../digest.ts'
import { err, type Issue, ok, type Result } from '../result.ts'

/**
 * The value of a JSON text, as `JSON.parse` gives it, but for its names: V8 (13.6, Node 24; nodejs/node#63785) can misread a name that is
 * written with an escape. It compares the raw characters with the names of objects that it saw before, so that `{"a":1,"\n":2}` comes
 * out as `{"a":1,"\\":2}` after an object with the names `a` and `\`. A name that comes out wrong always holds a backslash, which is how
 * it is noticed. Throws a SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string): unknown {
  const value = JSON.parse(text) as unknown
  if (!text.includes('\\') || !Number.isNaN(membersOf(value))) return value
  const exact = readJson(text)
  if (exact.error !== -1) throw new SyntaxError(`nested deeper than ${MOST_LEVELS} levels`)
  return exact.value
}

/** Parses a JSON text exactly; undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    // Code in braces: a syntax error costs V8 more than most parsing.
    return /^\s*\{\s*[^\s"}]/.test(text) ? undefined : parseExactJson(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON list of texts; null for any other text. */
export function parseTexts(text: string): string[] | null {
  const value = parseJson(text)
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Counts the members of all objects of a value; NaN where a name has a backslash. Without recursion: it may be nested as deep as it likes. */
export function membersOf(value: unknown): number {
  const open = [value]
  let members = 0
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) for (const name in next) members += name.includes('\\') ? Number.NaN : 1
    for (const member of Array.isArray(next) ? next : Object.values(next)) open.push(member)
  }
  return members
}

/** The name of a member, or the index of an item. */
export type Key = string | number

interface JsonReading {
  /** Undefined where the text is not JSON, or refused. */
  readonly value: unknown
  /** The place where the text stops being JSON, or is refused; its length where it ends too early; −1 where it is taken. */
  readonly error: number
  /** The reason beside the syntax. Keys are compared as read: `"a"` is `"\u0061"`. */
  readonly refusal: 'too_deep' | 'too_many' | 'duplicate_key' | null
  /** The way to the place of the error. */
  readonly keys: readonly Key[]
}

/** Levels beyond which a text is read no further. */
const MOST_LEVELS = 2000

/** Reads a text exactly, in one pass over its tokens, linear. `isUnique`: a name that stands twice in one object is refused. */
export function readJson(text: string, isUnique = false): JsonReading {
  const keys: Key[] = []
  let [at, isTwice] = [0, false]
  /** Skips white space. */
  const next = (): string | undefined => {
    while (' \n\r\t'.includes(text[at] ?? '-')) at++
    return text[at]
  }
  const take = (mark: string): void => {
    if (next() !== mark) throw new SyntaxError()
    at++
  }
  /** A single string is read rightly by `JSON.parse`. */
  const readString = (): string => {
    take('"')
    const from = at - 1
    for (PIECE.lastIndex = at; PIECE.test(text); ) at = PIECE.lastIndex
    if (text[at] !== '"') throw new SyntaxError()
    at++
    return JSON.parse(text.slice(from, at)) as string
  }
  /** A number, `true`, `false` or `null`. */
  const readScalar = (): unknown => {
    END_OF_SCALAR.lastIndex = at
    const end = END_OF_SCALAR.exec(text)?.index ?? text.length
    const value = JSON.parse(text.slice(at, end)) as unknown
    at = end
    return value
  }
  /** Reads up to the value of a member: the comma before it, its name and the colon. */
  const readKey = (container: object, count: number): Key => {
    if (count > 0) take(',')
    next()
    const key = Array.isArray(container) ? count : readString()
    keys.push(key)
    isTwice = isUnique && Object.hasOwn(container, key)
    if (isTwice) throw new SyntaxError()
    if (typeof key === 'string') take(':')
    return key
  }
  const readValue = (): unknown => {
    const first = next()
    if (first !== '{' && first !== '[') return first === '"' ? readString() : readScalar()
    if (keys.length === MOST_LEVELS) throw new SyntaxError()
    at++
    const [container, close] = first === '{' ? [{}, '}'] : [[], ']']
    for (let count = 0; next() !== close; count++) {
      const key = readKey(container, count)
      // As `JSON.parse` does: `__proto__` is a name like any other.
      Object.defineProperty(container, key, {
        value: readValue(),
        enumerable: true,
        configurable: true,
        writable: true,
      })
      keys.pop()
    }
    at++
    return container
  }
  try {
    const value = readValue()
    if (next() !== undefined) throw new SyntaxError()
    return { value, error: -1, refusal: null, keys: [] }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { value: undefined, error: at, refusal: isTwice ? 'duplicate_key' : null, keys }
  }
}

/** Plain characters of a string, or an escape. */
const PIECE = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const END_OF_SCALAR = /[ \n\r\t,:\]}[{"]/g

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

/** Lists the reasons against storing a value, at most so many: lone surrogates, values that JSON changes (`1e400`), too deep a nesting. */
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
