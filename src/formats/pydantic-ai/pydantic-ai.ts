import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf, typeName } from '../common/reading.ts'
import { addLeaves, asList, asText, mediaText, type OpenStep, settle, sinkTo } from '../common/session.ts'
import { Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'

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
const ROOT_FIELDS: ReadonlySet<string> = wordSet(`output usage run_id conversation_id model agent id metadata`)
const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`kind parts timestamp instructions run_id conversation_id metadata
  state usage model_name provider_name provider_url provider_details provider_response_id finish_reason vendor_details
  vendor_id cost instruction_parts`)

const isMessage = (item: unknown): boolean =>
  isRecord(item) &&
  (item['kind'] === 'request' || item['kind'] === 'response') &&
  Array.isArray(item['parts']) &&
  item['parts'].some((part) => isRecord(part) && typeof part['part_kind'] === 'string')

const messagesIn = (document: Json) => listIn(document, LISTS, (list) => list.some(isMessage))

function readPydanticAi(reading: Reading, document: Json): ReadDocument {
  const { list, path } = messagesIn(document) ?? { list: [], path: '/messages' }
  const dialogue = new Dialogue(reading)
  reading.warnUnknown(document, '', new Set([...ROOT_FIELDS, path.slice(1)]))
  let model = asText(document['model'])
  let instructions: unknown
  for (const [message, at] of objectsIn(reading, list, path, 'a message')) {
    reading.warnUnknownOnce(message, at, MESSAGE_FIELDS)
    model ??= asText(message['model_name'])
    dialogue.session.now = timeOf(message['timestamp'])
    // Every request of a run repeats its instructions.
    if (message['instructions'] !== instructions) {
      instructions = message['instructions'] ?? instructions
      dialogue.session.note('system', message['instructions'], `${at}/instructions`, 'instructions')
    }
    readMessage(dialogue, message, at)
  }
  const agent = { name: asText(document['agent']), model }
  return { format: 'pydantic-ai', agent, steps: dialogue.session.finish(path) }
}

function readMessage(dialogue: Dialogue, { kind, parts }: Json, path: string): void {
  const { reading, session } = dialogue
  if (!Array.isArray(parts)) {
    reading.error(`${path}/parts`, `must be an array of parts, not ${typeName(parts)}`)
    return
  }
  if (kind !== 'request' && kind !== 'response') {
    reading.unread(`${path}/kind`, 'neither a request nor a response; not read', true)
    return
  }
  const step = kind === 'response' ? session.open('agent', null) : null
  for (const [part, at] of objectsIn(reading, asList(parts), `${path}/parts`, 'a part')) {
    if (step === null) readRequestPart(dialogue, part, at)
    else readResponsePart(dialogue, step, part, at)
  }
}

const PART_FIELDS: ReadonlySet<string> = wordSet(`part_kind content timestamp dynamic_ref tool_name tool_call_id
  tool_kind metadata outcome args id provider_name provider_details signature dynamic speaker transcript audio
  interrupted_at_ms tools_added return_kind`)

/** Reads a part of a request to the model: a prompt or a tool result. */
function readRequestPart(dialogue: Dialogue, part: Json, path: string): void {
  const { session, reading } = dialogue
  const { part_kind: kind, content } = part
  reading.warnUnknownOnce(part, path, PART_FIELDS)
  if (kind === 'system-prompt' || kind === 'instruction')
    session.note('system', content, `${path}/content`, kind === 'instruction' ? 'instructions' : 'message')
  else if (kind === 'user-prompt') {
    const { parts } = session.open('other', null)
    readContent(dialogue, parts, 'user', content, `${path}/content`, 'message')
  } else if (kind === 'tool-return' || kind === 'builtin-tool-return') readReturn(dialogue, part, path)
  else if (kind === 'retry-prompt') readRetry(dialogue, part, path)
  else if (kind === 'speech') readSpeech(dialogue, session.open('other', null).parts, part, path, 'user')
  else if (kind === 'tool-availability-delta') reading.warnOnce(path, 'a change of what tools there are; not read')
  else reading.unreadRecord(path, 'kind of part', kind, part)
}

/** Reads a part of the model's response. */
function readResponsePart(dialogue: Dialogue, step: OpenStep, part: Json, path: string): void {
  const { reading } = dialogue
  const { part_kind: kind, content } = part
  const { parts } = step
  reading.warnUnknownOnce(part, path, PART_FIELDS)
  if (kind === 'text') dialogue.content(parts, 'agent_message', content, `${path}/content`, 'message')
  else if (kind === 'thinking') {
    if (content === '' && !isAbsent(part['signature']))
      reading.warnOnce(path, 'encrypted reasoning; it cannot be shown')
    dialogue.content(parts, 'agent_reasoning', content, `${path}/content`, 'reasoning')
  } else if (kind === 'tool-call' || kind === 'builtin-tool-call') {
    dialogue.call(step, {
      id: part['tool_call_id'],
      tool: asText(part['tool_name']),
      namePath: `${path}/tool_name`,
      args: part['args'],
      path: `${path}/args`,
    })
  } else if (kind === 'builtin-tool-return') readReturn(dialogue, part, path)
  else if (kind === 'file') readContent(dialogue, parts, 'agent_message', content, `${path}/content`, 'file')
  else if (kind === 'speech') readSpeech(dialogue, parts, part, path, 'agent_message')
  else if (kind === 'compaction') {
    if (typeof content === 'string')
      dialogue.content(parts, 'agent_message', content, `${path}/content`, 'compact_summary')
    else reading.warnOnce(path, 'an encrypted summary of the conversation; it cannot be shown')
  } else reading.unreadRecord(path, 'kind of part', kind, part)
}

const OUTCOMES: Readonly<Record<string, ActOutcome>> = { denied: 'rejected', interrupted: 'interrupted' }

function readReturn(dialogue: Dialogue, part: Json, path: string): void {
  const { outcome, content } = part
  const place = dialogue.session.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  const declared = typeof outcome === 'string' && Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : undefined
  settle(place.call, declared ?? outcomeOfOutput(place.tool, content, outcome === 'failed' ? true : null))
  const isContent = Array.isArray(content) || (isRecord(content) && isMedia(content))
  if (isContent) readContent(dialogue, place.parts, 'tool_output', content, `${path}/content`, place.tool)
  else dialogue.output(place.parts, content, `${path}/content`, place.tool)
}

/**
 * Reads a retry prompt: the tool's error text, or a list of validation errors. Such a list may concern the arguments, in which case no tool
 * ran, or a value that the tool checked while it ran (pydantic_ai, _tool_manager.py catches both), so the outcome is uncertain.
 */
function readRetry(dialogue: Dialogue, part: Json, path: string): void {
  const { content } = part
  if (isAbsent(part['tool_name'])) {
    const { parts } = dialogue.session.open('other', null)
    if (typeof content === 'string') dialogue.content(parts, 'system', content, `${path}/content`, 'retry')
    else addLeaves(sinkTo(dialogue.reading, parts, 'system', 'retry'), content ?? {}, `${path}/content`)
    return
  }
  const place = dialogue.session.output(part['tool_call_id'], `${path}/tool_call_id`, null)
  settle(place.call, Array.isArray(content) ? 'interrupted' : outcomeOfOutput(place.tool, content, true))
  const sink = sinkTo(dialogue.reading, place.parts, 'tool_output', `${place.tool}.retry`)
  addLeaves(sink, content ?? {}, `${path}/content`)
}

const MEDIA: Readonly<Record<string, string>> = {
  ...{ 'image-url': 'image', 'audio-url': 'audio', 'video-url': 'video', 'document-url': 'document' },
  ...{ binary: 'file', 'uploaded-file': 'file' },
}

const isMedia = ({ kind }: Json): boolean => typeof kind === 'string' && Object.hasOwn(MEDIA, kind)

/** Reads a content: text, or a list of texts, links, and files with their bytes in the message. */
function readContent(
  dialogue: Dialogue,
  parts: Part[],
  actor: Actor,
  content: unknown,
  path: string,
  name: string,
): void {
  if (Array.isArray(content)) {
    for (const [piece, at] of itemsIn(content, path)) readContent(dialogue, parts, actor, piece, at, name)
  } else if (isRecord(content) && isMedia(content)) addMedia(dialogue, parts, actor, content, path, name)
  else if (isRecord(content) && content['kind'] === 'text-content')
    dialogue.content(parts, actor, content['content'], `${path}/content`, name)
  else if (isRecord(content) && content['kind'] === 'cache-point') return
  else if (typeof content === 'string' || actor !== 'tool_output') dialogue.content(parts, actor, content, path, name)
  else dialogue.output(parts, content, path, name)
}

function addMedia(dialogue: Dialogue, parts: Part[], actor: Actor, file: Json, path: string, name: string): void {
  const { kind, url, data } = file
  const media_type = asText(file['media_type'])
  const shown =
    kind === 'binary' && media_type?.startsWith('image/') === true
      ? 'image'
      : ((typeof kind === 'string' && Object.hasOwn(MEDIA, kind) ? MEDIA[kind] : null) ?? 'file')
  const source = typeof url === 'string' ? { url } : { media_type, data: standard(data) }
  const text = mediaText(shown, typeof url === 'string' ? url : (media_type ?? file['file_id']))
  dialogue.reading.addMedia(parts, { actor, text, path, name }, shown === 'image' ? source : undefined)
}

/** Converts base64url to base64: Pydantic writes bytes in the URL alphabet. */
const standard = (data: unknown): unknown =>
  typeof data === 'string' ? data.replaceAll('-', '+').replaceAll('_', '/') : data

function readSpeech(dialogue: Dialogue, parts: Part[], part: Json, path: string, actor: Actor): void {
  const { transcript, audio } = part
  if (typeof transcript === 'string') dialogue.content(parts, actor, transcript, `${path}/transcript`, 'speech')
  if (isRecord(audio)) addMedia(dialogue, parts, actor, audio, `${path}/audio`, 'speech')
}
