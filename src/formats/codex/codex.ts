import { wordSet } from '../../domain/words.ts'
import { leavesOf } from '../common/json-tree.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { CodexEvents } from './codex-events.ts'
import { readItem, shownBy } from './codex-items.ts'

/**
 * The format of codex: rollouts (`{timestamp, type, payload}`), older rollouts whose lines are the items, the oldest, `{session, items}`, and the
 * output of `codex exec --json`. One step holds the agent's items up to the next result, with the results that arrive while nothing else happens.
 */
export const CODEX: Format = { name: 'codex', recognizes: recognizesCodex, read: readCodex }

const ENVELOPES: ReadonlySet<unknown> = wordSet(`session_meta response_item event_msg turn_context compacted`)
/** Recognizes a line of a rollout; an envelope of a later version, too. */
const isEnvelope = ({ type, payload, timestamp }: Json): boolean =>
  ENVELOPES.has(type) || (typeof type === 'string' && isRecord(payload) && timestamp !== undefined)

const STREAM_BOOKKEEPING: ReadonlySet<unknown> = new Set(['thread.started', 'turn.started', 'turn.completed'])
const STREAM_ITEMS: ReadonlySet<unknown> = new Set(['item.started', 'item.updated', 'item.completed'])

function recognizesCodex({ records, session, items }: Json): boolean {
  if (isRecord(session) && Array.isArray(items)) return items.map(asRecord).some(isItem)
  const lines = asList(records).map(asRecord)
  return lines.some(isTelling) || (isHead(lines[0]) && lines.some(isItem))
}

function isTelling(record: Json): boolean {
  const { type, payload, item, msg, id } = record
  if (ENVELOPES.has(type)) return isRecord(payload)
  if (type === 'thread.started') return 'thread_id' in record
  if (STREAM_ITEMS.has(type)) return isRecord(item)
  if (record['record_type'] === 'state') return true
  return isRecord(msg) && typeof msg['type'] === 'string' && typeof id === 'string' && !('role' in record)
}

/** Recognizes the first line of a rollout without envelopes. */
const isHead = (record: Json = {}): boolean =>
  typeof record['id'] === 'string' && 'timestamp' in record && !('type' in record)

const isItem = ({ type, role, content }: Json): boolean =>
  type === 'message'
    ? typeof role === 'string' && Array.isArray(content)
    : type === 'reasoning' || (typeof type === 'string' && /_call(?:_output)?$/.test(type))

class CodexReader extends CodexEvents {
  override record(record: Json, path: string): void {
    const { type, msg } = record
    this.now = timeOf(record['timestamp'])
    if (isEnvelope(record)) this.#envelope(record, path)
    else if (STREAM_ITEMS.has(type))
      this.item(asRecord(record['item']), `${path}/item`, type === 'item.completed', false)
    else if (type === 'turn.failed' || type === 'error') this.failure(record, path, 'error')
    else if (STREAM_BOOKKEEPING.has(type) || record['record_type'] === 'state') this.reading.leaveOut(path)
    else if (isRecord(msg)) this.event(msg, `${path}/msg`)
    else if (type === undefined) this.#head(record, path)
    else readItem(this, record, path)
  }

  #envelope(record: Json, path: string): void {
    const at = `${path}/payload`
    const { type, payload } = record
    if (!isRecord(payload)) this.reading.odd(at, 'an object', payload)
    else if (type === 'response_item') readItem(this, payload, at)
    else if (type === 'event_msg') this.event(payload, at)
    else if (type === 'turn_context') {
      this.model ??= asText(payload['model'])
      this.reading.leaveOut(at)
    } else if (type === 'compacted') this.#compacted(payload, at)
    else if (type === 'session_meta') this.#head(payload, at)
    else if (type === 'world_state') this.#world(payload, at)
    else this.reading.unreadRecord(path, 'type of record', type, record)
  }

  /** Reads the state of the folder, of which the model is told the texts. */
  #world(payload: Json, path: string): void {
    for (const { text, pointer: at } of leavesOf(payload['state'], `${path}/state`))
      if (text.includes(' ')) this.#once(text, at, 'system', 'world_state')
    this.reading.leaveOut(path)
  }

  /** Reads the head of a rollout: the instructions to the model and the prompt. */
  #head(head: Json, path: string): void {
    const { instructions, base_instructions: base, prompt } = head
    const fields = ['id', 'session_id', 'instructions', 'base_instructions', 'prompt', 'model', 'provider', 'workdir']
    if (!fields.some((key) => key in head)) {
      this.reading.unreadRecord(path, 'type of record', head['type'], head)
      return
    }
    this.model ??= asText(head['model'])
    this.#once(instructions, `${path}/instructions`, 'system', 'instructions')
    this.#once(asRecord(base)['text'], `${path}/base_instructions/text`, 'system', 'instructions')
    this.#once(base, `${path}/base_instructions`, 'system', 'instructions')
    this.#once(prompt, `${path}/prompt`, 'user', 'message')
  }

  /** Adds a text once, because a resumed session repeats its head. */
  #once(text: unknown, path: string, actor: 'system' | 'user' | 'agent_message', name: string): void {
    if (typeof text !== 'string' || this.shown.texts.has(text)) return
    this.shown.texts.add(text)
    this.note(actor, text, path, name)
  }

  /** Reads a compaction: the model's summary, then the texts of the new history that the old history lacks. */
  #compacted(payload: Json, path: string): void {
    this.reading.isCompacted = true
    const summary = asText(payload['message'])
    this.#once(summary, `${path}/message`, 'agent_message', 'compact_summary')
    for (const [item, at] of itemsIn(payload['replacement_history'], `${path}/replacement_history`)) {
      for (const [piece, place] of itemsIn(asRecord(item)['content'], `${at}/content`)) {
        const text = asText(asRecord(piece)['text'])
        if (text === null || (summary !== null && text.endsWith(summary))) continue
        this.#once(text, `${place}/text`, 'system', 'compacted')
      }
    }
  }
}

function readCodex(reading: Reading, document: Json): ReadDocument {
  const { session, items } = document
  const isOldest = isRecord(session) && Array.isArray(items)
  const [records, path] = isOldest ? [items, '/items'] : [asList(document['records']), '/records']
  const lines = records.map(asRecord)
  const own = lines.map((line) => (line['type'] === 'response_item' ? asRecord(line['payload']) : line))
  const reader = new CodexReader(reading, shownBy(own))
  if (isOldest) reader.record(session, '/session')
  return reader.readAll({ list: records, path })
}
