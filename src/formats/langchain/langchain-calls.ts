import { wordSet } from '../../domain/text/words.ts'
import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, pointer, typeName } from '../common/reading.ts'
import { asList, asRecord, asText, type OpenStep, settle } from '../common/session.ts'
import { type Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'

/** Where one call stands, as LangChain writes it (`name`, `args`) or a provider (`function: {name, arguments}`, `arguments`, `input`). */
interface CallPlace {
  readonly call: Json
  readonly path: string
}

/** The calls of a reply: LangChain's own list, else what it left of the provider's. */
function callsOf(body: Json, path: string): readonly { readonly call: unknown; readonly path: string }[] {
  const own = asList(body['tool_calls'])
  const kept = asRecord(body['additional_kwargs'])
  const [list, at] =
    own.length > 0 ? [own, `${path}/tool_calls`] : [asList(kept['tool_calls']), `${path}/additional_kwargs/tool_calls`]
  if (list.length > 0) return list.map((call, index) => decoded(call, pointer(at, index)))
  const [call, place] = isRecord(body['function_call'])
    ? [body['function_call'], `${path}/function_call`]
    : [kept['function_call'], `${path}/additional_kwargs/function_call`]
  return isRecord(call) ? [{ call, path: place }] : []
}

/** A call may be JSON in a string (verifiers). */
function decoded(call: unknown, path: string): { readonly call: unknown; readonly path: string } {
  const inner = typeof call === 'string' ? decodeObject(call) : null
  return inner === null ? { call, path } : { call: inner, path: `${path}#` }
}

/** What a call is answered under: its id; in the oldest files the name of its function. */
const idOf = (call: Json): unknown => call['id'] ?? call['call_id'] ?? call['tool_call_id']

/** The ids of the calls that stand beside the content, which the blocks of a provider say once more. */
export function callIds(body: Json): ReadonlySet<string> {
  const all = [...callsOf(body, ''), ...asList(body['invalid_tool_calls']).map((call) => ({ call }))]
  return new Set(all.flatMap(({ call }) => (isRecord(call) ? (idText(idOf(call)) ?? []) : [])))
}

export function readCalls(dialogue: Dialogue, step: OpenStep, body: Json, path: string): void {
  const { tool_calls: calls } = body
  if (!isAbsent(calls) && !Array.isArray(calls))
    dialogue.reading.error(`${path}/tool_calls`, `must be an array of tool calls, not ${typeName(calls)}`)
  for (const { call, path: at } of callsOf(body, path))
    if (isRecord(call)) addCall(dialogue, step, { call, path: at })
    else dialogue.reading.error(at, `a tool call must be an object, not ${typeName(call)}`)
}

/** Calls whose arguments could not be parsed: no tool was given them. */
export function readBrokenCalls(dialogue: Dialogue, step: OpenStep, calls: unknown, path: string): void {
  for (const [call, at] of objectsIn(dialogue.reading, asList(calls), path, 'a tool call')) {
    settle(addCall(dialogue, step, { call, path: at }), 'rejected')
  }
}

function addCall(dialogue: Dialogue, step: OpenStep, { call, path }: CallPlace) {
  const inner = isRecord(call['function']) ? call['function'] : call
  const at = inner === call ? path : `${path}/function`
  const field = ['args', 'arguments', 'input'].find((one) => one in inner) ?? 'args'
  const tool = asText(inner['name'])
  return dialogue.call(step, {
    id: idOf(call) ?? (tool === null ? null : tool),
    tool,
    namePath: `${at}/name`,
    args: inner[field],
    path: `${at}/${field}`,
  })
}

const CALLS: ReadonlySet<unknown> = wordSet(`tool_use tool_call server_tool_use server_tool_call mcp_tool_use
  function_call`)
/** Pieces of calls, which stand whole beside the content. */
const PIECES: ReadonlySet<unknown> = wordSet(`tool_call_chunk server_tool_call_chunk input_json_delta
  invalid_tool_call`)

/** A block of a reply that is a call, or what a tool of the provider answered; false where it is neither. */
export function readCallBlock(
  dialogue: Dialogue,
  step: OpenStep,
  block: Json,
  path: string,
  made: ReadonlySet<string>,
): boolean {
  const { type } = block
  if (CALLS.has(type) || PIECES.has(type)) {
    const id = idText(type === 'function_call' ? (block['call_id'] ?? block['id']) : block['id'])
    if (id !== null && made.has(id)) return true
    const call = addCall(dialogue, step, { call: type === 'function_call' ? { ...block, id } : block, path })
    if (PIECES.has(type)) settle(call, 'rejected')
    return true
  }
  if (
    type !== 'server_tool_call_result' &&
    type !== 'server_tool_result' &&
    !(typeof type === 'string' && type.endsWith('_tool_result'))
  )
    return false
  const id = block['tool_call_id'] ?? block['toolCallId'] ?? block['tool_use_id']
  const field = 'output' in block ? 'output' : 'content'
  const { tool, call } = dialogue.session.output(id, path, null)
  const isError = block['status'] === 'error' || block['is_error'] === true
  settle(call, outcomeOfOutput(tool, block[field], isError ? true : null))
  dialogue.output(step.outputs, block[field], `${path}/${field}`, tool)
  return true
}
