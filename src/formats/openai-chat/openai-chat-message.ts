import type { Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { textOf } from '../common/content.ts'
import { cutName, isAbsent, isRecord, itemsIn, type Json, typeName } from '../common/reading.ts'
import { holdsCalls, mayAct } from '../common/unread-acts.ts'
import { named, own } from '../tools/tool-table.ts'
import { outcomeOfMessage, readBlocks, readReasoning, type Speaker } from './openai-chat-blocks.ts'
import {
  addSlices,
  type ChatSink,
  type PlacedText,
  readFunctionCall,
  readToolCalls,
  type Slice,
} from './openai-chat-sink.ts'

/** The protocol by which an agent without tool calls writes its acts into its messages. */
export interface TextProtocol {
  /** Splits an answer with an act into slices; null for an answer without an act. */
  split(text: string): readonly Slice[] | null
  /** Tells whether a user's message behind an answer is the user's own, rather than a result or a text of the harness. */
  isSpeech(text: string): boolean
  /** True when a user's message behind an answer without an act is the harness's complaint. */
  readonly complains: boolean
  /** Adds acts that the harness noted beside the text; false where it noted none. */
  noted?(sink: ChatSink, parts: Part[], message: Json, path: string): boolean
}

interface ReadMessage {
  readonly speaker: 'agent' | 'tool' | 'other'
  readonly parts: readonly Part[]
  /** The tool results, which belong to the step of the calling agent. */
  readonly outputs: readonly Part[]
  /** True when the agent acted in words, so that the next message is the result. */
  readonly acted: boolean
}

const MESSAGE_FIELDS = wordSet(`role type content name id tool_calls tool_call_id tool_call_ids function_call function
  reasoning_content reasoning thinking thinking_blocks reasoning_details refusal error audio annotations
  provider_specific_fields extra cache_control source model metadata timestamp status agent message_type stop_reason
  usage call_id arguments output summary encrypted_content weight finish_reason is_error internal prefix object
  created_at stop_sequence stop_details container context_management diagnostics requestor turn_idx cost raw_data`)

const CALL_FIELDS = ['tool_calls', 'function_call'] as const

/** The preceding message: an act by `protocol`, another answer of the agent, or a message of another speaker. */
export type Before = 'act' | 'answer' | 'other'

export function readMessage(
  sink: ChatSink,
  message: Json,
  path: string,
  protocol: TextProtocol | null,
  before: Before,
): ReadMessage {
  const role = roleOf(message)
  if (isResponse(message)) return readResponse(sink, message['output'], path)
  sink.reading.warnUnknown(message, path, MESSAGE_FIELDS)
  if (role !== null && !KNOWN_ROLES.has(role)) {
    sink.reading.warnOnce(
      `${path}/role`,
      `unknown role ${JSON.stringify(cutName(role))}; read as an agent of this name`,
    )
    // Such a harness runs the code in an agent's words, and its answer has another agent's name.
    if (textOf(message['content']).includes(FENCE)) sink.reading.countUnread(path, true)
    return readAgentMessage(sink, message, path, protocol)
  }
  if (role === 'assistant') return readAgentMessage(sink, message, path, protocol)
  const isOfUser = role === 'user' && isUsersOwn(message)
  for (const field of CALL_FIELDS)
    if (isOfUser && field === 'tool_calls') return readUsers(sink, message, path)
    else if (holdsCalls(message, field))
      sink.reading.unread(`${path}/${field}`, 'calls in a message that is not the agent’s; not read', true)
  if (role === 'tool' && isUsersOwn(message)) return readUsers(sink, message, path)
  if (role === 'tool' || role === 'function') return readToolMessage(sink, message, path)
  if (role === null && typeof message['type'] === 'string' && message['type'] !== 'message')
    return readItem(sink, message, path)
  return readOtherMessage(sink, message, path, protocol, before)
}

function readAgentMessage(sink: ChatSink, message: Json, path: string, protocol: TextProtocol | null): ReadMessage {
  const parts: Part[] = []
  readThoughts(sink, message, path, parts)
  const speaker: Speaker = { actor: 'agent_message', name: 'message', parts, outputs: parts }
  const { content } = message
  const structured = !isAbsent(message['tool_calls']) || !isAbsent(message['function_call'])
  const text = protocol === null || structured ? null : onlyText(sink, content, `${path}/content`)
  const slices = text === null ? null : (protocol?.split(text.text) ?? null)
  if (text !== null && slices !== null) addSlices(sink.reading, parts, text, slices)
  else readBlocks(sink, content, `${path}/content`, speaker)
  if (typeof message['refusal'] === 'string')
    sink.text(parts, 'agent_message', message['refusal'], `${path}/refusal`, 'refusal')
  readFunctionCall(sink, parts, message['function_call'], `${path}/function_call`)
  readToolCalls(sink, parts, message['tool_calls'], `${path}/tool_calls`)
  const noted = slices === null && !structured && protocol?.noted?.(sink, parts, message, path) === true
  const acted = slices !== null || noted
  sink.spoke(acted ? parts : [])
  return { speaker: 'agent', parts, outputs: [], acted }
}

/** Returns the content that is one text; Anthropic's cache marks turn a text into an array of one block. */
function onlyText(sink: ChatSink, content: unknown, path: string): PlacedText | null {
  if (typeof content === 'string') return sink.locate(content, path)
  const [block, ...more] = Array.isArray(content) ? content : []
  const single = more.length === 0 && isRecord(block) && block['type'] === 'text' ? block['text'] : null
  return typeof single === 'string' ? sink.locate(single, `${path}/0/text`) : null
}

/** Adds the reasoning of a message. A message may repeat it under several members; the first present is shown. */
function readThoughts(sink: ChatSink, message: Json, path: string, parts: Part[]): void {
  const speaker: Speaker = { actor: 'agent_reasoning', name: 'reasoning', parts, outputs: parts }
  for (const field of ['reasoning_content', 'reasoning', 'thinking']) {
    const value = message[field]
    if (typeof value !== 'string' || value === '') continue
    readBlocks(sink, value, `${path}/${field}`, speaker)
    return
  }
  for (const field of ['thinking_blocks', 'reasoning_details']) {
    const value = message[field]
    if (!Array.isArray(value) || value.length === 0) continue
    for (const [block, at] of itemsIn(value, `${path}/${field}`)) {
      if (isRecord(block) && typeof block['text'] === 'string')
        sink.text(parts, 'agent_reasoning', block['text'], `${at}/text`, 'reasoning')
      else if (isRecord(block)) readReasoning(sink, { ...block, content: null }, at, parts)
      else sink.reading.unread(at, 'not a block of reasoning; not read', mayAct(block))
    }
    return
  }
}

function readToolMessage(sink: ChatSink, message: Json, path: string): ReadMessage {
  const outputs: Part[] = []
  const name = toolName(sink, message, path)
  const speaker: Speaker = { actor: 'tool_output', name, parts: outputs, outputs }
  readBlocks(sink, message['content'], `${path}/content`, speaker)
  sink.answered(answeredIdOf(sink, message), (tool) => outcomeOfMessage(sink.agent, tool, message, message['content']))
  const { error } = message
  if (isRecord(error)) {
    const words = error['message']
    if (typeof words === 'string' && words !== message['content'])
      sink.text(outputs, 'tool_output', words, `${path}/error/message`, `${name}.error`)
  } else if (typeof error === 'string') sink.text(outputs, 'tool_output', error, `${path}/error`, `${name}.error`)
  return { speaker: 'tool', parts: [], outputs, acted: false }
}

function toolName(sink: ChatSink, message: Json, path: string): string {
  const id = answeredIdOf(sink, message)
  const answered = id === null ? undefined : sink.names.get(id)
  if (answered !== undefined) return answered
  const own = message['name'] ?? message['function']
  if (id !== null) sink.reading.unread(path, 'a tool result that answers no call before it; shown at its place', true)
  else if (message['role'] !== 'function' && !blocksName(message['content']))
    sink.reading.warnOnce(path, 'a tool result that does not say which call it answers')
  return typeof own === 'string' && own !== '' ? own : 'tool'
}

/** Returns the id of the answered call; tau2-bench gives an answer the id of its call. */
function answeredIdOf(sink: ChatSink, message: Json): string | null {
  const { id } = message
  return callIdOf(message) ?? (typeof id === 'string' && sink.names.has(id) ? id : null)
}

/** Tells whether the blocks of a tool message name their calls, as those of the AI SDK do. */
const blocksName = (content: unknown): boolean =>
  Array.isArray(content) && content.length > 0 && content.every((block) => isRecord(block) && 'toolCallId' in block)

/** Returns the id of the call that a message answers; SWE-agent writes a list of one id. */
export function callIdOf(message: Json): string | null {
  const ids = message['tool_call_ids']
  const id = message['tool_call_id'] ?? message['call_id'] ?? (Array.isArray(ids) ? ids[0] : null)
  return typeof id === 'string' ? id : null
}

/** Reads an item of OpenAI's Responses among the messages, without a role. */
function readItem(sink: ChatSink, item: Json, path: string): ReadMessage {
  const parts: Part[] = []
  const type = typeof item['type'] === 'string' ? item['type'] : 'none'
  if (type === 'reasoning') readReasoning(sink, item, path, parts)
  else if (type === 'function_call')
    readFunctionCall(sink, parts, { name: item['name'], arguments: item['arguments'] }, path, item['call_id'])
  else if (type === 'function_call_output') {
    const outputs: Part[] = []
    const speaker: Speaker = { actor: 'tool_output', name: toolName(sink, item, path), parts: outputs, outputs }
    readBlocks(sink, item['output'], `${path}/output`, speaker)
    sink.answered(callIdOf(item), (tool) => outcomeOfMessage(sink.agent, tool, item, item['output']))
    return { speaker: 'tool', parts, outputs, acted: false }
  } else {
    sink.reading.unreadRecord(path, 'kind of record', type, item)
    return { speaker: 'other', parts, outputs: [], acted: false }
  }
  return { speaker: 'agent', parts, outputs: [], acted: false }
}

/** Recognizes a whole answer of Responses, which mini-swe-agent keeps among its messages. */
export const isResponse = (message: Json): message is Json & { readonly output: readonly unknown[] } =>
  isAbsent(message['role']) && isAbsent(message['type']) && Array.isArray(message['output'])

function readResponse(sink: ChatSink, output: readonly unknown[], path: string): ReadMessage {
  const parts: Part[] = []
  const speaker: Speaker = { actor: 'agent_message', name: 'message', parts, outputs: parts }
  for (const [item, at] of itemsIn(output, `${path}/output`)) {
    if (!isRecord(item)) sink.reading.error(at, `an item must be an object, not ${typeName(item)}`)
    else if (item['type'] === 'message') readBlocks(sink, item['content'], `${at}/content`, speaker)
    else for (const part of readItem(sink, item, at).parts) parts.push(part)
  }
  return { speaker: 'agent', parts, outputs: [], acted: false }
}

function readOtherMessage(
  sink: ChatSink,
  message: Json,
  path: string,
  protocol: TextProtocol | null,
  before: Before,
): ReadMessage {
  const { content } = message
  const role = roleOf(message)
  const isReply = role === 'user' && before !== 'other' && protocol !== null && !protocol.isSpeech(textOf(content))
  const isComplaint = isReply && before === 'answer' && protocol.complains
  const actor = role === 'user' && !isComplaint ? 'user' : 'system'
  const parts: Part[] = []
  const outputs: Part[] = []
  if (role === 'user') sink.answeredWords((tool) => outcomeOfMessage(sink.agent, tool, message, content))
  if (role === null) {
    if (mayAct({ content })) sink.reading.countUnread(path, true)
    sink.reading.warn(`${path}/role`, 'a message without a role; read as system')
  }
  if (isReply && before === 'act') {
    readBlocks(sink, content, `${path}/content`, { actor: 'tool_output', name: 'output', parts: outputs, outputs })
    return { speaker: 'tool', parts, outputs, acted: false }
  }
  const name = role === 'exit' ? 'exit' : 'message'
  readBlocks(sink, content, `${path}/content`, { actor, name, parts, outputs })
  return { speaker: 'other', parts, outputs, acted: false }
}

const FENCE = '```'

/** Returns the agent that a message names by its role (`Orchestrator (thought)`: Orchestrator); null for the roles of all chats. */
export function agentNamedBy(message: Json): string | null {
  const role = roleOf(message)
  return role === null || KNOWN_ROLES.has(role) ? null : cutName(role.split(' (', 1)[0] || role)
}

/** Tells whether a message is the agent's, so that it begins a step of the agent. */
export function speaksAsAgent(message: Json): boolean {
  const role = roleOf(message)
  if (role !== null) return role === 'assistant' || !KNOWN_ROLES.has(role)
  return isResponse(message) || message['type'] === 'function_call' || message['type'] === 'reasoning'
}

const KNOWN_ROLES: ReadonlySet<string> = wordSet('assistant user system developer tool function exit')

/** Roles of other programs. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ ...named('user', 'human User Human'), ...named('assistant', 'ai model bot Assistant') },
  ...{
    ...named('tool', 'tool_result tool_response ipython environment observation'),
    System: 'system',
    _system_prompt: 'system',
  },
}

/** Returns the role of a message in the words of OpenAI; another name unchanged, and null where the message has none. */
function roleOf({ role }: Json): string | null {
  return typeof role === 'string' && role !== '' ? (own(ROLES, role) ?? role) : null
}

/** Recognizes a call or an answer of the user's own tools, which tau2-bench marks. */
const isUsersOwn = ({ requestor, tool_calls: calls }: Json): boolean =>
  requestor === 'user' ||
  (Array.isArray(calls) && calls.length > 0 && calls.every((call) => isRecord(call) && call['requestor'] === 'user'))

/** Adds the user's words and calls, or the answer of the user's own tool, which only the user sees: no act of the agent. */
function readUsers(sink: ChatSink, message: Json, path: string): ReadMessage {
  const parts: Part[] = []
  const own = roleOf(message) === 'tool' ? 'tool' : 'message'
  readBlocks(sink, message['content'], `${path}/content`, { actor: 'user', name: own, parts, outputs: parts })
  for (const [call, at] of own === 'tool' ? [] : itemsIn(message['tool_calls'], `${path}/tool_calls`)) {
    const { name, arguments: args } = call as Json
    if (typeof name === 'string') sink.text(parts, 'user', name, `${at}/name`, 'tool')
    if (!isAbsent(args)) sink.leaves(parts, 'user', args, `${at}/arguments`, typeof name === 'string' ? name : 'tool')
  }
  return { speaker: 'other', parts, outputs: [], acted: false }
}
