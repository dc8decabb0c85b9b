import { wordSet } from '../../domain/words.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, type Reading } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { takeMessage } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { named, own } from '../tools/tool-table.ts'
import { decodeLocated } from '../traces/chat-shapes.ts'
import { contentOf, Located, PLACE, placeMessage, type Tree } from '../traces/located.ts'

/**
 * The format of LangChain's messages and LangGraph's states: `{"messages": […]}`, the same under `values`, `state` or `output`, or an
 * array. Each message may have any of its written forms (`openMessage`).
 */
export const LANGCHAIN: Format = {
  name: 'langchain',
  recognizes: (document) => messagesIn(document) !== null,
  read: readLangChain,
}

const STATES = ['values', 'state', 'output', 'outputs', 'channel_values'] as const
function messagesIn(document: Json): { readonly list: readonly unknown[]; readonly path: string } | null {
  const states = STATES.map((name) => [document[name], `/${name}`] as const)
  for (const [state, path] of [[document, ''] as const, ...states]) {
    const list = isRecord(state) ? state['messages'] : undefined
    if (Array.isArray(list) && list.some(isOwnMessage)) return { list, path: `${path}/messages` }
  }
  const { records } = document
  return Array.isArray(records) && records.some(isOwnMessage) ? { list: records, path: '/records' } : null
}

function readLangChain(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const sink = new ChatSink(reading, null)
  let model = asText(document['model'])
  for (const [message, at] of itemsIn(list, path)) {
    const open = readAnyMessage(sink, message, at)
    model ??= open === null ? null : modelOfMessage(open)
  }
  return { format: 'langchain', agent: { name: null, model }, steps: sink.finish(path) }
}

/** Reads an item of a list of messages, and returns it opened; null for an item that is no message, which is unread or an error. */
export function readAnyMessage(sink: ChatSink, message: unknown, path: string): OpenMessage | null {
  const open = openMessage(message, path)
  if (open !== null) readLangChainMessage(sink, open)
  else sink.reading.odd(path, 'a message', message)
  return open
}

type Speaker = 'agent' | 'user' | 'system' | 'tool' | 'unknown'

/** A message without its envelope. */
export interface OpenMessage {
  readonly speaker: Speaker
  readonly type: string
  readonly body: Json
  readonly path: string
  /** The text and its path, where the body does not hold it. */
  readonly text?: { readonly text: string; readonly path: string }
}

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  ...{ ...named('agent', 'ai assistant'), ...named('user', 'human user'), ...named('system', 'system developer') },
  ...named('tool', 'tool function'),
}

const speakerOf = (name: string): Speaker =>
  own(SPEAKERS, name.replace(/Message(?:Chunk)?$/, '').toLowerCase()) ?? 'unknown'

/**
 * Opens a message in any of its forms: plain (`{"type": "ai", "content"}`, langchain-core's `model_dump`), in an envelope (`{"type":
 * "human", "data": {…}}`, `messages_to_dict` and JavaScript's `toDict`), serialized (`{"lc": 1, "type": "constructor", "id": […,
 * "HumanMessage"], "kwargs"}`), in a provider's form (`{"role", "content"}`), or a pair `["human", "…"]`. Null for other values.
 */
export function openMessage(message: unknown, path: string): OpenMessage | null {
  if (Array.isArray(message)) return openPair(message, path)
  if (!isRecord(message)) return null
  const { type, data, id, kwargs, role } = message
  if ('lc' in message && Array.isArray(id)) {
    const last: unknown = id.at(-1)
    const name = typeof last === 'string' ? last : ''
    const body = isRecord(kwargs) ? kwargs : {}
    const { role } = body
    return open(name === 'ChatMessage' && typeof role === 'string' ? role : name, body, `${path}/kwargs`)
  }
  if (isRecord(data) && typeof type === 'string') return open(ofChat(type, data), data, `${path}/data`)
  if (typeof role === 'string' && type !== 'ai' && type !== 'human') return open(role, message, path)
  return typeof type === 'string' ? open(ofChat(type, message), message, path) : null
}

export function modelOfMessage({ speaker, body }: OpenMessage): string | null {
  const { response_metadata: about } = body
  if (speaker !== 'agent' || !isRecord(about)) return null
  return asText(about['model_name']) ?? asText(about['model']) ?? asText(about['model_id'])
}

/** Returns the type of a message; LangChain's `chat` type has its role in a member of its own. */
const ofChat = (type: string, { role }: Json): string =>
  (type === 'chat' || type === 'generic') && typeof role === 'string' ? role : type

const open = (type: string, body: Json, path: string): OpenMessage => ({ speaker: speakerOf(type), type, body, path })

function openPair(pair: readonly unknown[], path: string): OpenMessage | null {
  const [role, content] = pair
  return pair.length === 2 && typeof role === 'string' && typeof content === 'string'
    ? { speaker: speakerOf(role), type: role, body: {}, path, text: { text: content, path: `${path}/1` } }
    : null
}

const OWN_TYPES: ReadonlySet<unknown> = new Set(['ai', 'human', 'AIMessageChunk', 'HumanMessageChunk'])

/** Tells whether only LangChain can have written a message. */
function isOwnMessage(message: unknown): boolean {
  if (!isRecord(message) || 'role' in message) return false
  const { type, id, data } = message
  if (message['lc'] === 1 && Array.isArray(id))
    return type === 'constructor' && id.includes('messages') && isRecord(message['kwargs'])
  return OWN_TYPES.has(type) && ('content' in message || (isRecord(data) && 'content' in data))
}

export function readLangChainMessage(sink: ChatSink, message: OpenMessage): void {
  checkMessage(sink.reading, message)
  const placed = placeMessage(chatMessageOf(message), message.path)
  const name = asText(message.body['id'])
  if (placed !== null && !isUnread(message)) takeMessage(sink, placed, name, name)
}

const isUnread = ({ speaker, body, text }: OpenMessage): boolean =>
  speaker === 'unknown' && isAbsent(body['content']) && text === undefined

/** Warns of the members of a message that no reader shows. */
export function checkMessage(reading: Reading, message: OpenMessage): void {
  const { speaker, type, body, path } = message
  if (speaker === 'tool' && !isAbsent(body['artifact']))
    reading.warnOnce(
      `${path}/artifact`,
      'what a tool keeps for the program beside its answer; the model is not given it, and it is not read',
    )
  const { tool_calls: calls, content } = body
  if (isUnread(message)) reading.unreadRecord(path, 'type of message', type, body)
  else if (!isAbsent(calls) && !Array.isArray(calls)) reading.odd(`${path}/tool_calls`, 'an array', calls)
  else if (typeof content === 'number' || typeof content === 'boolean')
    reading.odd(`${path}/content`, 'text or blocks', content)
}

const ROLES: Readonly<Record<string, string>> = { agent: 'assistant', user: 'user', system: 'system', tool: 'tool' }

export function chatMessageOf({ speaker, type, body, path, text }: OpenMessage): Tree {
  const message = new Located(body, path)
  const role = ROLES[speaker] ?? type
  const id = message.member('id')
  const content = text === undefined ? message.member('content') : new Located(text.text, text.path)
  if (speaker === 'tool')
    return {
      ...{ [PLACE]: path, id, role, tool_call_id: message.member('tool_call_id' in body ? 'tool_call_id' : 'name') },
      content: contentOf(content),
      ...((body['status'] === 'error' || body['is_error'] === true) && { is_error: true }),
    }
  if (speaker !== 'agent' && speaker !== 'unknown')
    return { [PLACE]: path, id, role, content: blocksOf(content, null), tool_calls: message.member('tool_calls') }
  const extra = message.member('additional_kwargs')
  const calls = callsOf(message, extra)
  const broken = message.member('invalid_tool_calls').items()
  const shown = new Set([...calls, ...broken].flatMap(({ value }) => (isRecord(value) ? (idOf(value) ?? []) : [])))
  const trees = [
    ...calls.map((call) => callTree(call)),
    ...broken.map((call) => callTree(call, { parse_error: new Located('broken', call.path) })),
  ]
  return {
    ...{ [PLACE]: path, id, role },
    content: blocksOf(content, shown),
    reasoning_content: [message.member('reasoning_content'), message.member('reasoning')]
      .concat(extra.member('reasoning_content'))
      .find(({ value }) => typeof value === 'string' && value !== ''),
    thinking_blocks: extra.member('reasoning').member('summary').items(),
    refusal: [message, extra].map((of) => of.member('refusal')).find(({ value }) => typeof value === 'string'),
    ...(trees.length > 0 && { tool_calls: trees }),
  }
}

/** Lists the calls of a reply: LangChain's own, else the provider's that it kept; each may be JSON in a string (verifiers). */
function callsOf(message: Located, extra: Located): readonly Located[] {
  const [direct, kept] = [message, extra].map((of) => of.member('tool_calls').items()) as [Located[], Located[]]
  const older = [message, extra].map((of) => of.member('function_call')).filter(({ value }) => isRecord(value))
  const list = direct.length > 0 ? direct : kept.length > 0 ? kept : older.slice(0, 1)
  return list.map((call) => decodeLocated(call) ?? call)
}

/** Returns the id by which a call is answered; the name of its function in the oldest files. */
const idOf = (call: Json): string | null =>
  idText(call['id'] ?? call['call_id'] ?? call['tool_call_id'] ?? call['name'])

/** Returns a call of LangChain (`name`, `args`) or of a provider (`function: {name, arguments}`, `arguments`, `input`). */
function callTree(call: Located, more: { readonly [name: string]: Tree } = {}): Tree {
  if (!isRecord(call.value)) return call
  const inner = isRecord(call.value['function']) ? call.member('function') : call
  return { id: idOf(call.value), function: { name: inner.member('name'), arguments: argumentsIn(inner) }, ...more }
}

const CALLS: ReadonlySet<unknown> = wordSet(
  'tool_use tool_call server_tool_use server_tool_call mcp_tool_use function_call',
)
/** Types of blocks with fragments of a call, which stands whole beside the content. */
const PIECES: ReadonlySet<unknown> = wordSet(
  'tool_call_chunk server_tool_call_chunk input_json_delta invalid_tool_call',
)
const RESULTS: ReadonlySet<unknown> = new Set(['server_tool_call_result', 'server_tool_result'])
const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'video', 'file'])

/** Returns a content in the blocks of a provider; blocks that repeat the calls in `shown` are left out. Null: calls are not the agent's. */
const blocksOf = (content: Located, shown: ReadonlySet<string> | null): Tree =>
  Array.isArray(content.value)
    ? content.items().flatMap((block) => (isRecord(block.value) ? blockOf(block, block.value, shown) : [block]))
    : content

function blockOf(block: Located, value: Json, shown: ReadonlySet<string> | null): readonly Tree[] {
  const { type } = value
  if (MEDIA.has(type)) return [mediaTree(block, value)]
  if (RESULTS.has(type)) return [resultTree(block, value)]
  if (shown === null || !(CALLS.has(type) || PIECES.has(type))) return [block]
  const id = idText(type === 'function_call' ? (value['call_id'] ?? value['id']) : value['id'])
  if (id !== null && shown.has(id)) return []
  if (type === 'tool_use' || PIECES.has(type)) return [block]
  return [{ type: 'tool_use', id, name: block.member('name'), input: argumentsIn(block) }]
}

const resultTree = (block: Located, value: Json): Tree => ({
  type: 'tool_result',
  tool_use_id: block.member('tool_call_id'),
  content: contentOf(block.member('output' in value ? 'output' : 'content')),
  ...(value['status'] === 'error' && { is_error: true }),
})

const argumentsIn = (call: Located): Located =>
  call.member(['args', 'arguments', 'input'].find((name) => name in asRecord(call.value)) ?? 'args')

/** Converts LangChain's media blocks: `{type: "image", base64 | data | url, mime_type}` (langchain_core/messages/content.py). */
function mediaTree(block: Located, value: Json): Tree {
  if ('source' in value || 'image' in value || 'file' in value) return block
  const data = ['base64', 'data'].find((name) => typeof value[name] === 'string')
  if (data === undefined)
    return typeof value['url'] === 'string'
      ? { type: String(value['type']), source: { url: block.member('url') } }
      : block
  const type = block.member('mime_type' in value ? 'mime_type' : 'mimeType')
  return { type: String(value['type']), source: { media_type: type, data: block.member(data) } }
}
