import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { addLeaves, asRecord, asText, mediaText, type OpenStep, settle } from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import type { Speaker } from '../openai-chat/openai-chat-sink.ts'
import { ChatSink, outcomeOfOutput, readBlocks, readOutput, speaking } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'

/** The format of Pydantic AI's messages (pydantic_ai_slim/pydantic_ai/messages.py): an array of requests and responses, alone or named. */
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

function readRequestPart(sink: ChatSink, part: Json, path: string): void {
  const { part_kind: kind, content } = part
  const at = `${path}/content`
  if (kind === 'system-prompt') sink.note('system', content, at, 'message')
  else if (kind === 'instruction') sink.note('system', content, at, 'instructions')
  else if (kind === 'user-prompt') readContent(sink, content, at, speaking('user', sink.open('other', null).parts))
  else if (kind === 'tool-return' || kind === 'builtin-tool-return') readReturn(sink, part, path)
  else if (kind === 'retry-prompt') readRetry(sink, part, path)
  else if (kind === 'tool-availability-delta') sink.reading.warnOnce(path, 'a change of what tools there are; not read')
  else sink.reading.unreadRecord(path, 'kind of part', kind, part)
}

function readResponsePart(sink: ChatSink, step: OpenStep, part: Json, path: string): void {
  const { reading } = sink
  const { part_kind: kind, content } = part
  const at = `${path}/content`
  const said = (name?: string): Speaker => speaking('agent_message', step.parts, name)
  if (kind === 'text') readBlocks(sink, content, at, said())
  else if (kind === 'thinking') {
    if (content === '' && !isAbsent(part['signature']))
      reading.warnOnce(path, 'encrypted reasoning; it cannot be shown')
    readBlocks(sink, content, at, speaking('agent_reasoning', step.parts, 'reasoning'))
  } else if (kind === 'tool-call' || kind === 'builtin-tool-call') {
    const { tool_call_id: id, tool_name: name, args } = part
    addNamedCall(sink, step, { id, name, namePath: `${path}/tool_name`, args, path: `${path}/args` })
  } else if (kind === 'builtin-tool-return') readReturn(sink, part, path)
  else if (kind === 'file') readContent(sink, content, at, said('file'))
  else if (kind !== 'compaction') reading.unreadRecord(path, 'kind of part', kind, part)
  else if (typeof content === 'string') readBlocks(sink, content, at, said('compact_summary'))
  else reading.warnOnce(path, 'an encrypted summary of the conversation; it cannot be shown')
}

const OUTCOMES: Readonly<Record<string, ActOutcome>> = { denied: 'rejected', interrupted: 'interrupted' }

function readReturn(sink: ChatSink, part: Json, path: string): void {
  const { outcome, content } = part
  const { call, parts, tool } = sink.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  const declared = typeof outcome === 'string' ? own(OUTCOMES, outcome) : undefined
  settle(call, declared ?? outcomeOfOutput(tool, content, outcome === 'failed' ? true : null))
  const isContent = Array.isArray(content) || isMedia(content)
  if (isContent) readContent(sink, content, `${path}/content`, speaking('tool_output', parts, tool))
  else readOutput(sink, parts, content, `${path}/content`, tool)
}

/** Reads a retry prompt: an error of arguments (no tool ran) or of the running tool (_tool_manager.py catches both), so uncertain. */
function readRetry(sink: ChatSink, part: Json, path: string): void {
  const { content } = part
  const at = `${path}/content`
  if (isAbsent(part['tool_name'])) {
    const retry = speaking('system', sink.open('other', null).parts, 'retry')
    if (typeof content === 'string') readBlocks(sink, content, at, retry)
    else addLeaves(sink.sink(retry.parts, 'system', 'retry'), content ?? {}, at)
    return
  }
  const { call, parts, tool } = sink.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  settle(call, Array.isArray(content) ? 'interrupted' : outcomeOfOutput(tool, content, true))
  addLeaves(sink.sink(parts, 'tool_output', `${tool}.retry`), content ?? {}, at)
}

const MEDIA: Readonly<Record<string, string>> = {
  ...{ 'image-url': 'image', 'audio-url': 'audio', 'video-url': 'video', 'document-url': 'document' },
  ...{ binary: 'file', 'uploaded-file': 'file' },
}

const isMedia = (value: unknown): value is Json =>
  isRecord(value) && typeof value['kind'] === 'string' && Object.hasOwn(MEDIA, value['kind'])

/** Reads a content: text, or a list of texts, links, and files with their bytes in the message. */
function readContent(sink: ChatSink, content: unknown, path: string, speaker: Speaker): void {
  const { kind, content: text } = asRecord(content)
  if (Array.isArray(content)) for (const [piece, at] of itemsIn(content, path)) readContent(sink, piece, at, speaker)
  else if (isMedia(content)) addMedia(sink, content, path, speaker)
  else if (kind === 'text-content') readBlocks(sink, text, `${path}/content`, speaker)
  else if (kind === 'cache-point') return
  else if (typeof content === 'string' || speaker.actor !== 'tool_output') readBlocks(sink, content, path, speaker)
  else readOutput(sink, speaker.parts, content, path, speaker.name)
}

function addMedia(sink: ChatSink, file: Json, path: string, { actor, name, parts }: Speaker): void {
  const { kind, url, data } = file
  const media_type = asText(file['media_type'])
  const isImage = kind === 'binary' && media_type?.startsWith('image/') === true
  const shown = isImage ? 'image' : (MEDIA[String(kind)] ?? 'file')
  // Pydantic writes bytes in the URL alphabet.
  const bytes = typeof data === 'string' ? data.replaceAll('-', '+').replaceAll('_', '/') : data
  const source = typeof url === 'string' ? { url } : { media_type, data: bytes }
  const text = mediaText(shown, typeof url === 'string' ? url : (media_type ?? file['file_id']))
  sink.reading.addMedia(parts, { actor, text, path, name }, shown === 'image' ? source : undefined)
}
