import type { ActOutcome } from '../../domain/trajectory/act.ts'
import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { wordsOf } from '../common/content.ts'
import type { PictureSource } from '../common/pictures.ts'
import { cutName, isAbsent, isRecord, itemsIn, type Json, typeName } from '../common/reading.ts'
import { mayAct } from '../common/unread-acts.ts'
import { harnessOf } from '../tools/lookup.ts'
import { exitCodeSaid, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import { named, own } from '../tools/tool-table.ts'
import { addCall, type ChatSink } from './openai-chat-sink.ts'

/** Whose content it is, and where it goes. What a tool answered has a list of its own: it belongs to the agent's step. */
export interface Speaker {
  readonly actor: Actor
  readonly name: string
  readonly parts: Part[]
  readonly outputs: Part[]
}

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'summary_text'])
const MEDIA: Readonly<Record<string, string>> = {
  ...{ ...named('image', 'image image_url input_image'), ...named('audio', 'audio input_audio') },
  ...{ ...named('video', 'video video_url'), ...named('file', 'file input_file'), document: 'document' },
}
export const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool-call'])
const REASONING: ReadonlySet<unknown> = new Set(['reasoning', 'thinking', 'redacted_thinking'])
export const AGENT_ONLY: ReadonlySet<unknown> = new Set([...CALLS, ...REASONING])
const MAX_MEDIA_PATH = 300

/** The content of a message: text, or an array of blocks as OpenAI, Anthropic and Inspect write them, or nothing. */
export function readBlocks(sink: ChatSink, content: unknown, path: string, speaker: Speaker): void {
  if (isAbsent(content)) return
  const { actor, name, parts } = speaker
  if (typeof content === 'string') sink.text(parts, actor, content, path, name)
  else if (Array.isArray(content)) {
    for (const [block, at] of itemsIn(content, path)) readItem(sink, block, at, speaker)
  } else if (isRecord(content) && typeof content['type'] === 'string') readBlock(sink, content, path, speaker)
  else sink.reading.error(path, `must be text or an array of content blocks, not ${typeName(content)}`)
}

function readItem(sink: ChatSink, block: unknown, path: string, speaker: Speaker): void {
  if (typeof block === 'string') sink.text(speaker.parts, speaker.actor, block, path, speaker.name)
  else if (isRecord(block)) readBlock(sink, block, path, speaker)
  else sink.reading.error(path, `a content block must be an object, not ${typeName(block)}`)
}

function readBlock(sink: ChatSink, block: Json, path: string, speaker: Speaker): void {
  const { type } = block
  const { actor, name, parts } = speaker
  if (TEXTS.has(type)) {
    if (typeof block['text'] === 'string') sink.text(parts, actor, block['text'], `${path}/text`, name)
    else sink.reading.error(`${path}/text`, `must be text, not ${typeName(block['text'])}`)
  } else if (type === 'refusal') readString(sink, block, 'refusal', path, { ...speaker, name: 'refusal' })
  else if (AGENT_ONLY.has(type) && actor !== 'agent_message') {
    // A tool may print whatever it likes, also what looks like an act of the agent.
    sink.reading.warn(
      path,
      `a block of type ${String(type)} that is not in a message of the agent; not read as its own`,
    )
    sink.leaves(parts, actor, block, path, name)
  } else if (REASONING.has(type)) readReasoning(sink, block, path, parts)
  else if (CALLS.has(type)) readCallBlock(sink, block, path, speaker)
  else if (isResult(type)) readResultBlock(sink, block, path, speaker)
  else readOther(sink, block, path, speaker)
}

export const isResult = (type: unknown): boolean =>
  typeof type === 'string' && (type === 'tool-result' || type.endsWith('tool_result'))

function readString(sink: ChatSink, block: Json, field: string, path: string, speaker: Speaker): void {
  const value = block[field]
  if (typeof value === 'string') sink.text(speaker.parts, speaker.actor, value, `${path}/${field}`, speaker.name)
  else if (!isAbsent(value)) sink.reading.error(`${path}/${field}`, `must be text, not ${typeName(value)}`)
}

/** Inspect: `reasoning`, with a `summary` where it is redacted. Anthropic: `thinking`. Responses: `summary: [{text}]`. */
export function readReasoning(sink: ChatSink, block: Json, path: string, parts: Part[]): void {
  const speaker: Speaker = { actor: 'agent_reasoning', name: 'reasoning', parts, outputs: parts }
  const hidden = block['redacted'] === true || block['type'] === 'redacted_thinking'
  if (hidden) sink.reading.warnOnce(path, 'reasoning that the provider redacted is not readable; not shown')
  else {
    readString(sink, block, 'reasoning', path, speaker)
    readString(sink, block, 'thinking', path, speaker)
    readBlocks(sink, block['content'], `${path}/content`, speaker)
  }
  readBlocks(sink, block['summary'], `${path}/summary`, { ...speaker, name: 'reasoning.summary' })
}

function readCallBlock(sink: ChatSink, block: Json, path: string, speaker: Speaker): void {
  const idField = 'toolCallId' in block ? 'toolCallId' : 'id'
  const nameField = 'toolName' in block ? 'toolName' : 'name'
  const argsField = 'arguments' in block ? 'arguments' : 'args' in block ? 'args' : 'input'
  addCall(sink, speaker.parts, {
    id: block[idField],
    name: block[nameField],
    namePath: `${path}/${nameField}`,
    args: block[argsField],
    argsPath: `${path}/${argsField}`,
  })
  // Inspect puts the answer of a tool that ran at the provider into the same block.
  const name = typeof block[nameField] === 'string' ? block[nameField] : 'tool_call'
  const output: Speaker = { actor: 'tool_output', name, parts: speaker.parts, outputs: speaker.parts }
  readAnything(sink, block['result'], `${path}/result`, output)
  readString(sink, block, 'error', path, output)
}

function readResultBlock(sink: ChatSink, block: Json, path: string, speaker: Speaker): void {
  const id = block['tool_use_id'] ?? block['toolCallId']
  const known = typeof id === 'string' ? sink.names.get(id) : undefined
  const field = 'content' in block ? 'content' : 'output' in block ? 'output' : 'result'
  const wrapped = field === 'output' ? wrappedOf(block) : null
  const content = wrapped === null ? (block['content'] ?? block['output']) : wrapped.value
  if (typeof id === 'string')
    sink.answered(id, (tool) => {
      if (wrapped?.isDenied) return 'rejected'
      const told = wrapped?.is_error ? { ...block, is_error: true } : block
      return outcomeOfMessage(sink.agent, tool, told, content)
    })
  if (known === undefined) sink.reading.warn(path, 'a tool result that answers no call before it')
  const own = block['name'] ?? block['toolName']
  const name = known ?? (typeof own === 'string' && own !== '' ? own : 'tool_result')
  const { outputs } = speaker
  const at = wrapped === null ? `${path}/${field}` : `${path}/${field}/${wrapped.member}`
  const value = wrapped === null ? block[field] : wrapped.value
  readAnything(sink, value, at, { actor: 'tool_output', name, parts: outputs, outputs })
}

/** The AI SDK's kinds of outputs (vercel/ai, ToolResultOutput, since version 5): the member that holds what came, and whether it is an error. */
const WRAPPED: Readonly<Record<string, readonly ['value' | 'reason', boolean]>> = {
  ...{ text: ['value', false], json: ['value', false], content: ['value', false] },
  ...{ 'error-text': ['value', true], 'error-json': ['value', true], 'execution-denied': ['reason', true] },
}

/** Only of a `tool-result`, where the SDK writes it: what a tool itself brought is below `value`. */
function wrappedOf({ type, output }: Json) {
  if (type !== 'tool-result' || !isRecord(output) || typeof output['type'] !== 'string') return null
  const [member, is_error] = (Object.hasOwn(WRAPPED, output['type']) && WRAPPED[output['type']]) || []
  if (member === undefined || (member === 'value' && !('value' in output))) return null
  return { member, is_error, isDenied: member === 'reason', value: output[member] }
}

/** Content where it is content, else every leaf of whatever the tool answered. */
function readAnything(sink: ChatSink, value: unknown, path: string, speaker: Speaker): void {
  const isContent =
    typeof value === 'string' || (Array.isArray(value) && value.every((item) => isRecord(item) && 'type' in item))
  if (isAbsent(value)) return
  if (isContent) readBlocks(sink, value, path, speaker)
  else sink.leaves(speaker.parts, speaker.actor, value, path, speaker.name)
}

function readOther(sink: ChatSink, block: Json, path: string, speaker: Speaker): void {
  const { type, text } = block
  const { actor, name, parts } = speaker
  const kind = typeof type === 'string' ? own(MEDIA, type) : undefined
  if (kind === 'document' && isRecord(block['source']) && readDocument(sink, block['source'], path, speaker)) return
  if (kind !== undefined) {
    sink.media(
      parts,
      { actor, text: placeholderOf(block, kind), path, name },
      kind === 'image' ? pictureOf(block) : undefined,
    )
    return
  }
  const shown = typeof type === 'string' ? cutName(type) : 'none'
  if (actor === 'agent_message' && mayAct(block)) sink.reading.countUnread(path, true)
  sink.reading.warn(`${path}/type`, `unknown type of content block: ${shown}`)
  if (typeof text === 'string') sink.text(parts, actor, text, `${path}/text`, name)
  else sink.leaves(parts, actor, block, path, shown)
}

/** Anthropic's documents may be plain text or content blocks: then the model read them, and so must we. */
function readDocument(sink: ChatSink, source: Json, path: string, speaker: Speaker): boolean {
  if (source['type'] === 'text' && typeof source['data'] === 'string')
    sink.text(speaker.parts, speaker.actor, source['data'], `${path}/source/data`, speaker.name)
  else if (source['type'] === 'content') readBlocks(sink, source['content'], `${path}/source/content`, speaker)
  else return false
  return true
}

/** OpenAI’s URLs, Inspect’s `image`, Anthropic’s `source`, the AI SDK’s `image` with its `mediaType`. */
function pictureOf(block: Json): PictureSource {
  const held = block['image_url'] ?? block['image'] ?? block['source']
  if (isRecord(held))
    return 'data' in held ? { media_type: held['media_type'], data: held['data'] } : { url: held['url'] }
  const type = block['mediaType'] ?? block['mimeType']
  const isUrl = typeof held !== 'string' || held.slice(0, 40).includes(':')
  return isUrl || type === undefined ? { url: held } : { media_type: type, data: held }
}

/** `[image: https://…]`; pictures that stand in the file have no name to show. */
function placeholderOf(block: Json, kind: string): string {
  const held = block[kind] ?? block[`${kind}_url`] ?? block['source'] ?? block['document']
  const place = isRecord(held) ? (held['url'] ?? held['filename'] ?? held['path']) : (held ?? block['filename'])
  if (typeof place !== 'string' || place === '' || place.startsWith('data:') || place.includes('://') === false)
    return `[${kind}]`
  if (place.startsWith('attachment://') || place.startsWith('tc://')) return `[${kind}]`
  return `[${kind}: ${place.length > MAX_MEDIA_PATH ? `${place.slice(0, MAX_MEDIA_PATH).toWellFormed()}…` : place}]`
}

/** Inspect's types of `ToolCallError` that say that the call was not carried out, or not to its end. */
const NOT_CARRIED_OUT: Readonly<Record<string, ActOutcome>> = {
  approval: 'rejected',
  parsing: 'rejected',
  cancelled: 'cancelled',
  timeout: 'interrupted',
}

/**
 * What became of a call of a tool, from the message that answers it: Inspect's `error`, Anthropic's `is_error`, a return code, which
 * mini-swe-agent notes in `extra` or wraps around the output. A message without any of them is an answer: the call ran.
 */
export function outcomeOfMessage(agent: string | null, tool: string, message: Json, content: unknown): ActOutcome {
  const { error, is_error: flag, extra } = message
  const type = isRecord(error) ? error['type'] : null
  if (typeof type === 'string' && Object.hasOwn(NOT_CARRIED_OUT, type)) return NOT_CARRIED_OUT[type] ?? 'unknown'
  const hasError = isRecord(error) || (typeof error === 'string' && error !== '')
  const isError = hasError ? true : typeof flag === 'boolean' ? flag : null
  const text = wordsOf(content) || wordsOf(isRecord(error) ? error['message'] : error)
  const told = outcomeOfAgent(agent, tool, text, isError)
  if (isError === false) return told
  const noted = isRecord(extra) ? extra['returncode'] : null
  return outcomeWithCode(told, typeof noted === 'number' ? noted : exitCodeSaid(harnessOf(agent), text))
}
