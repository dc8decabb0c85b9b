import { GivenInstructionSchema, SignalsSchema } from '../../schemas/ground-truth.ts'
import type { Issue } from '../result.ts'
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
  const issues: Issue[] = []
  const fault = (path: string, message: string) => issues.push({ path: `/truth${path}`, message })
  const properties: Record<string, Node> = { instruction: ASKED }
  const instructions: string[] = []
  const members: string[] = ['instruction']
  const { type, properties: named, required, anyOf, description, ...others } = given
  if (type !== undefined && type !== 'object') fault('/type', 'must be object')
  for (const name of Object.keys(others))
    fault(`/${name}`, 'is not known here; there are: type, required, properties, anyOf, description')
  if (!isRecord(named)) fault('/properties', 'is missing: name what is known of a trial')
  for (const [name, member] of Object.entries(isRecord(named) ? named : {})) {
    const path = `/properties/${name}`
    if (!NAME.test(name)) fault(path, 'must be a name in small letters, digits and _')
    if (!isRecord(member)) fault(path, 'must be an object of JSON Schema')
    else if ('x-kind' in member) {
      const kind = KINDS[String(member['x-kind'])]
      if (kind === undefined) fault(`${path}/x-kind`, `must be one of ${Object.keys(KINDS).join(', ')}`)
      else properties[name] = kind
      if (member['x-kind'] === 'instruction') instructions.push(name)
      if (member['x-kind'] === 'signals' && name !== 'signals') fault(path, 'signals are a member named signals')
    } else {
      for (const [at, message] of plainFaults(member)) fault(path + at, message)
      properties[name] = bounded(member)
      if (!members.includes(name)) members.push(name)
    }
  }
  if (!Object.hasOwn(properties, 'signals')) properties['signals'] = SIGNALS
  const isNamed = (names: unknown): names is string[] =>
    Array.isArray(names) && names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  if (required !== undefined && !isNamed(required)) fault('/required', 'must list members of /truth/properties')
  const choices = anyOf === undefined ? [] : Array.isArray(anyOf) ? (anyOf as unknown[]) : [null]
  if (!choices.every((one) => isRecord(one) && Object.keys(one).length === 1 && isNamed(one['required'])))
    fault('/anyOf', 'must be a list of {required: [member]}')
  const schema = {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties,
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(anyOf === undefined ? {} : { anyOf }),
  }
  return { truth: { schema, instructions, members }, issues }
}

/** A member of plain values: a text, a number, a truth value, or a list of one of these. */
function plainFaults(member: Node): [path: string, message: string][] {
  const unknown = Object.keys(member).filter((name) => !KEYWORDS.has(name))
  const faults = unknown.map((name): [string, string] => [
    `/${name}`,
    `is not known here; there are: x-kind, ${[...KEYWORDS].join(', ')}`,
  ])
  const { type, items } = member
  if (type === 'array')
    return isRecord(items)
      ? [...faults, ...plainFaults(items).map(([path, message]): [string, string] => [`/items${path}`, message])]
      : [...faults, ['/items', 'is missing']]
  return SCALARS.has(String(type)) ? faults : [...faults, ['/type', `must be one of ${[...SCALARS].join(', ')}, array`]]
}

/** No request brings a text or a list without an end. */
function bounded(member: Node): Node {
  if (member['type'] === 'string') return { maxLength: LONGEST_TEXT, ...member }
  if (member['type'] !== 'array') return member
  return { maxItems: MOST_ITEMS, ...member, items: isRecord(member['items']) ? bounded(member['items']) : {} }
}
