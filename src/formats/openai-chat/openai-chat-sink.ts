import { type Act, type ActOutcome, NOT_RUN, type Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope, readBlock as readCommonBlock, readContent, wordsOf } from '../common/content.ts'
import { leavesOf, memberName } from '../common/json-tree.ts'
import type { PictureSource } from '../common/pictures.ts'
import { type ContentSink, isAbsent, isRecord, type Json, objectsIn, type Reading } from '../common/reading.ts'
import { asRecord, asText, type OpenStep, type PlacedText, Session } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { CODES, exitCodeInText, hasEnded, outcomeOfAgent, outcomeWithCode, tellsFault } from '../tools/outcomes.ts'
import { harnessOf, type OpenCall } from '../tools/tool-table.ts'

/** A call, by the record and the members that hold its name and its arguments. */
export type CallForm = Readonly<Record<'at' | 'name' | 'args', string>> & {
  readonly record: Json
  readonly id: unknown
}

/** A range of a text, in UTF-16 units, with its actor and act. */
export interface Slice {
  readonly start: number
  readonly end: number
  readonly actor: Actor
  readonly name: string
  readonly act?: Act | null
  /** The value inside of a range that is JSON: its pointer and text. */
  readonly inner?: { readonly pointer: string; readonly text: string }
}

const MAX_MENTION = 300

/** Receives the texts and calls of one conversation: resolves references, opens the envelopes of tool output, and joins answers to calls. */
export class ChatSink extends Session {
  /** The agent's step that is being read; null for the message of another speaker. */
  step: OpenStep | null = null
  calls: OpenCall[] = []
  readonly #pictures = new Map<string, PictureSource>()
  /** Outcomes that the record tells beside an answer, by the id of the call. */
  readonly #reported = new Map<string, ActOutcome | undefined>()

  constructor(reading: Reading, agent: string | null, isList = false) {
    super(reading, null, agent, isList)
  }

  /** Keeps the outcome that the record tells beside the next answer of a call. */
  report(id: string, outcome: ActOutcome | undefined): void {
    this.#reported.set(id, outcome)
  }

  /** Sets the outcome of the call with an id at its first result, unless two calls with that id wait for a result. */
  answered(id: string | null, outcomeOf: (tool: string) => ActOutcome): void {
    const call = this.answeredCall(id)
    if (call === null) return
    const outcome = outcomeOf(call.tool)
    const reported = this.#reported.get(id ?? '')
    // Words of an answer tell more of a failure than its span; that a call never ran is told by the record alone.
    call.outcome = reported !== undefined && (hasEnded(outcome) || NOT_RUN.has(reported)) ? reported : outcome
  }

  text(parts: Part[], actor: Actor, text: string, path: string, name: string): void {
    const at = this.locate(text, path)
    const leaves = actor === 'tool_output' ? openEnvelope(at.text) : null
    if (leaves === null) this.reading.add(parts, { actor, ...at, name })
    for (const { text, pointer, name: leaf } of leaves ?? [])
      this.reading.add(parts, { actor, text, path: `${at.path}#${pointer}`, name: memberName(name, leaf) })
  }

  media(parts: Part[], part: Pick<Part, 'actor' | 'text' | 'path' | 'name'>, source?: PictureSource): void {
    const isUrl = source !== undefined && 'url' in source && typeof source.url === 'string'
    this.reading.addMedia(parts, part, isUrl ? this.#locatePicture(String(source.url), part.path) : source)
  }

  /** Resolves a picture's URL, which may refer to an attachment: all references to it share one source. */
  #locatePicture(url: string, path: string): PictureSource {
    if (url.startsWith('data:') || url.length > MAX_MENTION) return { url }
    const source = this.#pictures.get(url) ?? { url: this.locate(url, path, true).text }
    this.#pictures.set(url, source)
    return source
  }

  leaves(parts: Part[], actor: Actor, value: unknown, path: string, name: string): void {
    for (const { text, pointer, name: leaf } of leavesOf(value, path))
      this.reading.add(parts, { actor, ...this.locate(text, pointer), name: memberName(name, leaf) })
  }

  /** Adds a call; its arguments are an object, JSON in a string, or a string that is the tool's input itself. */
  addCall(parts: Part[], { record, at, id, name, args }: CallForm): OpenCall {
    const tool = asText(record[name])
    if (tool === null) this.reading.warn(`${at}/${name}`, 'a tool call must name its function')
    const call = this.call(this.step, id, tool ?? 'tool_call')
    this.calls.push(call)
    const place = { path: `${at}/${args}`, namePath: tool === null ? null : `${at}/${name}` }
    const before = parts.length
    addCall(this, parts, { call, args: record[args], isInput: true, ...place })
    if (tool === null && parts.length === before) this.reading.countUnread(at, true)
    return call
  }
}

/** Adds ranges of a text, each under `pointer#char=start,end` (RFC 5147); where the range is JSON, `#` and a pointer into it follow. */
export function addSlices(reading: Reading, parts: Part[], { text, path }: PlacedText, slices: readonly Slice[]): void {
  for (const { start, end, actor, name, act = null, inner } of slices) {
    const whole = start === 0 && end === text.length
    const at = whole ? path : `${path}#char=${start},${end}`
    if (inner === undefined) reading.add(parts, { actor, text: text.slice(start, end), path: at, name, act })
    else reading.add(parts, { actor, text: inner.text, path: `${at}#${inner.pointer}`, name, act })
  }
}

/** Returns the speaker of a content whose parts stand in one list. */
export const speaking = (actor: Actor, parts: Part[], name = 'message') => ({ actor, name, parts, outputs: parts })
/** The speaker of a content, and its part lists; `outputs`: tool results, which belong to the agent's step. */
export type Speaker = Readonly<ReturnType<typeof speaking>>

export const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool-call'])
const REASONING: ReadonlySet<unknown> = new Set(['reasoning', 'thinking', 'think', 'redacted_thinking'])
export const AGENT_ONLY: ReadonlySet<unknown> = new Set([...CALLS, ...REASONING])

/** Reads the content of a message: text, a block, or an array of blocks as OpenAI, Anthropic and Inspect write them, or nothing. */
export function readBlocks(sink: ChatSink, content: unknown, path: string, speaker: Speaker): void {
  const { actor, name, parts } = speaker
  const pieces: ContentSink = {
    reading: sink.reading,
    text: (text, at) => sink.text(parts, actor, text, at, name),
    media: (text, at, kind, source) => {
      const isInside = source !== undefined && 'url' in source && asText(source.url)?.startsWith('data:') === true
      sink.media(parts, { actor, text: isInside ? `[${kind}]` : text, path: at, name }, source)
    },
  }
  if (isRecord(content) && typeof content['type'] === 'string') readBlock(sink, content, path, speaker, pieces)
  else readContent(content, path, pieces, (block, at) => readBlock(sink, block, at, speaker, pieces))
}

function readBlock(sink: ChatSink, block: Json, path: string, speaker: Speaker, pieces: ContentSink): void {
  const { type } = block
  const { actor, name, parts } = speaker
  if (AGENT_ONLY.has(type) && actor !== 'agent_message') {
    // A tool may print text that resembles an act of the agent.
    const warning = `a block of type ${String(type)} that is not in a message of the agent; not read as its own`
    sink.reading.warn(path, warning)
    sink.leaves(parts, actor, block, path, name)
  } else if (REASONING.has(type)) readReasoning(sink, block, path, parts)
  else if (CALLS.has(type)) readCallBlock(sink, block, path, speaker)
  else if (isResult(type)) readResultBlock(sink, block, path, speaker)
  else if (type === 'refusal') readString(sink, block, 'refusal', path, { ...speaker, name: 'refusal' })
  else readCommonBlock(block, path, pieces, actor === 'agent_message')
}

export const isResult = (type: unknown): boolean =>
  typeof type === 'string' && (type === 'tool-result' || type.endsWith('tool_result'))

function readString(sink: ChatSink, block: Json, field: string, path: string, speaker: Speaker): void {
  const value = block[field]
  if (typeof value === 'string') sink.text(speaker.parts, speaker.actor, value, `${path}/${field}`, speaker.name)
  else if (!isAbsent(value)) sink.reading.odd(`${path}/${field}`, 'text', value)
}

/** Reads a block of reasoning: Inspect's `reasoning` and `summary`, Anthropic's `thinking`, Responses' `summary: [{text}]`. */
export function readReasoning(sink: ChatSink, block: Json, path: string, parts: Part[]): void {
  const speaker = speaking('agent_reasoning', parts, 'reasoning')
  const hidden = block['redacted'] === true || block['type'] === 'redacted_thinking'
  if (hidden) sink.reading.warnOnce(path, 'reasoning that the provider redacted is not readable; not shown')
  else {
    for (const field of ['reasoning', 'thinking', 'think']) readString(sink, block, field, path, speaker)
    readBlocks(sink, block['content'], `${path}/content`, speaker)
  }
  readBlocks(sink, block['summary'], `${path}/summary`, { ...speaker, name: 'reasoning.summary' })
}

const INNER = ['function', 'custom'] as const
const NAMES = ['toolName', 'function', 'name'] as const
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters'] as const

/** Returns the form of a call: of OpenAI's chat, functions or Responses, of Inspect, Anthropic or the AI SDK. */
export function formOfCall(call: Json, path = ''): CallForm {
  const { type, id, call_id, toolCallId } = call
  const inner = INNER.find((name) => isRecord(call[name]))
  const record = inner === undefined ? call : asRecord(call[inner])
  return {
    record,
    at: inner === undefined ? path : `${path}/${inner}`,
    id: type === 'function_call' ? call_id : (toolCallId ?? id ?? call_id),
    name: NAMES.find((name) => name in record) ?? 'name',
    args: ARGUMENTS.find((name) => name in record) ?? 'arguments',
  }
}

export function readToolCalls(sink: ChatSink, parts: Part[], calls: unknown, path: string): void {
  for (const [call, at] of objectsIn(sink.reading, calls, path)) {
    const isBroken = !isAbsent(call['parse_error'])
    const warning = 'the harness could not parse this call, so it did not run it'
    if (isBroken) sink.reading.warn(`${at}/parse_error`, warning)
    const open = sink.addCall(parts, formOfCall(call, at))
    if (isBroken) open.outcome = 'rejected'
  }
}

function readCallBlock(sink: ChatSink, block: Json, path: string, { parts }: Speaker): void {
  const { tool: name } = sink.addCall(parts, formOfCall(block, path))
  // Inspect puts the result of a provider's tool into the same block.
  readOutput(sink, parts, block['result'], `${path}/result`, name)
  readString(sink, block, 'error', path, speaking('tool_output', parts, name))
}

function readResultBlock(sink: ChatSink, block: Json, path: string, speaker: Speaker): void {
  const id = block['tool_use_id'] ?? block['toolCallId']
  const answered = typeof id === 'string' ? sink.toolOf(id) : undefined
  const field = 'content' in block ? 'content' : 'output' in block ? 'output' : 'result'
  const wrapped = field === 'output' ? wrappedOf(block) : null
  const content = wrapped === null ? (block['content'] ?? block['output']) : wrapped.value
  if (typeof id === 'string')
    sink.answered(id, (tool) => {
      if (wrapped?.isDenied) return 'rejected'
      const flagged = wrapped?.is_error ? { ...block, is_error: true } : block
      return outcomeOfMessage(sink.agent, tool, flagged, content)
    })
  if (answered === undefined)
    sink.reading.unread(path, 'a tool result that answers no call before it; shown at its place', true)
  const own = block['name'] ?? block['toolName']
  const name = answered ?? (typeof own === 'string' && own !== '' ? own : 'tool_result')
  const at = wrapped === null ? `${path}/${field}` : `${path}/${field}/${wrapped.member}`
  const value = wrapped === null ? block[field] : wrapped.value
  readOutput(sink, speaker.outputs, value, at, name)
}

/** The AI SDK's types of outputs (vercel/ai, ToolResultOutput, since version 5): the member with the content, and the error flag. */
const WRAPPED: Readonly<Record<string, readonly ['value' | 'reason', boolean]>> = {
  ...{ text: ['value', false], json: ['value', false], content: ['value', false] },
  ...{ 'error-text': ['value', true], 'error-json': ['value', true], 'execution-denied': ['reason', true] },
}

/** Opens the output of a `tool-result`, the only block in which the SDK wraps it: the tool's own value is below `value`. */
function wrappedOf({ type, output }: Json) {
  if (type !== 'tool-result' || !isRecord(output) || typeof output['type'] !== 'string') return null
  const [member, is_error] = (Object.hasOwn(WRAPPED, output['type']) && WRAPPED[output['type']]) || []
  if (member === undefined || (member === 'value' && !('value' in output))) return null
  return { member, is_error, isDenied: member === 'reason', value: output[member] }
}

/** Reads a tool's output: as content where it has that form, else every leaf. */
export function readOutput(sink: ChatSink, parts: Part[], value: unknown, path: string, name: string): void {
  const isContent =
    typeof value === 'string' || (Array.isArray(value) && value.every((item) => isRecord(item) && 'type' in item))
  if (isAbsent(value)) return
  if (isContent) readBlocks(sink, value, path, speaking('tool_output', parts, name))
  else sink.leaves(parts, 'tool_output', value, path, name)
}

/** Types of Inspect's `ToolCallError` for a call that did not run, or not to its end. */
const NOT_CARRIED_OUT: Readonly<Record<string, ActOutcome>> = {
  approval: 'rejected',
  parsing: 'rejected',
  cancelled: 'cancelled',
  timeout: 'interrupted',
}

/** Derives an outcome from a message: Inspect's `error`, Anthropic's `is_error`, or a return code (mini-swe-agent: `extra`, or an envelope). */
export function outcomeOfMessage(agent: string | null, tool: string, message: Json, content: unknown): ActOutcome {
  const { error, is_error: flag, extra } = message
  const type = isRecord(error) ? error['type'] : null
  if (typeof type === 'string' && Object.hasOwn(NOT_CARRIED_OUT, type)) return NOT_CARRIED_OUT[type] ?? 'unknown'
  const hasError = isRecord(error) || (typeof error === 'string' && error !== '') || tellsFault(message)
  const isError = hasError ? true : typeof flag === 'boolean' ? flag : null
  const text = wordsOf(content) || wordsOf(isRecord(error) ? error['message'] : error)
  const outcome = outcomeOfAgent(agent, tool, text, isError)
  // The loop of a program may write the flag as a constant.
  if (isError === false) return harnessOf(agent) === null && outcome === 'ran' ? 'answered' : outcome
  const noted = isRecord(extra) ? extra['returncode'] : null
  const code = [noted, ...CODES.map((name) => message[name])].find((one) => typeof one === 'number')
  return outcomeWithCode(outcome, code ?? exitCodeInText(harnessOf(agent), text))
}

/** Derives an outcome from a result; a library's flag of no error says nothing about the command, so the texts decide, or an exit code. */
export function outcomeOfOutput(tool: string, value: unknown, isError: boolean | null): ActOutcome {
  if (isRecord(value)) {
    const code = CODES.map((name) => value[name]).find((code) => typeof code === 'number')
    const flag = isError === true || tellsFault(value) || (isError ?? value['isError'])
    const isFailure = typeof flag === 'boolean' ? flag : code === undefined ? null : false
    const outcome = outcomeOfAgent(null, tool, wordsOf(value['content'] ?? value), isFailure)
    if (code === undefined) return outcome === 'ran' ? 'answered' : outcome
    return outcomeWithCode(outcome, code)
  }
  const text = wordsOf(value)
  return outcomeWithCode(outcomeOfAgent(null, tool, text, isError), exitCodeInText(null, text))
}
