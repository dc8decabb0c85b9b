/**
 * The value of a JSON text, as `JSON.parse` gives it, but for its names: V8 (13.6, Node 24; nodejs/node#63785) can misread a name that is
 * written with an escape. It compares the raw characters with the names of objects that it saw before, so that `{"a":1,"\n":2}` comes
 * out as `{"a":1,"\\":2}` after an object with the names `a` and `\`. A name that comes out wrong always holds a backslash, which is how
 * it is noticed. Throws a SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string): unknown {
  const value = JSON.parse(text) as unknown
  return text.includes('\\') && hasBackslashName(value) ? readJson(text).value : value
}

/** Parses a JSON text exactly; undefined for text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/** Without recursion: the text may be nested as deep as it likes. */
function hasBackslashName(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one) && isNamedOddly(one)) return true
    for (const member of Array.isArray(one) ? one : Object.values(one))
      if (typeof member === 'object') open.push(member)
  }
  return false
}

function isNamedOddly(record: object): boolean {
  for (const name in record) if (name.includes('\\')) return true
  return false
}

/** Facts that `JSON.parse` does not tell, or tells wrongly. */
interface JsonReading {
  /** Undefined where the text is not JSON. */
  readonly value: unknown
  /** The place where the text stops being JSON; its length where it ends too early; −1 where it is JSON. */
  readonly error: number
  /** The way to the first key that its object has already, compared as keys read: `"a"` is `"\u0061"`. */
  readonly repeated: readonly (string | number)[] | null
}

/** The slow and exact reading, for the few texts that need it: one pass over the tokens, linear, without recursion. */
export const readJson = (text: string): JsonReading => new JsonReader(text).read()

/** An object or an array that is open, and the name of the member that is read. */
interface Frame {
  readonly container: Record<string, unknown> | unknown[]
  key: string
}

class JsonReader {
  readonly #text: string
  readonly #open: Frame[] = []
  #at = 0
  #expects: 'value' | 'key' | 'separator' = 'value'
  /** Not after a comma or a colon. */
  #mayClose = false
  #root: unknown
  #error = -1
  #repeated: (string | number)[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  read(): JsonReading {
    for (this.#skipSpace(); this.#error === -1 && this.#at < this.#text.length; this.#skipSpace()) this.#readToken()
    const isWhole = this.#expects === 'separator' && this.#open.length === 0
    if (this.#error === -1 && !isWhole) this.#error = this.#text.length
    return { value: this.#error === -1 ? this.#root : undefined, error: this.#error, repeated: this.#repeated }
  }

  #readToken(): void {
    const frame = this.#open.at(-1)
    if (frame !== undefined && this.#mayClose && this.#text[this.#at] === closerOf(frame)) {
      this.#at++
      this.#open.pop()
      this.#expects = 'separator'
    } else if (this.#expects === 'separator') this.#readComma(frame)
    else if (this.#expects === 'key' && frame !== undefined) this.#readKey(frame)
    else this.#readValue()
  }

  #readComma(frame: Frame | undefined): void {
    if (frame === undefined || this.#text[this.#at] !== ',') {
      this.#error = this.#at
      return
    }
    this.#at++
    this.#expects = Array.isArray(frame.container) ? 'value' : 'key'
    this.#mayClose = false
  }

  #readKey(frame: Frame): void {
    const key = this.#readString()
    if (key === null) return
    frame.key = key
    if (this.#repeated === null && Object.hasOwn(frame.container, key)) this.#repeated = this.#open.map(keyOf)
    this.#skipSpace()
    if (this.#text[this.#at] === ':') this.#at++
    else this.#error = this.#at
    this.#expects = 'value'
    this.#mayClose = false
  }

  #readValue(): void {
    const first = this.#text[this.#at]
    this.#mayClose = true
    if (first === '{' || first === '[') {
      const container = first === '{' ? {} : []
      this.#put(container)
      this.#open.push({ container, key: '' })
      this.#expects = first === '{' ? 'key' : 'value'
      this.#at++
      return
    }
    const value = first === '"' ? this.#readString() : this.#readScalar()
    if (this.#error === -1) this.#put(value)
    this.#expects = 'separator'
  }

  #put(value: unknown): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) this.#root = value
    else if (Array.isArray(frame.container)) frame.container.push(value)
    // As `JSON.parse` does: `__proto__` is a name like any other.
    else if (frame.key === '__proto__') Object.defineProperty(frame.container, frame.key, { value, ...OWN })
    else frame.container[frame.key] = value
  }

  /** A single string is read rightly by `JSON.parse`; null where it is none. */
  #readString(): string | null {
    const from = this.#at
    const end = this.#text[from] === '"' ? endOfString(this.#text, from) : from
    try {
      const value = JSON.parse(this.#text.slice(from, end)) as string
      this.#at = end
      return value
    } catch {
      this.#error = faultOfString(this.#text, from)
      return null
    }
  }

  /** A number, `true`, `false` or `null`. */
  #readScalar(): unknown {
    let end = this.#at
    while (end < this.#text.length && !' \n\r\t,:]}[{"'.includes(this.#text[end] ?? '')) end++
    try {
      const value: unknown = JSON.parse(this.#text.slice(this.#at, end))
      this.#at = end
      return value
    } catch {
      this.#error = this.#at
      return null
    }
  }

  #skipSpace(): void {
    const text = this.#text
    let at = this.#at
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
    this.#at = at
  }
}

const OWN = { enumerable: true, configurable: true, writable: true }

const closerOf = ({ container }: Frame): string => (Array.isArray(container) ? ']' : '}')

/** An array holds the member that is read already, where that is a container. */
const keyOf = ({ container, key }: Frame): string | number => (Array.isArray(container) ? container.length - 1 : key)

/** Behind the quote that closes the string at `open`; the end of the text where there is none. */
export function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

/** Finds the place where a broken string that begins at `open` stops being one. */
function faultOfString(text: string, open: number): number {
  if (text[open] !== '"') return open
  for (let at = open + 1; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"' || character < ' ') return at
    if (character !== '\\') continue
    const escaped = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at + 1, at + 6))
    if (escaped === null) return at
    at += escaped[0].length
  }
  return text.length
}
