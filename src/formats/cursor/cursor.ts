import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { previewOf, readContent, readPreview, wordsOf } from '../common/content.ts'
import { idText, isAbsent, isRecord, type Json, pointer, timeOf } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, keyOf, type OpenStep } from '../common/session.ts'
import { addCall, addCutCall, ProceedingCalls } from '../common/session-calls.ts'
import { listAt, type RecordTable, SessionReader } from '../common/session-reader.ts'
import type { Format } from '../format.ts'
import { outcomeWithCode, soundsTurnedDown } from '../tools/outcomes.ts'
import { namesOf } from '../vocabulary.ts'

/** The format of Cursor's command-line agent: its `stream-json`, as lines or as `steps` beside a `schema_version`. */
export const CURSOR: Format = {
  name: 'cursor',
  recognizes({ schema_version: version, steps, records }) {
    if (typeof version === 'string') return version.startsWith('cursor-jsonl') && Array.isArray(steps)
    return Array.isArray(records) && records.some(isTelling)
  },
  read(reading, document) {
    const list = listAt(document, Array.isArray(document['steps']) ? 'steps' : 'records')
    return new CursorReader(reading, 'cursor').readAll(list)
  },
}

/** Recognizes an event of Cursor; Claude Code's streams have the same envelope, but no event of a call, and no owner of the API key. */
function isTelling(event: unknown): boolean {
  const record = asRecord(event)
  const { type, subtype } = record
  if (type === 'tool_call') return isRecord(record['tool_call'])
  if (type === 'thinking') return 'session_id' in record && (subtype === 'delta' || subtype === 'completed')
  return type === 'system' && subtype === 'init' && 'apiKeySource' in record && 'cwd' in record && !('tools' in record)
}

class CursorReader extends SessionReader {
  readonly #open = new ProceedingCalls()
  /** Ids of those that a corpus cut, or whose form is unknown. */
  readonly #cut = new Set<string | null>()
  /** The step of a reply that is printed in pieces, and the text of the pieces so far. */
  #reply: { readonly step: OpenStep; text: string } | null = null

  /** Readers by the type of an event. A query is the harness's question to the user; its call follows. */
  readonly #events: RecordTable = {
    thinking: ({ text }, path) => {
      if (typeof text === 'string') this.say(this.turn(null).parts, 'agent_reasoning', text, `${path}/text`)
    },
    assistant: (event, path) => this.#assistant(event, path),
    user: (event, path) => this.#content(event, path, this.open('other', null), 'user'),
    tool_call: (event, path) => this.#toolCall(event, path),
    system: (event, path) => {
      if (event['subtype'] === 'init') this.model ??= asText(event['model'])
      else this.reading.unreadRecord(path, 'subtype of system event', event['subtype'], { ...event, type: null })
    },
    // The last event repeats the agent's messages or gives the reason for the end.
    result: ({ is_error: isError, result, error }, path) => {
      if (isError !== true) this.reading.leaveOut(path)
      else this.note('system', result ?? error, `${path}/${result === undefined ? 'error' : 'result'}`, 'result')
    },
    error: ({ message }, path) => this.note('system', message, `${path}/message`, 'error'),
  }

  override record(event: Json, path: string): void {
    this.now = timeOf(event['timestamp_ms'])
    const reply = asText(event['model_call_id'])
    this.reading.reply = reply === null ? null : { id: reply, isNamed: true }
    if (event['type'] !== 'assistant') this.#reply = null
    this.byType(this.#events, 'type of event', event, path)
  }

  /** Reads the agent's message. With `--stream-partial-output` a message comes in pieces, then once more as a whole. */
  #assistant(event: Json, path: string): void {
    const texts = asList(asRecord(event['message'])['content']).map((block) => asRecord(block)['text'])
    const whole = texts.filter((text) => typeof text === 'string').join('')
    if (this.#reply !== null && whole !== '' && whole === this.#reply.text) {
      this.reading.warnOnce(path, 'repeats the pieces of a message; shown once')
      return
    }
    const step = this.turn(asText(event['model_call_id']))
    const text = this.#reply?.step === step ? this.#reply.text : ''
    this.#reply = { step, text: text + whole }
    this.#content(event, path, step, 'agent_message')
  }

  #content(event: Json, path: string, step: OpenStep, actor: 'agent_message' | 'user'): void {
    const { content } = asRecord(event['message'])
    readContent(content, `${path}/message/content`, this.sink(step.parts, actor))
  }

  /** Reads a call: one event at the start, with the arguments, and one at the completion, with the result. */
  #toolCall(event: Json, path: string): void {
    const { reading } = this
    const { subtype, call_id: id, tool_call: made } = event
    const own = idText(id)
    const key = keyOf('call', own) ?? `at ${path}`
    const [isStart, isDone] = [subtype === 'started', subtype === 'completed']
    if (!isStart && !isDone) reading.warn(`${path}/subtype`, 'must be started or completed; read as started')
    const tool = toolOf(made, `${path}/tool_call`)
    if (tool === null) this.#unread(made, `${path}/tool_call`, key, own, isDone)
    else this.#start(tool, path, key, own, isStart)
    if (!isDone) return
    if (tool !== null) this.#complete(tool, key, path)
    this.#open.end(own)
    this.#cut.delete(own)
  }

  /** Adds a call at the place where it started. Its completion repeats the arguments, or has none. */
  #start({ name, body, path }: Tool, event: string, key: string, id: string | null, isStart: boolean): void {
    const { args } = body
    // An event of a start is a call of its own, also under the id of an open call.
    if (isStart) this.#open.end(id)
    if (isStart) this.#cut.delete(id)
    if (!this.#open.isNew(id, [name, args ?? null], isAbsent(args) || this.#cut.has(id))) return
    const step = this.turn(null)
    const made = { call: this.call(step, key, name), args: isRecord(args) ? withoutKeys(args, HARNESS_ARGS) : args }
    const place = { path: `${path}/args`, namePath: `${event}/type`, nameText: 'tool_call' }
    addCall(this, step.parts, { ...made, ...place })
  }

  /** Adds a call that a corpus cut, or of an unknown form: an act without a known target. */
  #unread(made: unknown, path: string, key: string, id: string | null, isDone: boolean): void {
    const { reading } = this
    if (isDone && this.#open.has(id)) {
      reading.unread(path, 'the end of a call, cut or of an unknown form; not shown', false)
      return
    }
    this.#open.isNew(id, null)
    this.#cut.add(id)
    const step = this.turn(null)
    const call = this.call(step, key, 'tool_call')
    if (addCutCall(this, step.parts, call, made, path)) return
    reading.warnType(path, 'form of tool call', Object.keys(asRecord(made))[0])
    addCall(this, step.parts, { call, args: made, path, namePath: null, spec: null })
  }

  #complete({ name, body, path }: Tool, key: string, event: string): void {
    const { result } = body
    const { parts, sink } = this.output(key, event, null, outcomeOf(result))
    const at = `${path}/result`
    if (previewOf(result) !== null) readPreview(result, at, sink)
    else if (!isRecord(result)) addLeaves(sink, result ?? {}, at)
    else
      for (const [kind, value] of Object.entries(result))
        if (isRecord(value)) this.#output(parts, name, value, pointer(at, kind))
        else if (typeof value === 'string') sink.text(value, pointer(at, kind))
  }

  #output(parts: Part[], name: string, value: Json, path: string): void {
    const { stdout, stderr, interleavedOutput, conversationSteps: inner } = value
    const warning = "a subagent's steps, shown as the output of its call: its acts are not told from its words"
    if (asList(inner).length > 0) this.reading.warnOnce(path, warning)
    const isMixed = stdout === undefined && stderr === undefined && typeof interleavedOutput === 'string'
    const output = { ...withoutKeys(value, HARNESS_RESULT), ...(isMixed && { interleavedOutput }) }
    addLeaves(this.sink(parts, 'tool_output', name), output, path)
  }
}

const OUTCOMES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', failure: 'failed', error: 'failed', timeout: 'interrupted', spawnError: 'interrupted' },
  ...{ rejected: 'rejected', permissionDenied: 'rejected', readPermissionDenied: 'rejected' },
  ...{ writePermissionDenied: 'rejected', aborted: 'interrupted' },
}

const HARNESS_ARGS = namesOf('cursor', 'own_arguments')
/** Members of a result that repeat its call, and the harness's own figures. */
const HARNESS_RESULT = namesOf('cursor', 'own_results')

type Tool = NonNullable<ReturnType<typeof toolOf>>

/** Returns the tool of a call: `{"shellToolCall": {…}}`, or `{"tool": {"case": "shellToolCall", "value": {…}}}`. Null for other values. */
function toolOf(made: unknown, path: string) {
  if (!isRecord(made) || previewOf(made) !== null) return null
  const { case: name, value } = asRecord(made['tool'])
  if (typeof name === 'string' && isRecord(value)) return { name, body: value, path: `${path}/tool/value` }
  const names = Object.keys(made).filter((key) => key.endsWith('ToolCall') && isRecord(made[key]))
  const [only] = names
  if (only === undefined || names.length > 1) return null
  return { name: only, body: asRecord(made[only]), path: pointer(path, only) }
}

function outcomeOf(result: unknown): ActOutcome {
  if (!isRecord(result)) return isAbsent(result) ? 'unknown' : 'answered'
  const kind = Object.keys(result).find((key) => Object.hasOwn(OUTCOMES, key))
  if (kind === undefined) return 'unknown'
  const { exitCode, aborted } = asRecord(result[kind])
  if (aborted === true) return 'interrupted'
  const outcome = OUTCOMES[kind] ?? 'unknown'
  if (typeof exitCode === 'number') return outcomeWithCode(outcome, exitCode)
  return outcome === 'failed' && soundsTurnedDown(wordsOf(result[kind])) ? 'interrupted' : outcome
}

const withoutKeys = (record: Json, keys: ReadonlySet<unknown>): Json =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.has(key)))
