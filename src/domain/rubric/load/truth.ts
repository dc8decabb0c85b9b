import { inputIssues } from '../../../schemas/check.ts'
import { ExpectedInSchema, GivenInstructionSchema, NOT_BLANK, SignalsSchema } from '../../../schemas/trial.ts'
import { Choice, Closed, Count, Type } from '../../../schemas/type.ts'
import type { Issue } from '../../result.ts'
import { isRecord } from '../../text/json.ts'
import { promptNames, SECTIONS, VARIABLES } from '../prompt.ts'
import type { TruthRule } from '../rubric.ts'
import { broken, key } from './rubric-error.ts'

type Node = Readonly<Record<string, unknown>>

const SIGNALS = SignalsSchema as unknown as Node

const KINDS: Readonly<Record<string, Node>> = {
  instruction: GivenInstructionSchema as unknown as Node,
  signals: SIGNALS,
}

const SCALARS = ['string', 'integer', 'number', 'boolean'] as const

/** The members of JSON Schema that a plain member may use: no member that is searched with backtracking. */
const PlainSchema = Closed({
  'x-kind': Type.Optional(Type.Never({ description: 'it marks a member of the truth itself' })),
  type: Choice([...SCALARS, 'array'], 'The kind of its value, such as string.'),
  ...Type.Partial(
    Closed({
      items: Type.Unknown(),
      default: Type.Unknown(),
      description: Type.String(),
      enum: Type.Array(Type.Unknown(), { minItems: 1 }),
      ...{ minLength: Count(), maxLength: Count(), minItems: Count(), maxItems: Count() },
      ...{ minimum: Type.Number(), maximum: Type.Number(), uniqueItems: Type.Boolean() },
    }),
  ).properties,
})

const NAME = /^[a-z][a-z0-9_]*$/
const LONGEST_TEXT = 100_000

/** Member `instruction`, which every ground truth may have, as it may have `signals`. */
const ASKED: Node = {
  ...{ type: 'string', minLength: 1, maxLength: LONGEST_TEXT, pattern: NOT_BLANK },
  description: 'What the user asked the agent to do; not blank.',
}

const MOST_ITEMS = 1000

/** Reads the `truth` of a manifest: a closed object of instructions, signals, and plain members. */
export function readTruth(given: Node): { truth: TruthRule; issues: Issue[] } {
  const { type = 'object', properties: named, required, anyOf, description: _, ...others } = given
  const read = Object.entries(isRecord(named) ? named : {}).map(([name, member]) => readMember(name, member))
  const properties: Record<string, Node> = { instruction: ASKED }
  for (const { name, schema } of read) properties[name] = schema
  properties['signals'] ??= SIGNALS
  properties['expected_in'] = ExpectedInSchema as unknown as Node
  const isNamed = (names: unknown): boolean =>
    Array.isArray(names) && names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  const isChoice = (one: unknown): boolean => isRecord(one) && Object.keys(one).length === 1 && isNamed(one['required'])
  const isChoices = anyOf === undefined || (Array.isArray(anyOf) && anyOf.every(isChoice))
  const there = Object.keys(properties).join(', ')
  const unknown = `is not known here; there are: ${ROOT}. What is known of a run goes below properties`
  const issues = [
    ...broken('/truth', {
      '/type must be object: remove it, or write type: object': type !== 'object',
      '/properties must hold members by their names: expected: { type: string }':
        named !== undefined && !isRecord(named),
      [`/required must be a list of members; there are: ${there}`]: required !== undefined && !isNamed(required),
      [`/anyOf must be a list of { required: [member] }; members: ${there}`]: !isChoices,
    }),
    ...Object.keys(others).map((name) => ({ path: `/truth/${key(name)}`, message: unknown })),
    ...read.flatMap((member) => member.issues),
  ]
  const schema = { ...given, type: 'object', properties, additionalProperties: false }
  const instructions = read.filter(({ kind }) => kind === 'instruction').map(({ name }) => name)
  const members = read.filter(({ kind }) => kind === null).map(({ name }) => name)
  const truth = { schema, instructions, members: [...new Set(['instruction', ...members])] }
  return { truth, issues: [...issues, ...clashes(truth)] }
}

/** Lists members whose names a question has for other things: a member called `nonce` would take the place of the frames' mark. */
function clashes(truth: TruthRule): Issue[] {
  const { variables, sections } = promptNames({ truth })
  const twice = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at)
  const names = new Set([...twice(variables), ...twice(sections)])
  return [...truth.members, ...truth.instructions].flatMap((name) =>
    broken(`/truth/properties/${key(name)}`, {
      [`${name} is a name of the prompt: choose another; taken are: ${TAKEN}`]:
        name === 'expected_in' || (names.has(name) && name !== 'instruction'),
    }),
  )
}

const TAKEN = [...new Set([...VARIABLES, ...SECTIONS, 'acted_by', 'instruction', 'expected_in'])].join(', ')

const ROOT = 'type, required, properties, anyOf, description'

const NO_NAME = 'is no name that can stand in a prompt: write small letters, digits and _'

function readMember(name: string, member: unknown) {
  const path = `/truth/properties/${key(name)}`
  const named = NAME.test(name) && !(name in {}) ? [] : [{ path, message: NO_NAME }]
  if (!isRecord(member)) {
    const fault = { path, message: 'must say what it is: { x-kind: instruction }, or { type: string }' }
    return { name, kind: null, schema: {} as Node, issues: [...named, fault] }
  }
  if (!('x-kind' in member)) {
    const issues = plainFaults(member, path)
    if (name === 'signals') issues.push({ path, message: 'are what the harness measured: write { x-kind: signals }' })
    if (name === 'instruction' && member['type'] !== 'string')
      issues.push({ path, message: 'is what the user asked, a plain text: write { type: string }, or remove it' })
    return { name, kind: null, schema: bounded(member), issues: [...named, ...issues] }
  }
  const kind = member['x-kind']
  const schema = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  const fault = schema === undefined || (kind === 'signals') !== (name === 'signals') || name === 'instruction'
  const message = `must be one of ${Object.keys(KINDS).join(', ')}; the member signals is of the kind signals, and no other one; instruction is a plain text. Leave x-kind out for a plain text or number`
  const issues = fault ? [...named, { path: `${path}/x-kind`, message }] : named
  return { name, kind, schema: schema ?? {}, issues }
}

/** Lists the faults of a member of plain values: a text, a number, a truth value, or a list of one of these. */
function plainFaults(member: Node, at: string): Issue[] {
  const faults = inputIssues(PlainSchema, member).map(({ path, message }) => ({ path: at + path, message }))
  const { type, items } = member
  if (type !== 'array') return faults
  if (isRecord(items)) return [...faults, ...plainFaults(items, `${at}/items`)]
  return [...faults, { path: `${at}/items`, message: 'is missing: add items: { type: string }' }]
}

function bounded(member: Node): Node {
  if (member['type'] === 'string')
    return { ...member, maxLength: Math.min(LONGEST_TEXT, Number(member['maxLength'] ?? LONGEST_TEXT)) }
  if (member['type'] !== 'array') return member
  const maxItems = Math.min(MOST_ITEMS, Number(member['maxItems'] ?? MOST_ITEMS))
  return { ...member, maxItems, items: isRecord(member['items']) ? bounded(member['items']) : {} }
}
