import type { Part } from '../../domain/trajectory/trajectory.ts'
import {
  type ArgumentKind,
  type Meaning,
  meaningOf,
  meaningOfName,
  type OpenCall,
  own,
  type ToolSpec,
} from '../tools/tool-table.ts'
import { type ArgumentLeaf, argumentLeavesOf, commandOf } from './argument-leaves.ts'
import { decodeObject, type Leaf, leavesOf, memberName } from './json-tree.ts'
import { cutName, isRecord } from './reading.ts'
import { asText, isEmpty, type OpenStep, type Session } from './session.ts'

/** The content of a call: its arguments, or its tool's name where it has no arguments. */
export interface CallWords {
  readonly call: OpenCall
  readonly args: unknown
  readonly path: string
  /** The path of the tool's name; null where the file has no name. */
  readonly namePath: string | null
  /** The text at `namePath`, where it differs from the tool's name. */
  readonly nameText?: string
  /** The argument whose value `args` is, where `args` is a single argument. */
  readonly field?: string
  /** True when the arguments are free text, even text that resembles JSON. */
  readonly isText?: boolean
  /** The argument table of the tool; null for a tool of another harness, whose argument names have no known meaning. */
  readonly spec?: ToolSpec | null
  /** Returns the kind of a leaf whose name does not decide it. */
  readonly kindOf?: (leaf: Leaf) => ArgumentKind | undefined
}

/** Adds the arguments of a call as parts, each with its meaning. A call without arguments is an act all the same, cited by the tool's name. */
export function addCall(session: Session, parts: Part[], words: CallWords): void {
  const { reading, tools } = session
  const { call, args, path, namePath, nameText = call.tool } = words
  const value = typeof args === 'string' && words.isText !== true ? (decodeObject(args) ?? args) : args
  const spec = words.spec === undefined ? own(tools, call.tool) : (words.spec ?? undefined)
  if (spec === undefined && namePath !== null) reading.warnOnce(namePath, unknownTool(call.tool, words.spec === null))
  const before = parts.length
  const at = typeof args === 'string' && value !== args ? `${path}#` : path
  for (const argument of argumentsOf(spec, value, at, words)) {
    const { actor, act } = meaningIn(spec, argument, words, value)
    const name = memberName(call.tool, argument.name)
    reading.add(parts, { actor, text: argument.text, path: argument.pointer, name, act })
  }
  if (parts.length > before || namePath === null) return
  reading.add(parts, { ...meaningOfName(spec, call), text: nameText, path: namePath, name: call.tool })
}

/** A call whose tool is named at `namePath`. */
export interface NamedCall extends Omit<CallWords, 'call'> {
  readonly id: unknown
  readonly name: unknown
}

/** Adds a call whose tool is named at `namePath`, under its id; a call without a name is a call of an unknown tool. */
export function addNamedCall(session: Session, step: OpenStep, { id, name, ...words }: NamedCall): OpenCall {
  const tool = asText(name)
  if (tool === null) session.reading.warn(words.namePath ?? words.path, 'a tool call must name its tool')
  const call = session.call(step, id, tool ?? 'tool_call')
  addCall(session, step.parts, { ...words, call, namePath: tool === null ? null : words.namePath })
  return call
}

/** Words the warning about an unknown tool. Tools of another harness share a single warning, because their names are not known anyway. */
const unknownTool = (tool: string, isForeign: boolean): string =>
  isForeign
    ? 'calls of another agent, whose tools are not known: their arguments prove an act where an action anchor names them'
    : `the tool ${JSON.stringify(cutName(tool))} is not known: its arguments prove an act where an action anchor names them`

function meaningIn(spec: ToolSpec | undefined, argument: ArgumentLeaf, words: CallWords, args: unknown): Meaning {
  const { call, field = '' } = words
  const whole = field === '' ? args : { [field]: args }
  const kind = argument.kind ?? words.kindOf?.(argument)
  const name = [field, argument.name].filter((part) => part !== '').join('.')
  if (kind === undefined || spec === undefined) return meaningOf(spec, name, call, whole)
  const { target } = spec
  return meaningOf({ args: {}, rest: kind, ...(target === undefined ? {} : { target }) }, name, call, whole)
}

function argumentsOf(
  spec: ToolSpec | undefined,
  value: unknown,
  path: string,
  { field = '', isText = false }: CallWords,
): readonly ArgumentLeaf[] {
  if (value === null || value === undefined || isEmpty(value)) return []
  if (typeof value === 'string') return [{ pointer: path, name: '', text: value, ...stringKind(spec, field, isText) }]
  if (isArgv(spec, field)) return commandOf(value, path, '') ?? leavesOf(value, path).map(asUnknown)
  const leaves = argumentLeavesOf(spec, value, path)
  // An argument with an empty name is one argument, not the whole value.
  return isRecord(value) ? leaves.map((leaf) => (leaf.name === '' ? asUnknown(leaf) : leaf)) : leaves
}

const asUnknown = (leaf: ArgumentLeaf): ArgumentLeaf => ({ ...leaf, kind: 'unknown' })

const isArgv = (spec: ToolSpec | undefined, name: string): boolean => own(spec?.args ?? {}, name) === 'argv'

/** Returns the kind of an argument that is one string: a shell line, also where an array was due; unparsed arguments may be anything. */
function stringKind(spec: ToolSpec | undefined, field: string, isText: boolean): { readonly kind?: ArgumentKind } {
  if (isArgv(spec, field)) return { kind: 'shell' }
  const isArray = Object.keys(spec?.args ?? {}).some((name) => isArgv(spec, name))
  return field === '' && (!isText || isArray) ? { kind: 'unknown' } : {}
}
