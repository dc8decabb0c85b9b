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

/** What a call says: the leaves of its arguments, or the tool's name where it has none. */
export interface CallWords {
  readonly call: OpenCall
  readonly args: unknown
  readonly path: string
  /** Where the tool's name stands; null where the file has none. */
  readonly namePath: string | null
  /** What stands there, where it is not the tool's name itself. */
  readonly nameText?: string
  /** The argument that `args` is the value of, where it is not all of them. */
  readonly field?: string
  /** The arguments are free text, even where they look like JSON. */
  readonly isText?: boolean
  /** What the tool takes; null for one of another harness, whose names say nothing. */
  readonly spec?: ToolSpec | null
  /** What a leaf is, where its name does not tell. */
  readonly kindOf?: (leaf: Leaf) => ArgumentKind | undefined
}

/**
 * Adds the arguments of a call, each as what it is: an act, or the words of a tool that only talks. A call without them is an act
 * all the same: citable.
 */
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

/** A call whose tool stands at `namePath`, under its id: where that holds no name, the call is one of no tool that is known. */
export function addNamedCall(
  session: Session,
  step: OpenStep,
  { id, name, ...words }: { readonly id: unknown; readonly name: unknown } & Omit<CallWords, 'call'>,
): OpenCall {
  const tool = asText(name)
  if (tool === null) session.reading.warn(words.namePath ?? words.path, 'a tool call must name its tool')
  const call = session.call(step, id, tool ?? 'tool_call')
  addCall(session, step.parts, { ...words, call, namePath: tool === null ? null : words.namePath })
  return call
}

/** A tool of another harness is called what that likes: its names are not said one by one. */
const unknownTool = (tool: string, isForeign: boolean): string =>
  isForeign
    ? 'calls of another agent, whose tools are not known: their arguments prove an act where an action anchor names them'
    : `the tool ${JSON.stringify(cutName(tool))} is not known: its arguments prove an act where an action anchor names them`

function meaningIn(spec: ToolSpec | undefined, argument: ArgumentLeaf, words: CallWords, args: unknown): Meaning {
  const { call, field = '' } = words
  const whole = field === '' ? args : { [field]: args }
  const kind = argument.kind ?? words.kindOf?.(argument)
  const name = [field, argument.name].filter((one) => one !== '').join('.')
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
  // An argument whose name is empty is not the whole of them.
  return isRecord(value) ? leaves.map((leaf) => (leaf.name === '' ? asUnknown(leaf) : leaf)) : leaves
}

const asUnknown = (leaf: ArgumentLeaf): ArgumentLeaf => ({ ...leaf, kind: 'unknown' })

const isArgv = (spec: ToolSpec | undefined, name: string): boolean => own(spec?.args ?? {}, name) === 'argv'

/** A command that is one string is a line for a shell, also where an array was due; arguments that could not be read may be anything. */
function stringKind(spec: ToolSpec | undefined, field: string, isText: boolean): { readonly kind?: ArgumentKind } {
  if (isArgv(spec, field)) return { kind: 'shell' }
  const isArray = Object.keys(spec?.args ?? {}).some((name) => isArgv(spec, name))
  return field === '' && (!isText || isArray) ? { kind: 'unknown' } : {}
}
