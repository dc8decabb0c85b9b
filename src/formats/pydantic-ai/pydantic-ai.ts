import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { Located, PLACE, type Tree, textsOf } from '../traces/located.ts'

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
  const models = [document['model'], ...list.map((message) => asRecord(message)['model_name'])].map(asText)
  const agent = { name: asText(document['agent']), model: models.find((model) => model !== null) ?? null }
  return readLocatedChat(reading, path, agent, 'pydantic-ai', (sink) => treesIn(sink, new Located(list, path)))
}

function* treesIn(sink: ChatSink, list: Located): Generator<LocatedMessage> {
  let instructions: unknown
  for (const message of list.items()) {
    const { kind, timestamp, parts, instructions: told } = asRecord(message.value)
    if (kind !== 'request' && kind !== 'response') {
      sink.reading.odd(message.path, 'a request or a response', message.value)
      continue
    }
    const records = [...objectsIn(sink.reading, parts, `${message.path}/parts`)]
    const pieces = records.map(([part, path]) => new Located(part, path))
    sink.now = timeOf(timestamp)
    // Every request of a run repeats its instructions.
    const isRepeated = isAbsent(told) || told === instructions
    const prompt = { tree: { role: 'system', content: message.member('instructions') } }
    const content = kind === 'response' ? pieces.flatMap((part) => replyBlocks(sink, part)) : []
    const read: readonly LocatedMessage[] =
      kind === 'response'
        ? [{ tree: { role: 'assistant', content } }]
        : pieces.flatMap((part) => requestPart(sink.reading, part))
    for (const one of isRepeated ? read : [prompt, ...read])
      yield { path: message.path, ...one, at: sink.now, name: null }
    instructions = told ?? instructions
  }
}

/** Reads a part of a request to the model: a prompt or a tool result. */
function requestPart(reading: Reading, part: Located): readonly LocatedMessage[] {
  const { part_kind: kind, tool_name: tool } = asRecord(part.value)
  const content = part.member('content')
  if (kind === 'system-prompt' || kind === 'instruction') return [{ tree: { role: 'system', content } }]
  if (kind === 'user-prompt') return [{ tree: { role: 'user', content: contentOf(content) } }]
  if (kind === 'retry-prompt' && isAbsent(tool)) return [{ tree: { role: 'system', content: wordsOf(content) } }]
  if (kind === 'speech') return [{ tree: { role: 'user', content: speechOf(part) } }]
  if (kind === 'tool-return' || kind === 'builtin-tool-return' || kind === 'retry-prompt') return [resultOf(part)]
  if (kind === 'tool-availability-delta') reading.warnOnce(part.path, 'a change of what tools there are; not read')
  else reading.unreadRecord(part.path, 'kind of part', kind, part.value)
  return []
}

/** Reads a part of the model's response as blocks. */
function replyBlocks(sink: ChatSink, part: Located): readonly Tree[] {
  const { part_kind: kind, content: said, signature } = asRecord(part.value)
  const [content, id] = [part.member('content'), part.member('tool_call_id')]
  if (kind === 'text') return [{ type: 'text', text: content }]
  if (kind === 'thinking' && said === '' && !isAbsent(signature)) return [{ type: 'redacted_thinking' }]
  if (kind === 'thinking') return [{ type: 'reasoning', reasoning: content }]
  if (kind === 'tool-call' || kind === 'builtin-tool-call')
    return [{ type: 'tool_use', id, name: part.member('tool_name'), input: part.member('args') }]
  if (kind === 'builtin-tool-return') return [{ type: 'tool_result', tool_use_id: id, content: contentOf(content) }]
  if (kind === 'file') return blocksOf(content)
  if (kind === 'speech') return speechOf(part)
  if (kind !== 'compaction') sink.reading.unreadRecord(part.path, 'kind of part', kind, part.value)
  else if (typeof said === 'string') sink.note('agent_message', said, content.path, 'compact_summary')
  else sink.reading.warnOnce(part.path, 'an encrypted summary of the conversation; it cannot be shown')
  return []
}

const OUTCOMES: Readonly<Record<string, ActOutcome>> = { denied: 'rejected', interrupted: 'interrupted' }

/**
 * Reads the result of a call: a return, or a retry prompt with the tool's error text or a list of validation errors. Such a list may concern the
 * arguments, in which case no tool ran, or a value that the tool checked while it ran (pydantic_ai, _tool_manager.py catches both), so the
 * outcome is uncertain.
 */
function resultOf(part: Located): LocatedMessage {
  const { part_kind: kind, tool_call_id: id, outcome } = asRecord(part.value)
  const isRetry = kind === 'retry-prompt'
  const content = part.member('content')
  const declared = typeof outcome === 'string' ? own(OUTCOMES, outcome) : undefined
  const told = isRetry && Array.isArray(content.value) ? 'interrupted' : declared
  const tree = {
    ...{ role: 'tool', tool_call_id: part.member('tool_call_id') },
    content: isRetry ? wordsOf(content) : contentOf(content),
    ...((isRetry || outcome === 'failed') && { is_error: true }),
  }
  return { path: part.path, tree, settles: typeof id === 'string' && told !== undefined ? [[id, told]] : [] }
}

/** Returns a text, or the leaves of any other value. */
const wordsOf = (value: Located): Tree => (typeof value.value === 'object' ? textsOf(value) : value)

/** Kinds of media by the kinds of pieces. */
const MEDIA: Readonly<Record<string, string>> = {
  ...{ 'image-url': 'image', 'audio-url': 'audio', 'video-url': 'video', 'document-url': 'document' },
  ...{ binary: 'file', 'uploaded-file': 'file', 'text-content': 'text', 'cache-point': '' },
}

const isPiece = (value: unknown): boolean =>
  typeof value === 'string' || Object.hasOwn(MEDIA, asText(asRecord(value)['kind']) ?? '')

/** Returns a content: a text, or a list of texts, links, and files with their bytes in the message; other data unchanged. */
const contentOf = (content: Located): Tree =>
  content.items().some(({ value }) => isPiece(value))
    ? content.items().flatMap((item) => (typeof item.value === 'string' ? [item] : blocksOf(item)))
    : isRecord(content.value) && isPiece(content.value)
      ? blocksOf(content)
      : content

function blocksOf(piece: Located): readonly Tree[] {
  const { kind, data, media_type, url } = asRecord(piece.value)
  const media = typeof kind === 'string' ? own(MEDIA, kind) : undefined
  if (media === undefined) return textsOf(piece)
  if (media === 'text') return [{ type: 'text', text: piece.member('content') }]
  if (media === '') return []
  const isImage = kind === 'binary' && asText(media_type)?.startsWith('image/') === true
  // Pydantic writes bytes in the URL alphabet of base64.
  const bytes = typeof data === 'string' ? data.replaceAll('-', '+').replaceAll('_', '/') : data
  const file = { media_type: piece.member('media_type'), data: new Located(bytes, piece.member('data').path) }
  const source = typeof url === 'string' ? { url: piece.member('url') } : { ...file, filename: piece.member('file_id') }
  return [{ [PLACE]: piece.path, type: isImage ? 'image' : media, source }]
}

function speechOf(part: Located): readonly Tree[] {
  const [text, audio] = [part.member('transcript'), part.member('audio')]
  const said = typeof text.value === 'string' ? [{ type: 'text', text }] : []
  return isRecord(audio.value) ? [...said, ...blocksOf(audio)] : said
}
