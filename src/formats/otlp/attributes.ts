import { isRecord, type Json } from '../common/reading.ts'
import type { Located, Tree } from '../traces/located.ts'

/**
 * A member of a span's attributes, however the export keeps them: OTLP's list of keys and values, an object with dotted names, or one
 * object in another (`{"llm": {"input_messages": [{"message": {"role": …}}]}}`).
 */
export class Attribute {
  #own: Located | null
  /** Asked once all is set. */
  #empty: boolean | null = null
  readonly #members = new Map<string, Attribute>()

  constructor(own: Located | null = null) {
    this.#own = own
  }

  /** The attribute of a dotted name below this one; null where there is none. */
  get(name: string): Attribute | null {
    return this.#find(name.split('.'))
  }

  /** The value of an attribute, where it is one value. */
  value(name: string): Located | null {
    const found = this.get(name)
    return found === null || found.#members.size > 0 ? null : found.#own
  }

  text(name: string): string | null {
    const held = this.value(name)?.value
    return typeof held === 'string' && held !== '' ? held : null
  }

  /** Values by their numbers, in order: `0`, `1`, … */
  items(): Attribute[] {
    const own = this.#own?.items().map((item) => new Attribute(item)) ?? []
    const numbered = [...this.#members].filter(([name]) => NUMBER.test(name))
    return own.length > 0 ? own : numbered.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
  }

  /** What stands here, with the place of each piece. */
  tree(): Tree {
    if (this.#members.size === 0) return this.#own
    const items = this.items()
    if (items.length === this.#members.size) return items.filter((item) => !item.#isEmpty).map((item) => item.tree())
    const named = [...this.#members].filter(([, member]) => !member.#isEmpty)
    return Object.fromEntries(named.map(([name, member]) => [name, member.tree()]))
  }

  /** A value of OTLP that holds nothing stands nowhere. */
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
    const found = member === undefined ? null : member.#find(rest)
    return found ?? this.#inOwn(way)
  }

  /** Names of members may hold dots themselves. */
  #inOwn(way: readonly string[]): Attribute | null {
    if (this.#own === null || typeof this.#own.value !== 'object' || this.#own.value === null) return null
    for (let count = way.length; count > 0; count--) {
      const name = way.slice(0, count).join('.')
      if (!Object.hasOwn(this.#own.value, name)) continue
      const found = new Attribute(this.#own.member(name)).#find(way.slice(count))
      if (found !== null) return found
    }
    return null
  }
}

const NUMBER = /^\d{1,9}$/
const MOST_SEGMENTS = 40

/** The attributes of a span or of an event; `prefix`: how the names of those members begin that are attributes. */
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

/** OTLP's `AnyValue` (opentelemetry-proto, common/v1/common.proto), in its JSON names and in those of protocol buffers. */
function anyValue(value: Located): Attribute {
  const held = value.value
  if (!isRecord(held)) return new Attribute(value)
  const under = (name: string): Located | null => memberOf(value, held, name)
  const scalar = SCALARS.map(under).find((one) => one !== null)
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

function memberOf(value: Located, held: Json, name: string): Located | null {
  if (Object.hasOwn(held, name)) return value.member(name)
  return Object.hasOwn(held, snake(name)) ? value.member(snake(name)) : null
}
