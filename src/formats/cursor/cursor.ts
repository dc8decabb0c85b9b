import { wordSet } from '../../domain/text/words.ts'
import { isRecord, type Json, pointer, type Reading, timeOf, typeName } from '../common/reading.ts'
import {
  asList,
  asRecord,
  asText,
  type OpenStep,
  Session,
  sinkTo,
  unreadRecord,
  warnUnknownOnce,
} from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { CURSOR_TOOLS } from '../tools/cursor.ts'
import { CursorCalls } from './cursor-calls.ts'

/**
 * Cursor's agent on the command line: what `--output-format stream-json` prints, as JSON lines, or as `steps` of a document whose
 * `schema_version` begins with `cursor-jsonl`.
 *
 * What the agent does up to the next answer is one step. Thoughts come in pieces: those up to the next other event are one run of parts.
 */
export const CURSOR: Format = { name: 'cursor', recognizes: recognizesCursor, read: readCursor }

function recognizesCursor({ schema_version: version, steps, records }: Json): boolean {
  if (typeof version === 'string') return version.startsWith('cursor-jsonl') && Array.isArray(steps)
  return Array.isArray(records) && records.some(isTelling)
}

/** Claude Code's streams have the same envelope, but neither of these: a call as an event of its own, or who owns the API key and the rest. */
function isTelling(record: unknown): boolean {
  if (!isRecord(record)) return false
  const { type, subtype } = record
  if (type === 'tool_call') return isRecord(record['tool_call'])
  if (type === 'thinking') return 'session_id' in record && (subtype === 'delta' || subtype === 'completed')
  return type === 'system' && subtype === 'init' && 'apiKeySource' in record && 'cwd' in record && !('tools' in record)
}

const ROOT_FIELDS: ReadonlySet<string> = new Set(['schema_version', 'source_format', 'steps', 'records'])
const EVENT_FIELDS: ReadonlySet<string> = wordSet(`type subtype text session_id timestamp_ms call_id tool_call
  model_call_id message apiKeySource cwd model permissionMode duration_ms duration_api_ms is_error result request_id
  usage error query_type query response _corpus_step_shrunk`)
/** Events that hold nothing which the agent said, did or saw. A query is the harness's question to the user; its call follows. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set(['interaction_query', 'connection', 'retry', 'status'])

class CursorReader {
  readonly session: Session
  readonly #reading: Reading
  readonly #calls: CursorCalls
  /** The step of a reply that is printed in pieces, and what they say so far. */
  #reply: { readonly step: OpenStep; said: string } | null = null
  model: string | null = null

  constructor(reading: Reading) {
    this.#reading = reading
    this.session = new Session(reading, CURSOR_TOOLS)
    this.#calls = new CursorCalls(this.session)
  }

  event(event: unknown, path: string): void {
    if (!isRecord(event)) {
      this.#reading.error(path, `an event must be an object, not ${typeName(event)}`)
      return
    }
    const { type } = event
    this.session.now = timeOf(event['timestamp_ms'])
    warnUnknownOnce(this.#reading, event, path, EVENT_FIELDS)
    if (type !== 'assistant') this.#reply = null
    if (type === 'thinking') this.#thinking(event, path)
    else if (type === 'assistant') this.#assistant(event, path)
    else if (type === 'user') this.#user(event, path)
    else if (type === 'tool_call') this.#calls.read(event, path)
    else if (type === 'system') this.#system(event, path)
    else if (type === 'result') this.#result(event, path)
    else if (type === 'error') this.session.note('system', event['message'], `${path}/message`, 'error')
    else if (!BOOKKEEPING.has(type)) unreadRecord(this.#reading, path, 'type of event', type, event)
  }

  #thinking({ text }: Json, path: string): void {
    if (typeof text !== 'string') return
    sinkTo(this.#reading, this.session.turn(null).parts, 'agent_reasoning', 'reasoning').text(text, `${path}/text`)
  }

  /** With `--stream-partial-output` a message comes in pieces, and then once more as a whole. */
  #assistant(event: Json, path: string): void {
    const texts = asList(asRecord(event['message'])['content']).map((block) => asRecord(block)['text'])
    const whole = texts.filter((text) => typeof text === 'string').join('')
    if (this.#reply !== null && whole !== '' && whole === this.#reply.said) {
      this.#reading.warnOnce(path, 'repeats the pieces of a message; shown once')
      return
    }
    const step = this.session.turn(asText(event['model_call_id']))
    const said = this.#reply?.step === step ? this.#reply.said : ''
    this.#reply = { step, said: said + whole }
    this.#content(event, path, step, 'agent_message')
  }

  #user(event: Json, path: string): void {
    this.#content(event, path, this.session.open('other', null), 'user')
  }

  #content(event: Json, path: string, step: OpenStep, actor: 'agent_message' | 'user'): void {
    const sink = sinkTo(this.#reading, step.parts, actor, 'message')
    const { content } = asRecord(event['message'])
    const at = `${path}/message/content`
    if (typeof content === 'string') sink.text(content, at)
    else if (!Array.isArray(content))
      this.#reading.error(at, `must be text or an array of blocks, not ${typeName(content)}`)
    for (const [index, block] of asList(content).entries()) {
      const { type, text } = asRecord(block)
      if (typeof text === 'string') sink.text(text, `${pointer(at, index)}/text`)
      else if (type === 'image') sink.media('[image]', pointer(at, index), 'image')
      else unreadRecord(this.#reading, pointer(at, index), 'type of content block', type, block)
    }
  }

  #system(event: Json, path: string): void {
    if (event['subtype'] === 'init') this.model ??= asText(event['model'])
    else unreadRecord(this.#reading, path, 'subtype of system event', event['subtype'], { ...event, type: null })
  }

  /** The last event repeats all that the agent said, or says why it ended. */
  #result({ is_error: isError, result, error }: Json, path: string): void {
    if (isError === true)
      this.session.note('system', result ?? error, `${path}/${result === undefined ? 'error' : 'result'}`, 'result')
  }
}

function readCursor(reading: Reading, document: Json): ReadDocument {
  const list = Array.isArray(document['steps']) ? 'steps' : 'records'
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const reader = new CursorReader(reading)
  for (const [index, event] of asList(document[list]).entries()) reader.event(event, pointer(`/${list}`, index))
  return { format: 'cursor', agent: { name: 'cursor', model: reader.model }, steps: reader.session.finish(`/${list}`) }
}
