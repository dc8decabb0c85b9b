import { wordSet } from '../../domain/words.ts'
import { isRecord, itemsIn, type Json, type Reading } from '../common/reading.ts'
import { asList, asRecord, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readList } from '../openai-chat/chat-steps.ts'
import { Located } from '../traces/located.ts'
import { namesOf } from '../vocabulary.ts'

/**
 * The formats of session files whose records wrap a message of the Messages API: Factory's Droid (`~/.factory/sessions`, `type: message` behind
 * `session_start`), and Cursor's transcripts (`agent-transcripts/*.jsonl`, the role beside the message, calls without results).
 */
export const SESSION_MESSAGES: Format = {
  name: 'session-messages',
  recognizes: ({ records }) => Array.isArray(records) && agentOf(records) !== null,
  read: readSession,
}

const isWrapped = (record: unknown): boolean =>
  isRecord(record) && isRecord(record['message']) && 'content' in record['message']

/** Tells the agent of a session; null for other files. */
function agentOf(records: readonly unknown[]): 'droid' | 'cursor' | null {
  const wrapped = records.filter(isWrapped) as Json[]
  if (wrapped.length === 0) return null
  if (records.some((record) => isRecord(record) && record['type'] === 'session_start'))
    return wrapped.some(({ type }) => type === 'message') ? 'droid' : null
  const isCursor =
    wrapped.some(({ role }) => typeof role === 'string') && wrapped.every(({ type }) => type === undefined)
  return isCursor ? 'cursor' : null
}

/** Droid's records of its own state. */
const BOOKKEEPING = namesOf('session-messages', 'left_out')

function readSession(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const name = agentOf(records) ?? 'droid'
  const placed = [...itemsIn(records, '/records')].flatMap(([record, path]): Located[] => {
    if (isWrapped(record)) {
      const { role, message } = record as Json
      return [new Located({ ...(role !== undefined && { role }), ...(message as Json) }, `${path}/message`)]
    }
    if (!isRecord(record) || !BOOKKEEPING.has(record['type'])) reading.odd(path, 'a record with a message', record)
    return []
  })
  const model = lastName(placed.map(({ value }) => asRecord(value)['model']))
  return readList(reading, { format: 'session-messages', agent: { name, model } }, '/records', placed)
}

/** The format of Grok CLI's `chat_history.jsonl`: the messages of a chat, whose `type` is the role, with `tool_result` records and reasoning. */
export const GROK_CLI: Format = {
  name: 'grok-cli',
  recognizes: ({ records }) => Array.isArray(records) && records.every(isEntry) && records.some(isGrokEntry),
  read: readGrokCli,
}

const GROK_ROLES: ReadonlySet<unknown> = wordSet('system user assistant tool_result')

const isEntry = (record: unknown): boolean => !isRecord(record) || (!('role' in record) && !('message' in record))

/** Recognizes a reply or a result in the form of a chat, which no other format writes without a role. */
const isGrokEntry = (record: unknown): boolean =>
  isRecord(record) &&
  ((record['type'] === 'assistant' && 'content' in record && ('model_id' in record || 'tool_calls' in record)) ||
    (record['type'] === 'tool_result' && 'content' in record && typeof record['tool_call_id'] === 'string'))

function readGrokCli(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const placed = [...itemsIn(records, '/records')].flatMap(([record, path]): Located[] => {
    if (!isRecord(record) || typeof record['type'] === 'string') return [new Located(messageOf(record), path)]
    reading.odd(path, 'a record with a type', record)
    return []
  })
  const model = lastName(records.map((record) => asRecord(record)['model_id']))
  return readList(reading, { format: 'grok-cli', agent: { name: 'grok-cli', model } }, '/records', placed)
}

/** Returns a record as a message of a chat; a record of another type unchanged. */
function messageOf(record: unknown): unknown {
  if (!isRecord(record) || !GROK_ROLES.has(record['type'])) return record
  const { type, model_id: _model, prompt_index: _index, ...rest } = record
  return { ...rest, role: type === 'tool_result' ? 'tool' : type }
}
