import type { Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { textOf } from '../common/content.ts'
import { cutName, holdsCalls, isAbsent, isRecord, itemsIn, type Json, objectsIn, typeName } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { named, own } from '../tools/tool-table.ts'
import type { ChatSink } from './openai-chat-sink.ts'
import { formOfCall, outcomeOfMessage, readBlocks, readReasoning, readToolCalls, speaking } from './openai-chat-sink.ts'

/** The parts of one message; `outputs`: tool results, which belong to the step of the calling agent. */
type MessageParts = { isTool: boolean; readonly parts: Part[]; readonly outputs: Part[] }

const CALL_FIELDS = ['tool_calls', 'function_call'] as const

export function readMessage(sink: ChatSink, message: Json, path: string): MessageParts {
  const read: MessageParts = { isTool: false, parts: [], outputs: [] }
  const role = roleOf(message)
  if (isResponse(message)) readResponse(sink, read, message.output, `${path}/output`)
  else if (speaksAsAgent(message) && role !== null) readAgentMessage(sink, read.parts, message, path, role)
  else readOthers(sink, read, message, path, role)
  return read
}

function readOthers(sink: ChatSink, read: MessageParts, message: Json, path: string, role: string | null): void {
  const isUsers = isUsersOwn(message) && (role === 'user' || role === 'tool')
  for (const field of isUsers && role === 'user' ? [] : CALL_FIELDS)
    if (holdsCalls(message, field))
      sink.reading.unread(`${path}/${field}`, 'calls in a message that is not the agent’s; not read', true)
  if (isUsers) readUsers(sink, read, message, path)
  else if (role === 'tool' || role === 'function') readToolMessage(sink, read, message, path)
  else if (role === null && typeof message['type'] === 'string' && message['type'] !== 'message')
    readItem(sink, read, message, path)
  else readOtherMessage(sink, read, message, path, role)
}

function readAgentMessage(sink: ChatSink, parts: Part[], message: Json, path: string, role: string): void {
  const { content, refusal, function_call: older } = message
  const warning = `unknown role ${JSON.stringify(cutName(role))}; read as an agent of this name`
  if (role !== 'assistant') sink.reading.warnOnce(`${path}/role`, warning)
  // A harness with other roles runs the code in an agent's words, and its answer has another agent's name.
  if (role !== 'assistant' && textOf(content).includes(FENCE)) sink.reading.countUnread(path, true)
  readThoughts(sink, message, path, parts)
  readBlocks(sink, content, `${path}/content`, speaking('agent_message', parts))
  if (typeof refusal === 'string') sink.text(parts, 'agent_message', refusal, `${path}/refusal`, 'refusal')
  if (isRecord(older)) sink.addCall(parts, formOfCall(older, `${path}/function_call`))
  else if (!isAbsent(older)) sink.reading.odd(`${path}/function_call`, 'a function call', older)
  readToolCalls(sink, parts, message['tool_calls'], `${path}/tool_calls`)
}

/** Adds the reasoning of a message. A message may repeat it under several members; the first present is shown. */
export function readThoughts(sink: ChatSink, message: Json, path: string, parts: Part[]): void {
  const { reasoning_content: raw } = asRecord(asRecord(message['raw_data'])['message'])
  const texts = ['reasoning_content', 'reasoning', 'thinking'].map((field) => [message[field], field] as const)
  for (const [text, place] of [...texts, [raw, 'raw_data/message/reasoning_content'] as const])
    if (typeof text === 'string' && text !== '') {
      sink.text(parts, 'agent_reasoning', text, `${path}/${place}`, 'reasoning')
      return
    }
  for (const field of ['thinking_blocks', 'reasoning_details']) {
    const value = message[field]
    if (!Array.isArray(value) || value.length === 0) continue
    for (const [block, at] of itemsIn(value, `${path}/${field}`))
      if (isRecord(block) && typeof block['text'] === 'string')
        sink.text(parts, 'agent_reasoning', block['text'], `${at}/text`, 'reasoning')
      else if (isRecord(block)) readReasoning(sink, { ...block, content: null }, at, parts)
      else sink.reading.odd(at, 'a block of reasoning', block)
    return
  }
}

function readToolMessage(sink: ChatSink, read: MessageParts, message: Json, path: string, field = 'content'): void {
  const { outputs } = read
  const { error, [field]: content } = message
  read.isTool = true
  const id = answeredIdOf(sink, message)
  const name = toolName(sink, message, path, id)
  readBlocks(sink, content, `${path}/${field}`, speaking('tool_output', outputs, name))
  sink.answered(id, (tool) => outcomeOfMessage(sink.agent, tool, message, content))
  const words = isRecord(error) ? error['message'] : error
  const at = isRecord(error) ? `${path}/error/message` : `${path}/error`
  if (typeof words === 'string' && !(isRecord(error) && words === content))
    sink.text(outputs, 'tool_output', words, at, `${name}.error`)
}

function toolName(sink: ChatSink, message: Json, path: string, id: string | null): string {
  const answered = id === null ? undefined : sink.toolOf(id)
  if (answered !== undefined) return answered
  if (id !== null) sink.reading.unread(path, 'a tool result that answers no call before it; shown at its place', true)
  else if (message['role'] !== 'function' && !blocksName(message['content']))
    sink.reading.warnOnce(path, 'a tool result that does not say which call it answers')
  return asText(message['name'] ?? message['function']) ?? 'tool'
}

/** Returns the id of the answered call; tau2-bench gives an answer the id of its call. */
function answeredIdOf(sink: ChatSink, message: Json): string | null {
  const { id } = message
  return callIdOf(message) ?? (typeof id === 'string' && sink.toolOf(id) !== undefined ? id : null)
}

/** Tells whether the blocks of a tool message name their calls, as those of the AI SDK do. */
const blocksName = (content: unknown): boolean =>
  Array.isArray(content) && content.length > 0 && content.every((block) => isRecord(block) && 'toolCallId' in block)

/** Returns the id of the call that a message answers; SWE-agent writes a list of one id. */
function callIdOf(message: Json): string | null {
  const ids = message['tool_call_ids']
  const id = message['tool_call_id'] ?? message['call_id'] ?? (Array.isArray(ids) ? ids[0] : null)
  return typeof id === 'string' ? id : null
}

/** Reads an item of OpenAI's Responses among the messages, without a role. */
function readItem(sink: ChatSink, read: MessageParts, item: Json, path: string): void {
  const { type } = item
  if (type === 'function_call_output') readToolMessage(sink, read, item, path, 'output')
  else if (type === 'reasoning') readReasoning(sink, item, path, read.parts)
  else if (type === 'function_call') sink.addCall(read.parts, formOfCall(item, path))
  else sink.reading.unreadRecord(path, 'kind of record', type, item)
}

/** Recognizes a whole answer of Responses, which mini-swe-agent keeps among its messages. */
export const isResponse = (message: Json): message is Json & { readonly output: readonly unknown[] } =>
  isAbsent(message['role']) && isAbsent(message['type']) && Array.isArray(message['output'])

function readResponse(sink: ChatSink, read: MessageParts, output: readonly unknown[], path: string): void {
  for (const [item, at] of objectsIn(sink.reading, output, path))
    if (item['type'] === 'message')
      readBlocks(sink, item['content'], `${at}/content`, speaking('agent_message', read.parts))
    else readItem(sink, { ...read, outputs: [] }, item, at)
}

function readOtherMessage(sink: ChatSink, read: MessageParts, message: Json, path: string, role: string | null): void {
  // Whoever spoke may have acted by the words.
  if (role === null) sink.reading.unread(`${path}/role`, 'a message without a role; read as system', true)
  const { parts, outputs } = read
  const actor = role === 'user' ? 'user' : 'system'
  const name = role === 'exit' ? 'exit' : 'message'
  readBlocks(sink, message['content'], `${path}/content`, { actor, name, parts, outputs })
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

const ROLES: Readonly<Record<string, string>> = {
  ...{ ...named('user', 'human User Human'), ...named('assistant', 'ai model bot Assistant') },
  ...named('tool', 'tool_result tool_response ipython environment observation'),
  ...named('system', 'System _system_prompt'),
}

/** Returns the role of a message in the words of OpenAI; another name unchanged, and null where the message has none. */
export function roleOf({ role }: Json): string | null {
  const name = asText(role)
  return name === null ? null : (own(ROLES, name) ?? name)
}

/** Recognizes a call or an answer of the user's own tools, which tau2-bench marks. */
const isUsersOwn = ({ requestor, tool_calls: calls }: Json): boolean =>
  requestor === 'user' ||
  (Array.isArray(calls) && calls.length > 0 && calls.every((call) => isRecord(call) && call['requestor'] === 'user'))

/** Adds the user's words and calls, or the answer of the user's own tool, which only the user sees: no act of the agent. */
function readUsers(sink: ChatSink, { parts }: MessageParts, message: Json, path: string): void {
  const isAnswer = roleOf(message) === 'tool'
  const name = isAnswer ? 'tool' : 'message'
  readBlocks(sink, message['content'], `${path}/content`, speaking('user', parts, name))
  for (const [call, at] of isAnswer ? [] : itemsIn(message['tool_calls'], `${path}/tool_calls`)) {
    if (!isRecord(call)) sink.reading.unread(at, `a tool call must be an object, not ${typeName(call)}; not read`, true)
    const { name, arguments: args } = asRecord(call)
    if (typeof name === 'string') sink.text(parts, 'user', name, `${at}/name`, 'tool')
    if (!isAbsent(args)) sink.leaves(parts, 'user', args, `${at}/arguments`, typeof name === 'string' ? name : 'tool')
  }
}
