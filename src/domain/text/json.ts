/**
 * The value of a JSON text, as `JSON.parse` gives it, but for its names: V8 (13.6, Node 24; nodejs/node#63785) can misread a name that is
 * written with an escape. It compares the raw characters with the names of objects that it saw before, so that `{"a":1,"\n":2}` comes
 * out as `{"a":1,"\\":2}` after an object with the names `a` and `\`. A name that comes out wrong always holds a backslash, which is how
 * it is noticed. Throws a SyntaxError for what is no JSON.
 */
export function parseExactJson(text: string): unknown {
  const value = JSON.parse(text) as unknown
  return text.includes('\\') && Number.isNaN(membersOf(value)) ? readJson(text).value : value
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

/** Reads a text exactly, in one pass over its tokens, linear, without recursion. `isUnique`: a name that stands twice in one object is refused. */
export function readJson(text: string, isUnique = false): JsonReading {
  const reader = new JsonReader(text, isUnique)
  try {
    return { value: reader.read(), error: -1, refusal: null, keys: [] }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { value: undefined, error: reader.at, refusal: reader.refusal, keys: reader.keys }
  }
}

/** An object or an array that is open, and the key of the member that is read; undefined: none is yet. */
interface Frame {
  readonly container: Record<string, unknown> | unknown[]
  key: Key | undefined
}

/** Throws a SyntaxError at the first fault. */
class JsonReader {
  at = 0
  refusal: 'duplicate_key' | null = null
  private readonly text: string
  private readonly isUnique: boolean
  private readonly open: Frame[] = []
  private root: unknown

  constructor(text: string, isUnique: boolean) {
    this.text = text
    this.isUnique = isUnique
  }

  get keys(): Key[] {
    return this.open.flatMap(({ key }) => key ?? [])
  }

  read(): unknown {
    this.readValue()
    for (let frame = this.open.at(-1); frame !== undefined; frame = this.open.at(-1)) this.readOn(frame)
    if (this.next() !== undefined) throw new SyntaxError()
    return this.root
  }

  /** Reads the next member of a container, or its end. */
  private readOn(frame: Frame): void {
    const { container } = frame
    const isList = Array.isArray(container)
    if (this.next() === (isList ? ']' : '}')) {
      this.at++
      this.open.pop()
      return
    }
    if (frame.key !== undefined) this.take(',')
    if (isList) frame.key = container.length
    else {
      this.next()
      frame.key = this.readString()
      if (this.isUnique && Object.hasOwn(container, frame.key)) {
        this.refusal = 'duplicate_key'
        throw new SyntaxError()
      }
      this.take(':')
    }
    this.readValue()
  }

  private readValue(): void {
    const first = this.next()
    if (first !== '{' && first !== '[') {
      this.put(first === '"' ? this.readString() : this.readScalar())
      return
    }
    const container = first === '{' ? {} : []
    this.put(container)
    this.open.push({ container, key: undefined })
    this.at++
  }

  private put(value: unknown): void {
    const { container, key = '' } = this.open.at(-1) ?? {}
    if (container === undefined) this.root = value
    else if (Array.isArray(container)) container.push(value)
    // As `JSON.parse` does: `__proto__` is a name like any other.
    else Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
  }

  /** A single string is read rightly by `JSON.parse`. */
  private readString(): string {
    const from = this.at
    this.take('"')
    for (PIECE.lastIndex = this.at; PIECE.test(this.text); ) this.at = PIECE.lastIndex
    if (this.text[this.at] !== '"') throw new SyntaxError()
    this.at++
    return JSON.parse(this.text.slice(from, this.at)) as string
  }

  /** A number, `true`, `false` or `null`. */
  private readScalar(): unknown {
    END_OF_SCALAR.lastIndex = this.at
    const end = END_OF_SCALAR.exec(this.text)?.index ?? this.text.length
    const value = JSON.parse(this.text.slice(this.at, end)) as unknown
    this.at = end
    return value
  }

  /** Skips white space. */
  private next(): string | undefined {
    while (' \n\r\t'.includes(this.text[this.at] ?? '-')) this.at++
    return this.text[this.at]
  }

  private take(mark: string): void {
    if (this.next() !== mark) throw new SyntaxError()
    this.at++
  }
}

/** Plain characters of a string, or an escape. */
const PIECE = /[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const END_OF_SCALAR = /[ \n\r\t,:\]}[{"]/g
