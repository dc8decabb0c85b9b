import { wordSet } from '../../domain/text/words.ts'
import { idText, isAbsent, isRecord, type Json, type Reading, typeName } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import { decodeLocated } from '../traces/chat-shapes.ts'
import { contentOf, Located, placeMessage, type Tree } from '../traces/located.ts'
import type { TraceSink } from '../traces/trace-span.ts'
import type { OpenMessage } from './langchain-form.ts'

const FIELDS: ReadonlySet<string> = wordSet(`content type role id name additional_kwargs response_metadata
  usage_metadata tool_calls invalid_tool_calls tool_call_chunks tool_call_id status artifact example metadata
  chunk_position lc_kwargs lc_namespace lc_serializable contentBlocks content_blocks function_call refusal reasoning
  reasoning_content annotations audio model stop_reason stop_sequence usage finish_reason index is_error container
  logprobs parsed provider_state`)

/** Reads one message of LangChain into the steps of a chat. */
export function readLangChainMessage(sink: TraceSink, message: OpenMessage): void {
  const { reading } = sink
  const { speaker, type, body, path, text } = message
  reading.warnUnknownOnce(body, path, FIELDS)
  if (speaker === 'tool' && !isAbsent(body['artifact']))
    reading.warnOnce(
      `${path}/artifact`,
      'what a tool keeps for the program beside its answer; the model is not given it, and it is not read',
    )
  if (speaker === 'unknown' && isAbsent(body['content']) && text === undefined)
    reading.unreadRecord(path, 'type of message', type, body)
  else {
    warnOfForms(reading, body, path)
    const placed = placeMessage(chatMessageOf(message), path)
    const name = asText(body['id'])
    if (placed !== null) sink.take(placed, name, name)
  }
}

function warnOfForms(reading: Reading, { tool_calls: calls, content }: Json, path: string): void {
  if (!isAbsent(calls) && !Array.isArray(calls))
    reading.error(`${path}/tool_calls`, `must be an array of tool calls, not ${typeName(calls)}`)
  if (typeof content === 'number' || typeof content === 'boolean')
    reading.error(`${path}/content`, `must be text or blocks, not ${typeName(content)}`)
}

const ROLES: Readonly<Record<string, string>> = { agent: 'assistant', user: 'user', system: 'system', tool: 'tool' }

/** Returns a message in the form of a chat. */
export function chatMessageOf({ speaker, type, body, path, text }: OpenMessage): Tree {
  const message = new Located(body, path)
  const role = ROLES[speaker] ?? type
  const content = text === undefined ? message.member('content') : new Located(text.text, text.path)
  if (speaker === 'tool')
    return {
      ...{ role, tool_call_id: message.member('tool_call_id' in body ? 'tool_call_id' : 'name') },
      content: contentOf(content),
      ...((body['status'] === 'error' || body['is_error'] === true) && { is_error: true }),
    }
  if (speaker !== 'agent' && speaker !== 'unknown')
    return { role, content: blocksOf(content, new Set()), tool_calls: message.member('tool_calls') }
  const extra = message.member('additional_kwargs')
  const calls = callsOf(message, extra)
  const broken = message.member('invalid_tool_calls').items()
  const shown = new Set([...calls, ...broken].flatMap(({ value }) => (isRecord(value) ? (idOf(value) ?? []) : [])))
  const trees = [
    ...calls.map((call) => callTree(call)),
    ...broken.map((call) => callTree(call, { parse_error: new Located('broken', call.path) })),
  ]
  return {
    role,
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
  const [own, kept] = [message, extra].map((of) => of.member('tool_calls').items()) as [Located[], Located[]]
  const older = [message, extra].map((of) => of.member('function_call')).filter(({ value }) => isRecord(value))
  const list = own.length > 0 ? own : kept.length > 0 ? kept : older.slice(0, 1)
  return list.map((call) => decodeLocated(call) ?? call)
}

/** Returns the id by which a call is answered; the name of its function in the oldest files. */
const idOf = (call: Json): string | null =>
  idText(call['id'] ?? call['call_id'] ?? call['tool_call_id'] ?? call['name'])

/** Returns a call of LangChain (`name`, `args`) or of a provider (`function: {name, arguments}`, `arguments`, `input`). */
function callTree(call: Located, more: { readonly [name: string]: Tree } = {}): Tree {
  if (!isRecord(call.value)) return call
  const inner = isRecord(call.value['function']) ? call.member('function') : call
  const record = inner.value as Json
  const field = ['args', 'arguments', 'input'].find((name) => name in record) ?? 'args'
  return { id: idOf(call.value), function: { name: inner.member('name'), arguments: inner.member(field) }, ...more }
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

/** Returns a content in the blocks of a provider; blocks that repeat the calls in `shown` are left out. */
const blocksOf = (content: Located, shown: ReadonlySet<string>): Tree =>
  Array.isArray(content.value)
    ? content.items().flatMap((block) => (isRecord(block.value) ? blockOf(block, block.value, shown) : [block]))
    : content

function blockOf(block: Located, value: Json, shown: ReadonlySet<string>): readonly Tree[] {
  const { type } = value
  if (MEDIA.has(type)) return [mediaTree(block, value)]
  if (RESULTS.has(type)) return [resultTree(block, value)]
  if (!CALLS.has(type) && !PIECES.has(type)) return [block]
  const id = idText(type === 'function_call' ? (value['call_id'] ?? value['id']) : value['id'])
  if (id !== null && shown.has(id)) return []
  return type === 'tool_use' || PIECES.has(type) ? [block] : [toolUse(block, value, id)]
}

const resultTree = (block: Located, value: Json): Tree => ({
  type: 'tool_result',
  tool_use_id: block.member('tool_call_id'),
  content: contentOf(block.member('output' in value ? 'output' : 'content')),
  ...(value['status'] === 'error' && { is_error: true }),
})

function toolUse(block: Located, value: Json, id: string | null): Tree {
  const field = ['args', 'arguments', 'input'].find((name) => name in value) ?? 'args'
  return { type: 'tool_use', id, name: block.member('name'), input: block.member(field) }
}

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
