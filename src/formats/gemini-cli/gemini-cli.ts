import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { readContent } from '../common/content.ts'
import { type ContentSink, idText, isRecord, itemsIn, type Json, objectsIn, timeOf } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, mediaText, type OpenStep, settle } from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { listAt, SessionReader } from '../common/session-reader.ts'
import type { Format } from '../format.ts'
import { exitCodeInText, matchWords, outcomeOfResult as outcomeInWords, outcomeWithCode } from '../tools/outcomes.ts'

/** The format of Gemini CLI: a recorded chat, also as lines (a repeated line replaces a message), or its `stream-json`. */
export const GEMINI_CLI: Format = {
  name: 'gemini-cli',
  recognizes: recognizesGemini,
  read(reading, document) {
    const reader = new GeminiReader(reading, 'gemini-cli')
    if (Array.isArray(document['messages'])) return reader.readAll(listAt(document, 'messages'))
    const { list, path } = listAt(document, 'records')
    if (isStream(list)) for (const [event, at] of objectsIn(reading, list, path)) reader.event(event, at)
    else reader.readLines(list)
    return reader.ended(path)
  },
}

function recognizesGemini({ messages, records, sessionId, projectHash }: Json): boolean {
  if (Array.isArray(messages))
    return typeof sessionId === 'string' && (typeof projectHash === 'string' || messages.some(isModelMessage))
  if (!Array.isArray(records)) return false
  return records.some((record) => isHead(record) || isModelMessage(record)) || isStream(records)
}

const isModelMessage = (record: unknown): boolean =>
  isRecord(record) && record['type'] === 'gemini' && 'content' in record

const isHead = (record: unknown): boolean =>
  typeof asRecord(record)['sessionId'] === 'string' && typeof asRecord(record)['projectHash'] === 'string'

const isStream = (records: readonly unknown[]): boolean =>
  records.map(asRecord).some(({ type, session_id: session }) => type === 'init' && typeof session === 'string')

const NOTICES: ReadonlySet<unknown> = new Set(['info', 'warning', 'error'])

class GeminiReader extends SessionReader {
  override record(message: Json, path: string): void {
    const { type, content } = message
    this.now = timeOf(message['timestamp'])
    const name = asText(message['id'])
    if (type === 'gemini') this.#reply(message, path, name)
    else if (type === 'user' || NOTICES.has(type)) {
      const { parts } = this.open('other', name)
      readParts(content, `${path}/content`, this.sink(parts, type === 'user' ? 'user' : 'system'))
    } else this.reading.unreadRecord(path, 'type of message', type, message)
  }

  #reply({ content, thoughts, toolCalls, model }: Json, path: string, name: string | null): void {
    this.model ??= asText(model)
    const step = this.open('agent', name)
    for (const [thought, at] of itemsIn(thoughts, `${path}/thoughts`)) {
      const { subject, description } = asRecord(thought)
      this.say(step.parts, 'agent_reasoning', thought, at)
      this.say(step.parts, 'agent_reasoning', subject, `${at}/subject`)
      this.say(step.parts, 'agent_reasoning', description, `${at}/description`)
    }
    this.#content(content, `${path}/content`, step, asList(toolCalls))
    for (const [call, at] of objectsIn(this.reading, toolCalls, `${path}/toolCalls`)) this.#call(call, at, step)
  }

  /** Reads the parts of a reply: reasoning and calls stand among its texts. `toolCalls` shows its own calls, with their results. */
  #content(content: unknown, path: string, step: OpenStep, calls: readonly unknown[]): void {
    const made = new Set(calls.filter(isRecord).flatMap((call) => [wordsKey(call), bareKey(call)]))
    for (const [part, at] of Array.isArray(content) ? itemsIn(content, path) : [[content, path] as const]) {
      const { functionCall: call, ...rest } = asRecord(part)
      const words = this.sink(step.parts, asRecord(part)['thought'] === true ? 'agent_reasoning' : 'agent_message')
      readParts(isRecord(call) ? rest : part, at, words)
      if (!isRecord(call) || made.has(wordsKey(call)) || (isBare(call) && made.has(bareKey(call)))) continue
      const { name, args } = call
      const own = `${at}/functionCall`
      addNamedCall(this, step, { id: null, name, args, path: `${own}/args`, namePath: `${own}/name` })
    }
  }

  #call(call: Json, path: string, step: OpenStep): void {
    const { name, args, status, result, resultDisplay: display } = call
    const made = addNamedCall(this, step, { id: null, name, args, path: `${path}/args`, namePath: `${path}/name` })
    settle(made, outcomeOfCall(call))
    const output = this.sink(step.outputs, 'tool_output', made.tool)
    const { length } = step.outputs
    readParts(result, `${path}/result`, output)
    // The display of a call that never began shows people what the call would do.
    if (step.outputs.length > length || NOT_BEGUN.has(status)) this.reading.leaveOut(`${path}/resultDisplay`)
    // The display that people saw, where the file holds no text of the result.
    else if (typeof display === 'string') output.text(display, `${path}/resultDisplay`)
    else addLeaves(output, display, `${path}/resultDisplay`)
  }

  /** Reads a chat that was written line by line: each message at its first place, in its last version. */
  readLines(records: readonly unknown[]): void {
    const { reading } = this
    const messages = new Map<string, readonly [message: unknown, path: string]>()
    const take = (message: unknown, path: string): void => {
      const id = asText(asRecord(message)['id'])
      messages.set(id === null ? `at ${path}` : `id ${id}`, [message, path])
    }
    const takeAll = (list: unknown, path: string): void => {
      for (const [message, at] of itemsIn(list, path)) take(message, at)
    }
    for (const [record, path] of itemsIn(records, '/records')) {
      if (!isRecord(record) || 'type' in record) take(record, path)
      else if (isRecord(record['$set'])) takeAll(record['$set']['messages'], `${path}/$set/messages`)
      else if ('$rewindTo' in record) reading.warn(path, 'the chat was wound back; what was said before stays shown')
      else if (!isHead(record)) reading.unreadRecord(path, 'type of record', undefined, record)
      else takeAll(record['messages'], `${path}/messages`)
    }
    for (const [message, path] of messages.values())
      if (isRecord(message)) this.record(message, path)
      else reading.odd(path, 'a message', message)
  }

  event(event: Json, path: string): void {
    const { type, role, content, tool_id: id, tool_name: tool, parameters, output, error, message } = event
    this.now = timeOf(event['timestamp'])
    if (type === 'init') this.model ??= asText(event['model'])
    else if (type === 'message' && role === 'user') this.note('user', content, `${path}/content`, 'message')
    else if (type === 'message') {
      if (typeof content !== 'string') this.reading.odd(`${path}/content`, 'text', content)
      else this.say(this.turn(null).parts, 'agent_message', content, `${path}/content`)
    } else if (type === 'tool_use') {
      const place = { path: `${path}/parameters`, namePath: `${path}/tool_name` }
      const kind = { text: type, path: `${path}/type` }
      addNamedCall(this, this.turn(null), { id, name: tool, args: parameters, type: kind, ...place })
    } else if (type === 'tool_result') {
      const { sink } = this.output(id, `${path}/tool_id`, null, outcomeOfEvent(event))
      readParts(output, `${path}/output`, sink)
      const words = asRecord(error)['message']
      if (typeof words === 'string' && words !== output) sink.text(words, `${path}/error/message`)
    } else if (type === 'error') this.note('system', message, `${path}/message`, 'error')
    else if (type !== 'result') this.reading.unreadRecord(path, 'type of event', type, event)
  }
}

/** Reads a list of parts of the API: text, `{text}`, `{inlineData}`, `{functionResponse}`, or an array of them. */
function readParts(content: unknown, path: string, sink: ContentSink): void {
  if (isRecord(content)) readPart(content, path, sink)
  else readContent(content, path, sink, readPart)
}

function readPart(part: Json, path: string, sink: ContentSink): void {
  const { text, inlineData, fileData, functionResponse, ...others } = part
  const { thoughtSignature: _signature, thought: _thought, ...rest } = others
  if (typeof text === 'string') sink.text(text, `${path}/text`)
  if (isRecord(inlineData)) {
    const { mimeType: media_type, data } = inlineData
    const isPicture = typeof media_type === 'string' && media_type.startsWith('image/')
    sink.media(mediaText('media', media_type), path, 'media', isPicture ? { media_type, data } : undefined)
  }
  if (isRecord(fileData)) sink.media(mediaText('file', fileData['fileUri'] ?? fileData['mimeType']), path, 'file')
  if (isRecord(functionResponse)) {
    const at = `${path}/functionResponse`
    addLeaves(sink, functionResponse['response'] ?? {}, `${at}/response`)
    for (const [inner, place] of itemsIn(functionResponse['parts'], `${at}/parts`))
      if (isRecord(inner)) readPart(inner, place, sink)
  }
  addLeaves(sink, rest, path)
}

/** Recognizes a call without arguments yet, which a later call with its id and tool repeats. */
const isBare = ({ args }: Json): boolean => !isRecord(args) || Object.keys(args).length === 0
const bareKey = ({ id, name }: Json): string | null =>
  idText(id) === null ? null : JSON.stringify([idText(id), asText(name)])

/** Returns the tool and arguments of a call as a key without its id: two acts under one id are two acts. */
const wordsKey = ({ name, args }: Json): string => JSON.stringify([asText(name), args ?? {}])

/** Derives the outcome of a call from `status` (packages/core/src/scheduler/types.ts) and the scheduler's words of a rejection. */
function outcomeOfCall({ status, result }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(wordsIn(result, 'output'))
  const words = wordsIn(result, 'error')
  const outcome = outcomeInWords('gemini-cli', words, true)
  if (status === 'cancelled') return outcome === 'interrupted' ? outcome : 'cancelled'
  if (status === 'error') return outcome
  // A waiting call never began; an executing call has no recorded end.
  return NOT_BEGUN.has(status) ? 'cancelled' : status === 'executing' ? 'interrupted' : 'unknown'
}

const NOT_BEGUN: ReadonlySet<unknown> = new Set(['validating', 'scheduled', 'awaiting_approval'])

function outcomeOfEvent({ status, error, output }: Json): ActOutcome {
  if (status === 'success') return outcomeOfOutput(asText(output) ?? '')
  const words = asText(asRecord(error)['message'] ?? output) ?? ''
  return status === 'error' ? outcomeInWords('gemini-cli', words, true) : 'unknown'
}

/** Derives the outcome from a tool's output: a failed or stopped command is a success of the tool, and its own lines tell the failure. */
const outcomeOfOutput = (output: string): ActOutcome =>
  matchWords('gemini-cli', output)?.outcome === 'interrupted' || STOPPED.test(output.slice(-TAIL))
    ? 'interrupted'
    : outcomeWithCode('ran', exitCodeInText('gemini-cli', output))

const TAIL = 1000
/** Last lines of a command that a signal stopped. */
const STOPPED = /\n(?:Signal: (?!0\n|0$|\(none\))|Exit Code: \(none\))/

/** Returns a member of the first function response: `[{functionResponse: {response: {error, output}}}]`. */
function wordsIn(result: unknown, member: 'error' | 'output'): string {
  const first: unknown = Array.isArray(result) ? result.find(isRecord) : result
  return asText(asRecord(asRecord(asRecord(first)['functionResponse'])['response'])[member]) ?? ''
}
