import { wordSet } from '../../domain/text/words.ts'
import { isRecord, type Json, pointer, type Reading, timeOf, typeName } from '../common/reading.ts'
import { asList, asRecord, asText, Session, unreadRecord } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { CODEX_TOOLS } from '../tools/codex.ts'
import { readEvent } from './codex-events.ts'
import { readItem, type Shown, shownBy } from './codex-items.ts'
import { CodexStream } from './codex-stream.ts'

/**
 * Codex: rollouts (`{timestamp, type, payload}`), the older rollouts whose lines are the items themselves, the oldest, which are
 * one object `{session, items}`, and what `codex exec --json` prints, now and before.
 *
 * What the agent does up to the next answer is one step, with the answers that come while nothing else happens.
 */
export const CODEX: Format = { name: 'codex', recognizes: recognizesCodex, read: readCodex }

const ENVELOPES: ReadonlySet<unknown> = wordSet(`session_meta response_item event_msg turn_context compacted`)
const STREAM_BOOKKEEPING: ReadonlySet<unknown> = new Set(['thread.started', 'turn.started', 'turn.completed'])
const STREAM_ITEMS: ReadonlySet<unknown> = new Set(['item.started', 'item.updated', 'item.completed'])

function recognizesCodex(document: Json): boolean {
  const { records, session, items } = document
  if (isRecord(session) && Array.isArray(items)) return items.some((item) => isRecord(item) && isItem(item))
  if (!Array.isArray(records)) return false
  if (records.some((record) => isRecord(record) && isTelling(record))) return true
  return isHead(records[0]) && records.some((record) => isRecord(record) && isItem(record))
}

function isTelling(record: Json): boolean {
  const { type, payload, item, msg, id } = record
  if (ENVELOPES.has(type)) return isRecord(payload)
  if (type === 'thread.started') return 'thread_id' in record
  if (STREAM_ITEMS.has(type)) return isRecord(item)
  if (record['record_type'] === 'state') return true
  return isRecord(msg) && typeof msg['type'] === 'string' && typeof id === 'string' && !('role' in record)
}

/** The first line of a rollout without envelopes. */
const isHead = (record: unknown): boolean =>
  isRecord(record) && typeof record['id'] === 'string' && 'timestamp' in record && !('type' in record)

const isItem = ({ type, role, content }: Json): boolean =>
  type === 'message' ? typeof role === 'string' && Array.isArray(content) : type === 'reasoning' || isCallType(type)

const isCallType = (type: unknown): boolean =>
  typeof type === 'string' && (type.endsWith('_call') || type.endsWith('_call_output'))

class CodexReader {
  readonly session: Session
  readonly #reading: Reading
  readonly #shown: Shown
  readonly #stream: CodexStream
  model: string | null = null

  constructor(reading: Reading, shown: Shown) {
    this.#reading = reading
    this.session = new Session(reading, CODEX_TOOLS)
    this.#shown = shown
    this.#stream = new CodexStream(this.session)
  }

  record(record: unknown, path: string): void {
    if (!isRecord(record)) {
      this.#reading.error(path, `a record must be an object, not ${typeName(record)}`)
      return
    }
    const { type, msg } = record
    this.session.now = timeOf(record['timestamp'])
    if (ENVELOPES.has(type)) this.#envelope(record, path)
    else if (STREAM_ITEMS.has(type)) this.#stream.item(record, path)
    else if (type === 'turn.failed' || type === 'error') this.#failure(record, path)
    else if (STREAM_BOOKKEEPING.has(type) || record['record_type'] === 'state') return
    else if (isRecord(msg)) this.#event(msg, `${path}/msg`)
    else if (type === undefined) this.#head(record, path)
    else readItem(this.session, record, path, this.#shown)
  }

  #envelope(record: Json, path: string): void {
    const at = `${path}/payload`
    const { type, payload } = record
    if (!isRecord(payload)) {
      this.#reading.error(at, `must be an object, not ${typeName(payload)}`)
      return
    }
    if (type === 'response_item') readItem(this.session, payload, at, this.#shown)
    else if (type === 'event_msg') this.#event(payload, at)
    else if (type === 'turn_context') this.model ??= asText(payload['model'])
    else if (type === 'compacted') this.#compacted(payload, at)
    else this.#head(payload, at)
  }

  /** What stands at the head of a rollout: the instructions that the model was given. */
  #head(head: Json, path: string): void {
    const { instructions, base_instructions: base, prompt } = head
    const known = ['id', 'session_id', 'instructions', 'base_instructions', 'prompt', 'model', 'provider', 'workdir']
    if (!known.some((key) => key in head)) {
      unreadRecord(this.#reading, path, 'type of record', head['type'], head)
      return
    }
    this.model ??= asText(head['model'])
    this.#once(instructions, `${path}/instructions`, 'system', 'instructions')
    this.#once(asRecord(base)['text'], `${path}/base_instructions/text`, 'system', 'instructions')
    this.#once(base, `${path}/base_instructions`, 'system', 'instructions')
    this.#once(prompt, `${path}/prompt`, 'user', 'message')
  }

  /** A resumed session has its head twice. */
  #once(text: unknown, path: string, actor: 'system' | 'user' | 'agent_message', name: string): void {
    if (typeof text !== 'string' || this.#shown.texts.has(text)) return
    this.#shown.texts.add(text)
    this.session.note(actor, text, path, name)
  }

  #event(event: Json, path: string): void {
    if (event['type'] === 'session_configured') this.model ??= asText(event['model'])
    readEvent(this.session, event, path, this.#shown)
  }

  /** The model's summary, and what else of the new history the old one did not hold. */
  #compacted(payload: Json, path: string): void {
    const summary = asText(payload['message'])
    this.#once(summary, `${path}/message`, 'agent_message', 'compact_summary')
    for (const [index, item] of asList(payload['replacement_history']).entries()) {
      const at = pointer(`${path}/replacement_history`, index)
      for (const [place, piece] of asList(asRecord(item)['content']).entries()) {
        const text = asText(asRecord(piece)['text'])
        if (text === null || (summary !== null && text.endsWith(summary))) continue
        this.#once(text, `${pointer(`${at}/content`, place)}/text`, 'system', 'compacted')
      }
    }
  }

  #failure(record: Json, path: string): void {
    const { error, message } = record
    if (isRecord(error)) this.session.note('system', error['message'], `${path}/error/message`, 'error')
    else if (typeof message === 'string') this.session.note('system', message, `${path}/message`, 'error')
    else this.session.note('system', error, `${path}/error`, 'error')
  }
}

function* itemsOf(records: readonly unknown[]): Iterable<Json> {
  for (const record of records)
    if (isRecord(record)) yield record['type'] === 'response_item' ? asRecord(record['payload']) : record
}

function readCodex(reading: Reading, document: Json): ReadDocument {
  const { session, items } = document
  const isOldest = isRecord(session) && Array.isArray(items)
  const [records, path] = isOldest ? [items, '/items'] : [asList(document['records']), '/records']
  const reader = new CodexReader(reading, shownBy(itemsOf(records)))
  if (isOldest) reader.record(session, '/session')
  for (const [index, record] of records.entries()) reader.record(record, pointer(path, index))
  return { format: 'codex', agent: { name: 'codex', model: reader.model }, steps: reader.session.finish(path) }
}
