import { quoted } from '../../domain/text/quoted.ts'
import { wordSet } from '../../domain/text/words.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { decodeObject } from '../common/json-tree.ts'
import {
  cutName,
  idText,
  isAbsent,
  isRecord,
  itemsIn,
  type Json,
  objectsIn,
  pointer,
  typeName,
} from '../common/reading.ts'
import { asList, asRecord, asText, mediaText, type OpenStep, settle } from '../common/session.ts'
import { holdsCalls } from '../common/unread-acts.ts'
import { type Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'
import type { OpenMessage } from './langchain-form.ts'

const FIELDS: ReadonlySet<string> = wordSet(`content type role id name additional_kwargs response_metadata
  usage_metadata tool_calls invalid_tool_calls tool_call_chunks tool_call_id status artifact example metadata
  chunk_position lc_kwargs lc_namespace lc_serializable contentBlocks content_blocks function_call refusal reasoning
  reasoning_content annotations audio model stop_reason stop_sequence usage finish_reason index is_error container
  logprobs parsed provider_state`)

/** Reads one message: a reply of the agent, a message of another speaker, or a tool result. */
export function readLangChainMessage(dialogue: Dialogue, message: OpenMessage): void {
  const { reading, session } = dialogue
  const { speaker, type, body, path, text } = message
  reading.warnUnknownOnce(body, path, FIELDS)
  const id = asText(body['id'])
  if (speaker === 'agent' || (speaker === 'unknown' && (!isAbsent(body['content']) || text !== undefined))) {
    const agent = session.agent
    if (speaker === 'unknown') {
      reading.warnOnce(path, `unknown type of message: ${quoted(type, 100)}; read as an agent of this name`)
      session.agent = cutName(type)
    }
    readReply(dialogue, message, session.open('agent', id))
    session.agent = agent
    return
  }
  for (const field of ['tool_calls', 'function_call'])
    if (holdsCalls(body, field))
      reading.unread(`${path}/${field}`, 'calls in a message that is not the agent’s; not read', true)
  if (speaker === 'tool') readAnswer(dialogue, body, path)
  else if (speaker === 'unknown') reading.unreadRecord(path, 'type of message', type, body)
  else {
    const { parts } = session.open('other', id)
    const actor = speaker === 'user' ? 'user' : 'system'
    if (text !== undefined) dialogue.content(parts, actor, text.text, text.path, 'message')
    else readContent(dialogue, parts, actor, body['content'], `${path}/content`, 'message')
  }
}

function readReply(dialogue: Dialogue, { body, path, text }: OpenMessage, step: OpenStep): void {
  const { parts } = step
  const extra = asRecord(body['additional_kwargs'])
  readThoughts(dialogue, body, path, step)
  const { content } = body
  const made = callIds(body)
  if (text !== undefined) dialogue.content(parts, 'agent_message', text.text, text.path, 'message')
  else if (Array.isArray(content))
    for (const [block, at] of itemsIn(content, `${path}/content`)) {
      if (!isRecord(block) || !readCallBlock(dialogue, step, block, at, made))
        readContent(dialogue, parts, 'agent_message', block, at, 'message')
    }
  else readContent(dialogue, parts, 'agent_message', content, `${path}/content`, 'message')
  for (const [refusal, at] of [
    [body['refusal'], `${path}/refusal`],
    [extra['refusal'], `${path}/additional_kwargs/refusal`],
  ] as const)
    if (typeof refusal === 'string') dialogue.content(parts, 'agent_message', refusal, at, 'refusal')
  readCalls(dialogue, step, body, path)
  readBrokenCalls(dialogue, step, body['invalid_tool_calls'], `${path}/invalid_tool_calls`)
}

/** Adds the reasoning that stands beside the content. */
function readThoughts(dialogue: Dialogue, body: Json, path: string, { parts }: OpenStep): void {
  const extra = asRecord(body['additional_kwargs'])
  const places = [
    [body['reasoning_content'], `${path}/reasoning_content`],
    [body['reasoning'], `${path}/reasoning`],
    [extra['reasoning_content'], `${path}/additional_kwargs/reasoning_content`],
  ] as const
  const place = places.find(([text]) => typeof text === 'string' && text !== '')
  if (place !== undefined) dialogue.content(parts, 'agent_reasoning', place[0], place[1], 'reasoning')
  for (const [item, at] of itemsIn(
    asRecord(extra['reasoning'])['summary'],
    `${path}/additional_kwargs/reasoning/summary`,
  )) {
    const { text } = asRecord(item)
    if (typeof text === 'string') dialogue.content(parts, 'agent_reasoning', text, `${at}/text`, 'reasoning')
  }
}

function readAnswer(dialogue: Dialogue, body: Json, path: string): void {
  const { reading } = dialogue
  const { content, status, is_error: flag } = body
  if (!isAbsent(body['artifact']))
    reading.warnOnce(
      `${path}/artifact`,
      'what a tool keeps for the program beside its answer; the model is not given it, and it is not read',
    )
  if (typeof content === 'number' || typeof content === 'boolean')
    reading.error(`${path}/content`, `must be text or blocks, not ${typeName(content)}`)
  const isError = status === 'error' || flag === true ? true : null
  const place = dialogue.session.output(body['tool_call_id'] ?? body['name'], `${path}/tool_call_id`, null)
  settle(place.call, outcomeOfOutput(place.tool, content, isError))
  if (Array.isArray(content)) readContent(dialogue, place.parts, 'tool_output', content, `${path}/content`, place.tool)
  else dialogue.output(place.parts, content, `${path}/content`, place.tool)
}

/** Returns the model that a reply names. */
export function modelOfMessage({ speaker, body }: OpenMessage): string | null {
  const { response_metadata: about } = body
  if (speaker !== 'agent' || !isRecord(about)) return null
  return asText(about['model_name']) ?? asText(about['model']) ?? asText(about['model_id'])
}

/** Reads a content or one of its blocks: LangChain's own media blocks, and all blocks of providers. */
function readContent(
  dialogue: Dialogue,
  parts: Part[],
  actor: Actor,
  content: unknown,
  path: string,
  name: string,
): void {
  if (Array.isArray(content)) {
    for (const [block, at] of itemsIn(content, path)) readContent(dialogue, parts, actor, block, at, name)
    return
  }
  if (isRecord(content) && isOwnMedia(content)) addMedia(dialogue, parts, actor, content, path, name)
  else dialogue.content(parts, actor, content, path, name)
}

const KINDS: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'file'])

/** Recognizes LangChain's media blocks: `{type: "image", base64 | data | url, mime_type}` (langchain_core/messages/content.py). */
const isOwnMedia = (block: Json): boolean =>
  KINDS.has(block['type']) &&
  ['base64', 'data', 'url', 'mime_type', 'mimeType'].some((field) => typeof block[field] === 'string')

function addMedia(dialogue: Dialogue, parts: Part[], actor: Actor, block: Json, path: string, name: string): void {
  const kind = String(block['type'])
  const media_type = asText(block['mime_type']) ?? asText(block['mimeType'])
  const { url } = block
  const source = typeof url === 'string' ? { url } : { media_type, data: block['base64'] ?? block['data'] }
  const text = mediaText(kind, typeof url === 'string' ? url : media_type)
  dialogue.reading.addMedia(parts, { actor, text, path, name }, kind === 'image' ? source : undefined)
}

/** Lists the calls of a reply: LangChain's own list, else the provider's list that it kept. */
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

/** Decodes a call that is JSON in a string (verifiers). */
function decoded(call: unknown, path: string): { readonly call: unknown; readonly path: string } {
  const inner = typeof call === 'string' ? decodeObject(call) : null
  return inner === null ? { call, path } : { call: inner, path: `${path}#` }
}

/** Returns the id by which a call is answered; the name of its function in the oldest files. */
const idOf = (call: Json): unknown => call['id'] ?? call['call_id'] ?? call['tool_call_id']

/** Collects the ids of the calls beside the content, which a provider's blocks repeat. */
function callIds(body: Json): ReadonlySet<string> {
  const all = [...callsOf(body, ''), ...asList(body['invalid_tool_calls']).map((call) => ({ call }))]
  return new Set(all.flatMap(({ call }) => (isRecord(call) ? (idText(idOf(call)) ?? []) : [])))
}

function readCalls(dialogue: Dialogue, step: OpenStep, body: Json, path: string): void {
  const { tool_calls: calls } = body
  if (!isAbsent(calls) && !Array.isArray(calls))
    dialogue.reading.error(`${path}/tool_calls`, `must be an array of tool calls, not ${typeName(calls)}`)
  for (const { call, path: at } of callsOf(body, path))
    if (isRecord(call)) addCall(dialogue, step, call, at)
    else dialogue.reading.error(at, `a tool call must be an object, not ${typeName(call)}`)
}

/** Adds calls whose arguments could not be parsed: no tool received them. */
function readBrokenCalls(dialogue: Dialogue, step: OpenStep, calls: unknown, path: string): void {
  for (const [call, at] of objectsIn(dialogue.reading, asList(calls), path, 'a tool call')) {
    settle(addCall(dialogue, step, call, at), 'rejected')
  }
}

/** Adds a call in the form of LangChain (`name`, `args`) or of a provider (`function: {name, arguments}`, `arguments`, `input`). */
function addCall(dialogue: Dialogue, step: OpenStep, call: Json, path: string) {
  const inner = isRecord(call['function']) ? call['function'] : call
  const at = inner === call ? path : `${path}/function`
  const field = ['args', 'arguments', 'input'].find((name) => name in inner) ?? 'args'
  const tool = asText(inner['name'])
  return dialogue.call(step, {
    id: idOf(call) ?? tool,
    tool,
    namePath: `${at}/name`,
    args: inner[field],
    path: `${at}/${field}`,
  })
}

const CALLS: ReadonlySet<unknown> = wordSet(`tool_use tool_call server_tool_use server_tool_call mcp_tool_use
  function_call`)
/** Types of blocks with fragments of a call, which stands whole beside the content. */
const PIECES: ReadonlySet<unknown> = wordSet(`tool_call_chunk server_tool_call_chunk input_json_delta
  invalid_tool_call`)

/** Reads a block of a reply that is a call, or the result of a provider's tool; false for other blocks. */
function readCallBlock(
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
    const call = addCall(dialogue, step, type === 'function_call' ? { ...block, id } : block, path)
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
