import { isRecord } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import { Located, placeMessage, type Tree } from '../traces/located.ts'

/** Finds the first present attribute of dotted names, separated by blanks, also in nested objects, whose members' names may hold dots. */
export const attribute = (of: Located | null, names: string): Located | null =>
  firstOf(names, (name) => (of === null ? null : find(of, name.split('.'))))

/** Returns the first text of the attributes of several names. */
export const attributeText = (of: Located | null, names: string): string | null =>
  firstOf(names, (name) => asText(attribute(of, name)?.value))

/** Lists the values of a list in order: an array, or members named `0`, `1`, … */
export function attributeItems(list: Located | null): Located[] {
  const numbers = numbersIn(Object.keys(list?.record ?? {}))
  return numbers.length > 0 ? numbers.flatMap((name) => list?.member(name) ?? []) : (list?.items() ?? [])
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

const firstOf = <T>(names: string, find: (name: string) => T | null): T | null =>
  names
    .split(' ')
    .map((name) => find(name))
    .find((found) => found !== null) ?? null

const NUMBER = /^\d{1,9}$/
const MOST_SEGMENTS = 40

/** An attribute under construction: a piece of the document, or its members by name. */
type Node = Located | Members
type Members = Map<string, Node>

function setIn(members: Members, way: readonly string[], node: Node): void {
  const [first = '', ...rest] = way
  const before = members.get(first)
  const inner: Members = before instanceof Map ? before : new Map()
  if (rest.length > 0) setIn(inner, rest, node)
  else if (node instanceof Map) for (const [name, member] of node) inner.set(name, member)
  // Members of an attribute say more than its own value.
  if (rest.length > 0 || node instanceof Map) members.set(first, inner)
  else if (inner.size === 0) members.set(first, node)
}

/** Returns the tree of a node: members named `0`, `1`, … are a list. Undefined for a node without a value: an empty OTLP value has no place. */
function treeOf(node: Node): Tree {
  if (node instanceof Located) return node.value === undefined ? undefined : node
  const numbers = numbersIn([...node.keys()])
  const isList = numbers.length === node.size
  const trees = (isList ? numbers : [...node.keys()]).flatMap((name): [string, Tree][] => {
    const tree = treeOf(node.get(name) ?? new Map())
    return tree === undefined ? [] : [[name, tree]]
  })
  if (trees.length === 0) return undefined
  return isList ? trees.map(([, tree]) => tree) : Object.fromEntries(trees)
}

/** Returns the attributes of a span or an event. `prefix`: the beginning of the member names that are attributes. */
export function attributesOf(attributes: Located, prefix = ''): Located {
  const root: Members = new Map()
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
      if (name.startsWith(prefix)) add(name.slice(prefix.length), attributes.member(name))
  return placeMessage(treeOf(root), attributes.path) ?? new Located(undefined, '')
}

const SCALARS = ['stringValue', 'intValue', 'boolValue', 'doubleValue', 'bytesValue'] as const

/** Converts OTLP's `AnyValue` (opentelemetry-proto, common/v1/common.proto), with its JSON names or those of protocol buffers. */
function anyValue(value: Located): Node {
  if (!isRecord(value.value)) return value
  const scalar = SCALARS.map((name) => value.field(name)).find((member) => member.value !== undefined)
  if (scalar !== undefined) return scalar
  const made: Members = new Map()
  const list = value.field('arrayValue').member('values').items()
  for (const [index, item] of list.entries()) made.set(String(index), wordOf(anyValue(item)))
  for (const item of value.field('kvlistValue').member('values').items()) {
    const key = item.member('key').value
    if (typeof key === 'string' && key !== '') made.set(key, anyValue(item.member('value')))
  }
  return made
}

/** Turns a plain value of a list into a text: an array of plain values would be shown as one text, which has no place in such a document. */
const wordOf = (node: Node): Node =>
  node instanceof Map || typeof node.value === 'string' || typeof node.value === 'object'
    ? node
    : new Located(String(node.value), node.path)
