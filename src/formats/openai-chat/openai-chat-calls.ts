import { wordSet } from '../../domain/text/words.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, type Json, objectsIn, typeName } from '../common/reading.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { type ChatSink, NAMELESS } from './openai-chat-sink.ts'

const CALL_FIELDS = wordSet(`id type index function arguments custom view parse_error extra_content
  provider_specific_fields thought_signature internal`)
const FUNCTION_FIELDS = new Set(['name', 'arguments', 'provider_specific_fields'])

/** One call, wherever it stands: its name and arguments become parts, and its id is remembered for what answers it. */
interface ToolCall {
  readonly id: unknown
  readonly name: unknown
  readonly namePath: string
  readonly args: unknown
  readonly argsPath: string
}

export function addCall(sink: ChatSink, parts: Part[], call: ToolCall): OpenCall {
  const { id, namePath, args, argsPath } = call
  const own = typeof call.name === 'string' && call.name !== '' ? call.name : null
  if (own === null) sink.reading.warn(namePath, 'a tool call must name its function')
  const open = sink.opened(id, own ?? NAMELESS)
  if (isAbsent(args)) sink.reading.warn(argsPath, 'a tool call must have arguments')
  sink.args(parts, args, argsPath, { call: open, namePath, isNamed: own !== null })
  return open
}

/** `tool_calls` as OpenAI writes them (`function: {name, arguments}`), and as Inspect does (`function: name`, `arguments`). */
export function readToolCalls(sink: ChatSink, parts: Part[], calls: unknown, path: string): void {
  if (isAbsent(calls)) return
  if (!Array.isArray(calls)) {
    sink.reading.error(path, `must be an array of tool calls, not ${typeName(calls)}`)
    return
  }
  for (const [call, at] of objectsIn(sink.reading, calls, path, 'a tool call')) {
    readToolCall(sink, parts, call, at)
  }
}

function readToolCall(sink: ChatSink, parts: Part[], call: Json, path: string): void {
  sink.reading.warnUnknown(call, path, CALL_FIELDS)
  const { id } = call
  const isBroken = !isAbsent(call['parse_error'])
  if (isBroken) sink.reading.warn(`${path}/parse_error`, 'the harness could not parse this call, so it did not run it')
  const called = isRecord(call['function']) ? 'function' : isRecord(call['custom']) ? 'custom' : null
  if (called === null) {
    const [namePath, argsPath] = [`${path}/function`, `${path}/arguments`]
    const open = addCall(sink, parts, { id, name: call['function'], namePath, args: call['arguments'], argsPath })
    if (isBroken) open.outcome = 'rejected'
    return
  }
  const open = readFunctionCall(sink, parts, call[called], `${path}/${called}`, id)
  if (isBroken && open !== null) open.outcome = 'rejected'
}

/** `{name, arguments}`: the inside of a tool call, and the whole of the older `function_call`. */
export function readFunctionCall(
  sink: ChatSink,
  parts: Part[],
  call: unknown,
  path: string,
  id?: unknown,
): OpenCall | null {
  if (isAbsent(call)) return null
  if (!isRecord(call)) {
    sink.reading.error(path, `a function call must be an object, not ${typeName(call)}`)
    return null
  }
  const args = 'input' in call && !('arguments' in call) ? 'input' : 'arguments'
  if (args === 'arguments') sink.reading.warnUnknown(call, path, FUNCTION_FIELDS)
  const [namePath, argsPath] = [`${path}/name`, `${path}/${args}`]
  return addCall(sink, parts, { id, name: call['name'], namePath, args: call[args], argsPath })
}
