import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { addLeaves, asText, mediaText, type OpenStep, settle, sinkTo } from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { outcomeOfOutput, readBlocks, readOutput } from '../openai-chat/openai-chat-blocks.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'

/**
 * The format of Pydantic AI's messages, as `ModelMessagesTypeAdapter` and `all_messages_json()` write them (pydantic-ai,
 * pydantic_ai_slim/pydantic_ai/messages.py): an array of requests and responses with their parts, alone or under a name.
 */
export const PYDANTIC_AI: Format = {
  name: 'pydantic-ai',
  recognizes: (document) => messagesIn(document) !== null,
  read: readPydanticAi,
}

const LISTS = ['records', 'messages', 'all_messages', 'new_messages', 'message_history'] as const
const isMessage = (item: unknown): boolean =>
  isRecord(item) &&
  (item['kind'] === 'request' || item['kind'] === 'response') &&
  Array.isArray(item['parts']) &&
  item['parts'].some((part) => isRecord(part) && typeof part['part_kind'] === 'string')

const messagesIn = (document: Json) => listIn(document, LISTS, (list) => list.some(isMessage))

function readPydanticAi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const sink = new ChatSink(reading, null)
  let model = asText(document['model'])
  let instructions: unknown
  for (const [message, at] of objectsIn(reading, list, path)) {
    model ??= asText(message['model_name'])
    sink.now = timeOf(message['timestamp'])
    // Every request of a run repeats its instructions.
    if (message['instructions'] !== instructions) {
      instructions = message['instructions'] ?? instructions
      sink.note('system', message['instructions'], `${at}/instructions`, 'instructions')
    }
    readMessage(sink, message, at)
  }
  const agent = { name: asText(document['agent']), model }
  return { format: 'pydantic-ai', agent, steps: sink.finish(path) }
}

function readMessage(sink: ChatSink, { kind, parts }: Json, path: string): void {
  const { reading } = sink
  if (kind !== 'request' && kind !== 'response') {
    reading.odd(`${path}/kind`, 'request or response', kind)
    return
  }
  const step = kind === 'response' ? sink.open('agent', null) : null
  for (const [part, at] of objectsIn(reading, parts, `${path}/parts`))
    if (step === null) readRequestPart(sink, part, at)
    else readResponsePart(sink, step, part, at)
}

/** Reads a part of a request to the model: a prompt or a tool result. */
function readRequestPart(sink: ChatSink, part: Json, path: string): void {
  const { reading } = sink
  const { part_kind: kind, content } = part
  if (kind === 'system-prompt' || kind === 'instruction')
    sink.note('system', content, `${path}/content`, kind === 'instruction' ? 'instructions' : 'message')
  else if (kind === 'user-prompt') {
    const { parts } = sink.open('other', null)
    readContent(sink, parts, 'user', content, `${path}/content`, 'message')
  } else if (kind === 'tool-return' || kind === 'builtin-tool-return') readReturn(sink, part, path)
  else if (kind === 'retry-prompt') readRetry(sink, part, path)
  else if (kind === 'tool-availability-delta') reading.warnOnce(path, 'a change of what tools there are; not read')
  else reading.unreadRecord(path, 'kind of part', kind, part)
}

/** Reads a part of the model's response. */
function readResponsePart(sink: ChatSink, step: OpenStep, part: Json, path: string): void {
  const { reading } = sink
  const { part_kind: kind, content } = part
  const { parts } = step
  if (kind === 'text') addContent(sink, parts, 'agent_message', content, `${path}/content`, 'message')
  else if (kind === 'thinking') {
    if (content === '' && !isAbsent(part['signature']))
      reading.warnOnce(path, 'encrypted reasoning; it cannot be shown')
    addContent(sink, parts, 'agent_reasoning', content, `${path}/content`, 'reasoning')
  } else if (kind === 'tool-call' || kind === 'builtin-tool-call') {
    const { tool_call_id: id, tool_name: name, args } = part
    addNamedCall(sink, step, { id, name, namePath: `${path}/tool_name`, args, path: `${path}/args` })
  } else if (kind === 'builtin-tool-return') readReturn(sink, part, path)
  else if (kind === 'file') readContent(sink, parts, 'agent_message', content, `${path}/content`, 'file')
  else if (kind === 'compaction') {
    if (typeof content === 'string')
      addContent(sink, parts, 'agent_message', content, `${path}/content`, 'compact_summary')
    else reading.warnOnce(path, 'an encrypted summary of the conversation; it cannot be shown')
  } else reading.unreadRecord(path, 'kind of part', kind, part)
}

const OUTCOMES: Readonly<Record<string, ActOutcome>> = { denied: 'rejected', interrupted: 'interrupted' }

function readReturn(sink: ChatSink, part: Json, path: string): void {
  const { outcome, content } = part
  const place = sink.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  const declared = typeof outcome === 'string' ? own(OUTCOMES, outcome) : undefined
  settle(place.call, declared ?? outcomeOfOutput(place.tool, content, outcome === 'failed' ? true : null))
  const isContent = Array.isArray(content) || (isRecord(content) && isMedia(content))
  if (isContent) readContent(sink, place.parts, 'tool_output', content, `${path}/content`, place.tool)
  else readOutput(sink, place.parts, content, `${path}/content`, place.tool)
}

/**
 * Reads a retry prompt: the tool's error text, or a list of validation errors. Such a list may concern the arguments, in which case no tool
 * ran, or a value that the tool checked while it ran (pydantic_ai, _tool_manager.py catches both), so the outcome is uncertain.
 */
function readRetry(sink: ChatSink, part: Json, path: string): void {
  const { content } = part
  if (isAbsent(part['tool_name'])) {
    const { parts } = sink.open('other', null)
    if (typeof content === 'string') addContent(sink, parts, 'system', content, `${path}/content`, 'retry')
    else addLeaves(sinkTo(sink.reading, parts, 'system', 'retry'), content ?? {}, `${path}/content`)
    return
  }
  const place = sink.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  settle(place.call, Array.isArray(content) ? 'interrupted' : outcomeOfOutput(place.tool, content, true))
  addLeaves(sinkTo(sink.reading, place.parts, 'tool_output', `${place.tool}.retry`), content ?? {}, `${path}/content`)
}

const MEDIA: Readonly<Record<string, string>> = {
  ...{ 'image-url': 'image', 'audio-url': 'audio', 'video-url': 'video', 'document-url': 'document' },
  ...{ binary: 'file', 'uploaded-file': 'file' },
}

const isMedia = ({ kind }: Json): boolean => typeof kind === 'string' && Object.hasOwn(MEDIA, kind)

function addContent(sink: ChatSink, parts: Part[], actor: Actor, content: unknown, path: string, name: string): void {
  readBlocks(sink, content, path, { actor, name, parts, outputs: parts })
}

/** Reads a content: text, or a list of texts, links, and files with their bytes in the message. */
function readContent(sink: ChatSink, parts: Part[], actor: Actor, content: unknown, path: string, name: string): void {
  if (Array.isArray(content)) {
    for (const [piece, at] of itemsIn(content, path)) readContent(sink, parts, actor, piece, at, name)
  } else if (isRecord(content) && isMedia(content)) addMedia(sink, parts, actor, content, path, name)
  else if (isRecord(content) && content['kind'] === 'text-content')
    addContent(sink, parts, actor, content['content'], `${path}/content`, name)
  else if (isRecord(content) && content['kind'] === 'cache-point') return
  else if (typeof content === 'string' || actor !== 'tool_output') addContent(sink, parts, actor, content, path, name)
  else readOutput(sink, parts, content, path, name)
}

function addMedia(sink: ChatSink, parts: Part[], actor: Actor, file: Json, path: string, name: string): void {
  const { kind, url, data } = file
  const media_type = asText(file['media_type'])
  const isImage = kind === 'binary' && media_type?.startsWith('image/') === true
  const shown = isImage ? 'image' : ((typeof kind === 'string' ? own(MEDIA, kind) : undefined) ?? 'file')
  // Pydantic writes bytes in the URL alphabet.
  const bytes = typeof data === 'string' ? data.replaceAll('-', '+').replaceAll('_', '/') : data
  const source = typeof url === 'string' ? { url } : { media_type, data: bytes }
  const text = mediaText(shown, typeof url === 'string' ? url : (media_type ?? file['file_id']))
  sink.reading.addMedia(parts, { actor, text, path, name }, shown === 'image' ? source : undefined)
}
