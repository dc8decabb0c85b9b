import type { Part } from '../domain/trajectory.ts'
import { readPreview } from './content.ts'
import { decodeObject, type Leaf, leavesOf } from './json-tree.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from './reading.ts'
import { argumentActor } from './talk-tools.ts'

const CALL_FIELDS = new Set(['tool_call_id', 'function_name', 'arguments', 'extra'])

/** The calls of one step, as its message and its results need to know them. */
export interface Calls {
  readonly parts: readonly Part[]
  /** Function names by call id. The first call of an id that is used twice. */
  readonly names: ReadonlyMap<string, string>
  readonly count: number
}

export function readCalls(reading: Reading, calls: unknown, path: string): Calls {
  const parts: Part[] = []
  const names = new Map<string, string>()
  if (isAbsent(calls)) return { parts, names, count: 0 }
  const text = (preview: string, at: string): void =>
    reading.add(parts, { actor: 'agent_action', text: preview, path: at, name: 'tool_calls' })
  if (readPreview(reading, calls, path, { text, media: text })) return { parts, names, count: 1 }
  if (!Array.isArray(calls)) {
    reading.error(path, `must be an array of tool calls, not ${typeName(calls)}`)
    return { parts, names, count: 0 }
  }
  for (const [index, call] of calls.entries()) {
    const at = pointer(path, index)
    if (!isRecord(call)) {
      reading.error(at, `a tool call must be an object, not ${typeName(call)}`)
      continue
    }
    reading.warnUnknown(call, at, CALL_FIELDS)
    const name = functionName(reading, call, at)
    const id = call['tool_call_id']
    if (typeof id === 'string' && !names.has(id)) names.set(id, name)
    readCall(reading, parts, call, at, name)
  }
  return { parts, names, count: calls.length }
}

function functionName(reading: Reading, call: Json, path: string): string {
  const name = call['function_name']
  if (typeof name === 'string' && name !== '') return name
  reading.warn(`${path}/function_name`, 'a tool call must name its function')
  return 'tool_call'
}

function readCall(reading: Reading, parts: Part[], call: Json, path: string, name: string): void {
  const before = parts.length
  const actor = argumentActor(name)
  for (const leaf of argumentLeaves(reading, call['arguments'], `${path}/arguments`)) {
    const full = leaf.name === '' ? name : `${name}.${leaf.name}`
    reading.add(parts, { actor, text: leaf.text, path: leaf.pointer, name: full })
  }
  const shown = call['function_name']
  // A call without arguments is an act all the same, and must be citable.
  if (parts.length === before && typeof shown === 'string')
    reading.add(parts, { actor: 'agent_action', text: shown, path: `${path}/function_name`, name })
}

function argumentLeaves(reading: Reading, args: unknown, path: string): readonly Leaf[] {
  if (isAbsent(args)) {
    reading.warn(path, 'a tool call must have arguments')
    return []
  }
  if (typeof args === 'string') {
    const decoded = decodeObject(args)
    if (decoded === null) {
      reading.warn(path, 'arguments must be an object; shown as they stand')
      return [{ pointer: path, name: '', text: args }]
    }
    reading.warnOnce(path, 'arguments are JSON inside a string')
    return isEmpty(decoded) ? [] : leavesOf(decoded, `${path}#`)
  }
  if (!isRecord(args)) reading.warn(path, `arguments must be an object, not ${typeName(args)}`)
  return typeof args === 'object' && isEmpty(args) ? [] : leavesOf(args, path)
}

const isEmpty = (value: object | null): boolean => value !== null && Object.keys(value).length === 0
