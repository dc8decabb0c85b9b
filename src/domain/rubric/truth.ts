import { ExpectedInSchema, GivenInstructionSchema, SignalsSchema } from '../../schemas/ground-truth.ts'
import type { Issue } from '../result.ts'
import { SECTIONS, VARIABLES } from './prompt-names.ts'
import type { TruthRule } from './rubric.ts'

type Node = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

const SIGNALS = SignalsSchema as unknown as Node

const KINDS: Readonly<Record<string, Node>> = {
  instruction: GivenInstructionSchema as unknown as Node,
  signals: SIGNALS,
}

/** What a member may say beside its kind, and what of JSON Schema a plain member may use: nothing that is searched with backtracking. */
const SCALARS = new Set(['string', 'integer', 'number', 'boolean'])
const KEYWORDS = new Set(
  'type description enum minLength maxLength minimum maximum items minItems maxItems uniqueItems default'.split(' '),
)

const WHOLE = new Set(['minLength', 'maxLength', 'minItems', 'maxItems'])

const NAME = /^[a-z][a-z0-9_]*$/
const LONGEST_TEXT = 100_000

/** What the user asked, and what the harness measured, is known of most runs, and may be told with any question. */
const ASKED: Node = {
  ...{ type: 'string', minLength: 1, maxLength: LONGEST_TEXT },
  description: 'What the user asked the agent to do.',
}

const MOST_ITEMS = 1000

/** Reads the `truth` of a manifest: a closed object of instructions, signals, and plain members. */
export function readTruth(given: Node): { truth: TruthRule; issues: Issue[] } {
  const { type = 'object', properties: named, required, anyOf, description, ...others } = given
  const read = Object.entries(isRecord(named) ? named : {}).map(([name, member]) => readMember(name, member))
  const properties: Record<string, Node> = { instruction: ASKED }
  for (const { name, schema } of read) properties[name] = schema
  properties['signals'] ??= SIGNALS
  properties['expected_in'] = ExpectedInSchema as unknown as Node
  const isNamed = (names: unknown): boolean =>
    Array.isArray(names) && names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  const isChoice = (one: unknown): boolean => isRecord(one) && Object.keys(one).length === 1 && isNamed(one['required'])
  const isChoices = anyOf === undefined || (Array.isArray(anyOf) && anyOf.every(isChoice))
  const issues: Issue[] = [
    ...(type === 'object' ? [] : [{ path: '/type', message: 'must be object' }]),
    ...Object.keys(others).map((name) => ({ path: `/${name}`, message: `is not known here; there are: ${ROOT}` })),
    ...(isRecord(named) ? [] : [{ path: '/properties', message: 'is missing: name what is known of a trial' }]),
    ...read.flatMap(({ issues: own }) => own),
    ...(required === undefined || isNamed(required)
      ? []
      : [{ path: '/required', message: 'must list members of /truth/properties' }]),
    ...(isChoices ? [] : [{ path: '/anyOf', message: 'must be a list of {required: [member]}' }]),
  ].map(({ path, message }) => ({ path: `/truth${path}`, message }))
  const schema = {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties,
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(anyOf === undefined ? {} : { anyOf }),
  }
  const instructions = read.filter(({ kind }) => kind === 'instruction').map(({ name }) => name)
  const members = read.filter(({ kind }) => kind === null).map(({ name }) => name)
  return { truth: { schema, instructions, members: [...new Set(['instruction', ...members])] }, issues }
}

const ROOT = 'type, required, properties, anyOf, description'

interface Member {
  readonly name: string
  readonly kind: unknown
  readonly schema: Node
  readonly issues: Issue[]
}

/** A name that means nothing else in the question, and is no member of every object. */
const isFree = (name: string): boolean =>
  NAME.test(name) && !RESERVED.has(name) && !name.startsWith('no_') && !name.endsWith('_acted_by') && !(name in {})

const RESERVED: ReadonlySet<string> = new Set(
  [...VARIABLES, ...SECTIONS, 'acted_by', 'expected_in'].filter((name) => name !== 'signals'),
)
const TAKEN_NAME = `must be a name in small letters, digits and _, and none that a question uses otherwise: ${[...RESERVED].join(', ')}, no_…, …_acted_by`

function readMember(name: string, member: unknown): Member {
  const path = `/properties/${name}`
  const named = isFree(name) ? [] : [{ path, message: TAKEN_NAME }]
  if (!isRecord(member)) {
    const fault = { path, message: 'must be an object of JSON Schema' }
    return { name, kind: null, schema: {}, issues: [...named, fault] }
  }
  if (!('x-kind' in member)) {
    const issues = plainFaults(member).map(([at, message]) => ({ path: path + at, message }))
    if (name === 'signals' || (name === 'instruction' && member['type'] !== 'string'))
      issues.push({ path, message: 'signals are of x-kind: signals, and instruction is a plain text' })
    return { name, kind: null, schema: bounded(member), issues: [...named, ...issues] }
  }
  const kind = member['x-kind']
  const schema = Object.hasOwn(KINDS, String(kind)) ? KINDS[String(kind)] : undefined
  const fault = schema === undefined || (kind === 'signals') !== (name === 'signals') || name === 'instruction'
  const message = `must be one of ${Object.keys(KINDS).join(', ')}; the member signals is of the kind signals, and no other one; instruction is a plain text`
  const issues = fault ? [...named, { path: `${path}/x-kind`, message }] : named
  return { name, kind, schema: schema ?? {}, issues }
}

/** A member of plain values: a text, a number, a truth value, or a list of one of these. */
function plainFaults(member: Node): [path: string, message: string][] {
  const unknown = Object.keys(member).filter((name) => !KEYWORDS.has(name))
  const faults = unknown.map((name): [string, string] => [
    `/${name}`,
    `is not known here; there are: x-kind, ${[...KEYWORDS].join(', ')}`,
  ])
  const { type, items } = member
  const wrong = Object.entries(member).filter(
    ([name, value]) => WHOLE.has(name) && !(Number.isSafeInteger(value) && Number(value) >= 0),
  )
  faults.push(...wrong.map(([name]): [string, string] => [`/${name}`, 'must be a whole number from 0']))
  if (type === 'array')
    return isRecord(items)
      ? [...faults, ...plainFaults(items).map(([path, message]): [string, string] => [`/items${path}`, message])]
      : [...faults, ['/items', 'is missing']]
  return SCALARS.has(String(type)) ? faults : [...faults, ['/type', `must be one of ${[...SCALARS].join(', ')}, array`]]
}

/** No request brings a text or a list without an end. */
function bounded(member: Node): Node {
  if (member['type'] === 'string')
    return { ...member, maxLength: Math.min(LONGEST_TEXT, Number(member['maxLength'] ?? LONGEST_TEXT)) }
  if (member['type'] !== 'array') return member
  const maxItems = Math.min(MOST_ITEMS, Number(member['maxItems'] ?? MOST_ITEMS))
  return { ...member, maxItems, items: isRecord(member['items']) ? bounded(member['items']) : {} }
}
