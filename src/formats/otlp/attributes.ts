import { isRecord, type Json, pointer } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import { Located, placeIn } from '../traces/located.ts'

/**
 * Gives access to a span's attributes in every export form: OTLP's list of keys and values, an object with dotted names, or nested objects
 * (`{"llm": {"input_messages": [{"message": {"role": …}}]}}`).
 */
export class Attribute {
  /** The attribute as one value, each piece of which knows its place. */
  readonly located: Located

  constructor(located: Located) {
    this.located = located
  }

  /** Returns the attribute of a dotted name below this attribute, whose members' own names may hold dots; null where none exists. */
  get(name: string): Attribute | null {
    const found = find(this.located, name.split('.'))
    return found === null ? null : new Attribute(found)
  }

  /** Returns the value of the first present attribute of several names, separated by blanks. */
  value(names: string): Located | null {
    return firstOf(names, (name) => this.get(name)?.located ?? null)
  }

  /** Returns the first text of the attributes of several names, separated by blanks. */
  text(names: string): string | null {
    return firstOf(names, (name) => asText(this.value(name)?.value))
  }

  /** Lists the values of a list in order: an array, or members named `0`, `1`, … */
  items(): Attribute[] {
    const { located } = this
    const numbers = isRecord(located.value) ? numbersIn(Object.keys(located.value)) : []
    const items = numbers.length > 0 ? numbers.map((name) => located.member(name)) : located.items()
    return items.map((item) => new Attribute(item))
  }
}

const numbersIn = (names: readonly string[]): string[] =>
  names.filter((name) => NUMBER.test(name)).sort((a, b) => Number(a) - Number(b))

function find(located: Located, way: readonly string[]): Located | null {
  const { value } = located
  if (way.length === 0) return located
  if (typeof value !== 'object' || value === null) return null
  for (let count = 1; count <= way.length; count++) {
    const name = way.slice(0, count).join('.')
    const found = Object.hasOwn(value, name) ? find(located.member(name), way.slice(count)) : null
    if (found !== null) return found
  }
  return null
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

/** An attribute under construction: its own value, or its members. */
interface Node {
  own: Located | null
  readonly members: Map<string, Node>
}

const nodeOf = (own: Located | null): Node => ({ own, members: new Map() })

function setIn(node: Node, way: readonly string[], value: Node): void {
  const [first = '', ...rest] = way
  const next = node.members.get(first) ?? nodeOf(null)
  node.members.set(first, next)
  if (rest.length > 0) setIn(next, rest, value)
  else {
    next.own = value.own
    for (const [name, member] of value.members) next.members.set(name, member)
  }
}

/** Builds the value of a node; undefined where it holds none: an empty OTLP value has no place. `places`: receives the piece of each path. */
function valueIn({ own, members }: Node, at: string, places: Map<string, Located>): unknown {
  if (members.size === 0) {
    if (own !== null) places.set(at, own)
    return own?.value
  }
  const numbers = numbersIn([...members.keys()])
  const isList = numbers.length === members.size
  const built: [string, unknown][] = []
  for (const name of isList ? numbers : members.keys()) {
    const key = isList ? String(built.length) : name
    const value = valueIn(members.get(name) ?? nodeOf(null), pointer(at, key), places)
    if (value !== undefined) built.push([key, value])
  }
  if (built.length === 0) return undefined
  return isList ? built.map(([, value]) => value) : Object.fromEntries(built)
}

/** Returns the attributes of a span or an event. `prefix`: the beginning of the member names that are attributes. */
export function attributesOf(attributes: Located, prefix = ''): Attribute {
  const root = nodeOf(null)
  const add = (name: string, value: Node): void => {
    const way = name.split('.', MOST_SEGMENTS + 1)
    setIn(root, way.length > MOST_SEGMENTS ? [name] : way, value)
  }
  if (Array.isArray(attributes.value))
    for (const item of attributes.items()) {
      const key = item.member('key').value
      if (typeof key === 'string' && key !== '') add(key, anyValue(item.member('value')))
    }
  else if (isRecord(attributes.value))
    for (const name of Object.keys(attributes.value))
      if (name.startsWith(prefix)) add(name.slice(prefix.length), nodeOf(attributes.member(name)))
  const places = new Map([['', attributes]])
  return new Attribute(new Located(valueIn(root, '', places), '', placeIn(places)))
}

const SCALARS = ['stringValue', 'intValue', 'boolValue', 'doubleValue', 'bytesValue'] as const
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Converts OTLP's `AnyValue` (opentelemetry-proto, common/v1/common.proto), with its JSON names or those of protocol buffers. */
function anyValue(value: Located): Node {
  const record = value.value
  if (!isRecord(record)) return nodeOf(value)
  const under = (name: string): Located | null => memberOf(value, record, name)
  const scalar = SCALARS.map(under).find((member) => member !== null)
  if (scalar !== undefined && scalar !== null) return nodeOf(scalar)
  const made = nodeOf(null)
  const list = under('arrayValue')?.member('values')
  for (const [index, item] of (list?.items() ?? []).entries()) made.members.set(String(index), wordOf(anyValue(item)))
  const pairs = under('kvlistValue')?.member('values')
  for (const item of pairs?.items() ?? []) {
    const key = item.member('key').value
    if (typeof key === 'string' && key !== '') made.members.set(key, anyValue(item.member('value')))
  }
  return made
}

/** Turns a plain value of a list into a text: an array of plain values would be shown as one text, which has no place in such a document. */
const wordOf = (node: Node): Node =>
  node.own === null || typeof node.own.value === 'string' || typeof node.own.value === 'object'
    ? node
    : nodeOf(new Located(String(node.own.value), node.own.path))

function memberOf(value: Located, record: Json, name: string): Located | null {
  if (Object.hasOwn(record, name)) return value.member(name)
  return Object.hasOwn(record, snake(name)) ? value.member(snake(name)) : null
}
