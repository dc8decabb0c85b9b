import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { addLeaves, asRecord, asText, isEmpty, mediaText, type OpenStep, settle } from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { listAt, type RecordTable, SessionReader } from '../common/session-reader.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { outcomeOfResult, outcomeWithCode } from '../tools/outcomes.ts'

/** The format of opencode: an export, a session's messages, or `run --format json` (sst/opencode, session/message-v2.ts). */
export const OPENCODE: Format = {
  name: 'opencode',
  recognizes: (document) => messagesOf(document) !== null || listAt(document, 'records').list.some(isEvent),
  read: readOpencode,
  holdsSubagents: true,
}

const isMessage = (value: unknown): value is Json => {
  const { parts, info } = asRecord(value)
  return Array.isArray(parts) && ['user', 'assistant'].some((role) => asRecord(info)['role'] === role)
}

const messagesOf = (document: Json) => listIn(document, ['messages', 'records', 'data'], (list) => list.some(isMessage))

const EVENTS: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool_use', 'step_start', 'step_finish', 'error'])

function isEvent(value: unknown): boolean {
  const event = asRecord(value)
  return EVENTS.has(event['type']) && typeof event['sessionID'] === 'string' && ('part' in event || 'error' in event)
}

function readOpencode(reading: Reading, document: Json): ReadDocument {
  const reader = new OpencodeReader(reading, 'opencode')
  const messages = messagesOf(document)
  const { list, path } = messages ?? listAt(document, 'records')
  for (const [item, at] of itemsIn(list, path))
    if (messages !== null && isMessage(item)) reader.message(item, at)
    else if (messages === null && isRecord(item)) reader.record(item, at)
    else reading.odd(at, 'a message with info and parts, or an event', item)
  return reader.ended(path)
}

class OpencodeReader extends SessionReader {
  /** The id of the message that is being read, and whether the agent wrote it. */
  #name: string | null = null
  #isAgent = true

  /** Readers by the type of a part. Marks of requests and states of the folder are opencode's own. */
  readonly #parts: RecordTable = {
    text: (part, path) => this.#text(part, path, this.#speaker(part)),
    reasoning: (part, path) => this.#text(part, path, 'agent_reasoning'),
    file: (part, path) => this.#file(this.#step().parts, part, path, this.#isAgent ? 'agent_message' : 'user'),
    // A command of the user to a subagent.
    subtask: (part, path) => {
      for (const field of ['command', 'description', 'prompt'])
        this.say(this.#step().parts, 'user', part[field], `${path}/${field}`, `subtask.${field}`)
    },
    // The state of the folder behind a step, whose calls stand beside it.
    patch: (_, path) => this.reading.leaveOut(path),
    retry: ({ error }, path) => this.#error(error, `${path}/error`, 'retry'),
  }

  /** Reads a message. The agent's messages hold one step per request, headed by `step-start`. */
  message({ info, parts }: Json, path: string): void {
    const about = asRecord(info)
    this.now = timeOf(asRecord(about['time'])['created'])
    this.#name = asText(about['id'])
    this.#isAgent = about['role'] === 'assistant'
    const [provider, model] = [asText(about['providerID']), asText(about['modelID'])]
    // The last answer's model is the run's.
    if (model !== null) this.model = provider === null ? model : `${provider}/${model}`
    if (!this.#isAgent) this.note('system', about['system'], `${path}/info/system`, 'system', this.#name)
    this.open(this.#isAgent ? 'agent' : 'other', this.#name)
    for (const [part, at] of objectsIn(this.reading, parts, `${path}/parts`)) this.#part(part, at)
    this.#error(about['error'], `${path}/info/error`, 'error')
  }

  /** Reads one line of `opencode run --format json`. One step holds the agent's parts from one `step_start` to the next. */
  override record(event: Json, path: string): void {
    const { type, part, error, timestamp } = event
    this.now = timeOf(timestamp)
    this.#name = asText(asRecord(part)['messageID'])
    if (!isRecord(part) && type === 'error') this.#error(error, `${path}/error`, 'error')
    else if (!isRecord(part)) this.reading.unreadRecord(path, 'type of event', type, event)
    else if (type === 'step_start' || this.last === undefined) this.open('agent', this.#name)
    else this.#part(part, `${path}/part`)
  }

  #error(error: unknown, path: string, name: string): void {
    this.note('system', asRecord(asRecord(error)['data'])['message'], `${path}/data/message`, name)
  }

  #step(): OpenStep {
    const kind = this.#isAgent ? 'agent' : 'other'
    return this.last?.kind === kind ? this.last : this.open(kind, this.#name)
  }

  #part(part: Json, path: string): void {
    const { type } = part
    if (type === 'step-start' && this.last?.answered === true) this.open('agent', this.#name)
    if (type === 'compaction') this.reading.isCompacted = true
    if (!this.leftOut.has(type)) this.#step()
    if (type === 'tool' && this.#isAgent) this.#tool(part, path)
    else this.byType(this.#parts, 'type of part', part, path)
  }

  /** Tells the actor of a text; opencode writes contents of mentioned files and reminders as the user. */
  #speaker({ synthetic }: Json): Actor {
    return this.#isAgent ? 'agent_message' : synthetic === true ? 'system' : 'user'
  }

  #text({ type, text, ignored }: Json, path: string, actor: Actor): void {
    if (type === 'text' && ignored === true) {
      this.reading.leaveOut(path)
      this.reading.warnOnce(path, 'texts that are marked as ignored, which no model was sent, are not shown')
    } else if (typeof text === 'string') this.sink(this.#step().parts, actor).text(text, `${path}/text`)
    else this.reading.odd(`${path}/text`, 'text', text)
  }

  #file(parts: Part[], { url, mime, filename }: Json, path: string, actor: Actor): void {
    const isPicture = typeof mime === 'string' && mime.startsWith('image/')
    const text = mediaText(isPicture ? 'image' : 'file', asText(filename) ?? asText(mime) ?? url)
    const source = isPicture && typeof url === 'string' && url.startsWith('data:') ? { url } : undefined
    this.reading.addMedia(parts, { actor, text, path, name: 'file' }, source)
  }

  #tool(part: Json, path: string): void {
    const { reading } = this
    const at = `${path}/state`
    const state = asRecord(part['state'])
    const step = this.#step()
    const { input, raw, output, error } = state
    const isBare = isAbsent(input) || (isRecord(input) && isEmpty(input))
    // A call whose arguments were still being written has their text so far.
    const [args, field] = isBare && asText(raw) !== null ? [raw, 'raw'] : [input, 'input']
    const { callID: id, tool: name } = part
    const call = addNamedCall(this, step, { id, name, args, path: `${at}/${field}`, namePath: `${path}/tool` })
    settle(call, outcomeOf(reading, state, at))
    const sink = this.sink(step.outputs, 'tool_output', call.tool)
    if (typeof output === 'string') sink.text(output, `${at}/output`)
    else if (output !== undefined) addLeaves(sink, output, `${at}/output`)
    if (typeof error === 'string') sink.text(error, `${at}/error`)
    for (const [file, place] of itemsIn(state['attachments'], `${at}/attachments`))
      if (isRecord(file)) this.#file(step.outputs, file, place, 'tool_output')
    step.answered = true
    const away = 'the subagent ran in a session of its own, which is not in this file'
    if (typeof asRecord(state['metadata'])['sessionId'] === 'string')
      reading.unread(`${at}/metadata/sessionId`, away, true)
  }
}

function outcomeOf(reading: Reading, state: Json, path: string): ActOutcome {
  const { status, error, metadata } = state
  const { exit, interrupted } = asRecord(metadata)
  // A command that was stopped has no exit code, or null; a tool that is no command has none.
  if (status === 'completed' && exit === null) return 'interrupted'
  if (status === 'completed') return outcomeWithCode('ran', typeof exit === 'number' ? exit : null)
  if (status === 'error' && interrupted === true) return 'interrupted'
  if (status === 'error') return outcomeOfResult('opencode', (asText(error) ?? '').replace(/^Error: /, ''), true)
  if (status !== 'pending' && status !== 'running') return 'unknown'
  reading.warnOnce(path, `a call that was ${status} when the session was saved`)
  // A pending call never began.
  return status === 'pending' ? 'cancelled' : 'interrupted'
}
