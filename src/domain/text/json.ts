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

/** Counts the members of all objects of a value; NaN where a name has a backslash. Without recursion: it may be nested as deep as it likes. */
export function membersOf(value: unknown): number {
  const open: object[] = []
  const add = (member: unknown): void => void (typeof member === 'object' && member !== null && open.push(member))
  let members = 0
  add(value)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!Array.isArray(next)) for (const name in next) members += name.includes('\\') ? Number.NaN : 1
    for (const member of Array.isArray(next) ? next : Object.values(next)) add(member)
  }
  return members
}

/** The name of a member, or the index of an item. */
export type Key = string | number

export interface JsonReading {
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
