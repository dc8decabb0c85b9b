import { isRecord, type Json } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import type { Located, Tree } from '../traces/located.ts'

/**
 * Gives access to a span's attributes in every export form: OTLP's list of keys and values, an object with dotted names, or nested objects
 * (`{"llm": {"input_messages": [{"message": {"role": …}}]}}`).
 */
export class Attribute {
  #own: Located | null
  /** Cached result of `#isEmpty`, computed once all members are set. */
  #empty: boolean | null = null
  readonly #members = new Map<string, Attribute>()

  constructor(own: Located | null = null) {
    this.#own = own
  }

  /** Returns the attribute of a dotted name below this attribute; null where none exists. */
  get(name: string): Attribute | null {
    return this.#find(name.split('.'))
  }

  /** Returns the value of the first present attribute of several names, separated by blanks; an attribute with members has none. */
  value(names: string): Located | null {
    return firstOf(names, (name) => {
      const attribute = this.get(name)
      return attribute === null || attribute.#members.size > 0 ? null : attribute.#own
    })
  }

  /** Returns the first text of the attributes of several names, separated by blanks. */
  text(names: string): string | null {
    return firstOf(names, (name) => asText(this.value(name)?.value))
  }

  /** Lists the values of a list in order: an array, or members named `0`, `1`, … */
  items(): Attribute[] {
    const own = this.#own?.items().map((item) => new Attribute(item)) ?? []
    const numbered = [...this.#members].filter(([name]) => NUMBER.test(name))
    return own.length > 0 ? own : numbered.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
  }

  tree(): Tree {
    if (this.#members.size === 0) return this.#own
    const items = this.items()
    if (items.length === this.#members.size) return items.filter((item) => !item.#isEmpty).map((item) => item.tree())
    const named = [...this.#members].filter(([, member]) => !member.#isEmpty)
    return Object.fromEntries(named.map(([name, member]) => [name, member.tree()]))
  }

  /** Tells whether the attribute and its members hold no value: an empty OTLP value has no place. */
  get #isEmpty(): boolean {
    this.#empty ??= this.#own === null && [...this.#members.values()].every((member) => member.#isEmpty)
    return this.#empty
  }

  set(way: readonly string[], value: Attribute): void {
    const [first, ...rest] = way
    if (first === undefined) return
    if (rest.length === 0) {
      const before = this.#members.get(first)
      if (before === undefined) this.#members.set(first, value)
      else before.#own = value.#own
      return
    }
    const next = this.#members.get(first) ?? new Attribute()
    this.#members.set(first, next)
    next.set(rest, value)
  }

  #find(way: readonly string[]): Attribute | null {
    const [first, ...rest] = way
    if (first === undefined) return this
    const member = this.#members.get(first)
    const attribute = member === undefined ? null : member.#find(rest)
    return attribute ?? this.#inOwn(way)
  }

  /** Finds an attribute inside of the own value, whose member names may hold dots. */
  #inOwn(way: readonly string[]): Attribute | null {
    if (this.#own === null || typeof this.#own.value !== 'object' || this.#own.value === null) return null
    for (let count = way.length; count > 0; count--) {
      const name = way.slice(0, count).join('.')
      if (!Object.hasOwn(this.#own.value, name)) continue
      const attribute = new Attribute(this.#own.member(name)).#find(way.slice(count))
      if (attribute !== null) return attribute
    }
    return null
  }
}

function firstOf<T>(names: string, find: (name: string) => T | null): T | null {
  for (const name of names.split(' ')) {
    const found = find(name)
    if (found !== null) return found
  }
  return null
}

const NUMBER = /^\d{1,9}$/
const MOST_SEGMENTS = 40

/** Returns the attributes of a span or an event. `prefix`: the beginning of the member names that are attributes. */
export function attributesOf(attributes: Located, prefix = ''): Attribute {
  const root = new Attribute()
  const add = (name: string, value: Attribute): void => {
    const way = name.split('.', MOST_SEGMENTS + 1)
    root.set(way.length > MOST_SEGMENTS ? [name] : way, value)
  }
  if (Array.isArray(attributes.value))
    for (const item of attributes.items()) {
      const key = item.member('key').value
      if (typeof key === 'string' && key !== '') add(key, anyValue(item.member('value')))
    }
  else if (isRecord(attributes.value))
    for (const name of Object.keys(attributes.value))
      if (name.startsWith(prefix)) add(name.slice(prefix.length), new Attribute(attributes.member(name)))
  return root
}

const SCALARS = ['stringValue', 'intValue', 'boolValue', 'doubleValue', 'bytesValue'] as const
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Converts OTLP's `AnyValue` (opentelemetry-proto, common/v1/common.proto), with its JSON names or those of protocol buffers. */
function anyValue(value: Located): Attribute {
  const record = value.value
  if (!isRecord(record)) return new Attribute(value)
  const under = (name: string): Located | null => memberOf(value, record, name)
  const scalar = SCALARS.map(under).find((member) => member !== null)
  if (scalar !== undefined && scalar !== null) return new Attribute(scalar)
  const made = new Attribute()
  const list = under('arrayValue')?.member('values')
  for (const [index, item] of (list?.items() ?? []).entries()) made.set([String(index)], anyValue(item))
  const pairs = under('kvlistValue')?.member('values')
  for (const item of pairs?.items() ?? []) {
    const key = item.member('key').value
    if (typeof key === 'string' && key !== '') made.set([key], anyValue(item.member('value')))
  }
  return made
}

function memberOf(value: Located, record: Json, name: string): Located | null {
  if (Object.hasOwn(record, name)) return value.member(name)
  return Object.hasOwn(record, snake(name)) ? value.member(snake(name)) : null
}
