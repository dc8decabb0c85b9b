import type { Part } from '../../domain/trajectory/trajectory.ts'
import { type ArgumentLeaf, addArguments, argumentLeavesOf } from '../common/argument-leaves.ts'
import { readPreview } from '../common/content.ts'
import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, type Reading, typeName } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
import { knownSpec } from '../tools/lookup.ts'
import { meaningOf, type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'

const CALL_FIELDS = new Set(['tool_call_id', 'function_name', 'arguments', 'extra'])

/** A call of a step, with the facts by which its result is matched. */
export interface StepCall {
  readonly id: string | null
  readonly call: OpenCall
  /** The converter's note beside the call. */
  readonly extra: unknown
}

/** The calls of one step, for its message and its results. */
export interface Calls {
  readonly parts: readonly Part[]
  readonly list: readonly StepCall[]
  readonly count: number
}

export function readCalls(reading: Reading, calls: unknown, path: string, agent: string): Calls {
  const parts: Part[] = []
  const list: StepCall[] = []
  if (!Array.isArray(calls)) {
    const meaning = meaningOf(undefined, '', openCall('tool_calls'), null)
    const text = (preview: string, at: string): void =>
      reading.add(parts, { ...meaning, text: preview, path: at, name: 'tool_calls' })
    const isCut = !isAbsent(calls) && readPreview(reading, calls, path, { text, media: text }, true)
    if (!isAbsent(calls) && !isCut) reading.error(path, `must be an array of tool calls, not ${typeName(calls)}`)
    return { parts, list, count: isCut ? 1 : 0 }
  }
  for (const [call, at] of objectsIn(reading, calls, path, 'a tool call')) {
    reading.warnUnknown(call, at, CALL_FIELDS)
    const { tool_call_id: id, extra } = call
    const open = openCall(functionName(reading, call, at), idText(id))
    list.push({ id: typeof id === 'string' ? id : null, call: open, extra })
    const spec = knownSpec(reading, agent, open.tool, `${at}/function_name`)
    const { leaves, args } = argumentLeaves(reading, spec, call['arguments'], `${at}/arguments`)
    const { function_name: name } = call
    const bare = typeof name === 'string' ? { text: name, path: `${at}/function_name` } : null
    addArguments(reading, parts, leaves, { call: open, spec, args, bare })
  }
  return { parts, list, count: calls.length }
}

function functionName(reading: Reading, call: Json, path: string): string {
  const name = call['function_name']
  if (typeof name === 'string' && name !== '') return name
  reading.warn(`${path}/function_name`, 'a tool call must name its function')
  return 'tool_call'
}

/** Returns the leaves of a call's arguments, and the arguments themselves, decoded where the file holds JSON in a string. */
function argumentLeaves(
  reading: Reading,
  spec: ToolSpec | undefined,
  args: unknown,
  path: string,
): { readonly leaves: readonly ArgumentLeaf[]; readonly args: unknown } {
  if (isAbsent(args)) {
    reading.warn(path, 'a tool call must have arguments')
    return { leaves: [], args }
  }
  if (typeof args === 'string') {
    const decoded = decodeObject(args)
    if (decoded === null) {
      reading.warn(path, 'arguments must be an object; shown as they stand')
      return { leaves: [{ pointer: path, name: '', text: args }], args }
    }
    reading.warnOnce(path, 'arguments are JSON inside a string')
    return { leaves: isEmpty(decoded) ? [] : argumentLeavesOf(spec, decoded, `${path}#`), args: decoded }
  }
  if (!isRecord(args)) reading.warn(path, `arguments must be an object, not ${typeName(args)}`)
  return { leaves: isEmpty(args) ? [] : argumentLeavesOf(spec, args, path), args }
}

/**
 * Matches the results of an ATIF trajectory to its calls. An id may name several calls, in one step or over many steps: a result is then
 * assigned only where it can belong to no other call, so that no call gets another call's outcome or name.
 */
export class CallAnswers {
  /** Calls of earlier steps without a result, by id. */
  readonly #open = new Map<string, StepCall[]>()

  /** Returns the answered calls of each result of a step: none, one, or all calls of a step with one shared result. */
  match(results: readonly unknown[], calls: readonly StepCall[]): readonly (readonly StepCall[])[] {
    if (calls.length === 0 && results.length === 0) return []
    const id = calls.length === 1 && results.length === 1 ? calls[0]?.id : null
    if (typeof id === 'string' && isRecord(results[0]) && results[0]['source_call_id'] === id) return [calls]
    const own = Map.groupBy(
      calls.filter((call) => call.id !== null),
      (call) => call.id ?? '',
    )
    const counts = new Map<string, number>()
    const ids = results.map((result) => (isRecord(result) ? result['source_call_id'] : null))
    for (const id of ids) if (typeof id === 'string') counts.set(id, (counts.get(id) ?? 0) + 1)
    const used = new Map<string, number>()
    const matched = ids.map((id): readonly StepCall[] => {
      // ATIF: a result that names no call belongs to the whole step.
      if (typeof id !== 'string') return isAbsent(id) && (results.length === 1 || calls.length === 1) ? calls : []
      const named = own.get(id)
      if (named === undefined) return this.#takeEarlier(id, counts.get(id) ?? 0)
      const next = used.get(id) ?? 0
      used.set(id, next + 1)
      const call = named[next]
      return call !== undefined && named.length === counts.get(id) ? [call] : []
    })
    const answered = new Set(matched.flat())
    for (const [id, named] of own) {
      const left = named.filter((call) => !answered.has(call))
      const open = this.#open.get(id)
      if (open !== undefined) open.push(...left)
      else if (left.length > 0) this.#open.set(id, left)
    }
    return matched
  }

  #takeEarlier(id: string, results: number): readonly StepCall[] {
    const earlier = this.#open.get(id)
    if (earlier === undefined || earlier.length !== 1 || results !== 1) return []
    this.#open.delete(id)
    return earlier
  }
}
