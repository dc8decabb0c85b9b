import { wordSet } from '../../domain/words.ts'
import { isRecord, type Json, type Reading } from '../common/reading.ts'
import { asRecord, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { readLocatedChat, withMembers } from '../openai-chat/chat-steps.ts'
import { Located, type Tree } from '../traces/located.ts'
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
  const list = new Located(document, '').member('records')
  const name = agentOf(document['records'] as readonly unknown[]) ?? 'droid'
  const trees = list.items().flatMap((record): Tree[] => {
    const { value, path } = record
    const message = record.member('message')
    if (isWrapped(value))
      return ['role' in asRecord(message.value) ? message : withMembers(message, { role: record.member('role') })]
    if (!isRecord(value) || !BOOKKEEPING.has(value['type'])) reading.odd(path, 'a record with a message', value)
    return []
  })
  const model = lastName(list.items().map((record) => asRecord(record.member('message').value)['model']))
  const messages = trees.map((tree) => ({ tree }))
  return readLocatedChat(reading, list.path, { name, model }, 'session-messages', () => messages, true)
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
  const list = new Located(document, '').member('records')
  const model = lastName(list.items().map(({ value }) => asRecord(value)['model_id']))
  const messages = list.items().flatMap((record) => {
    const { value, path } = record
    if (!isRecord(value) || typeof value['type'] === 'string') return [{ tree: treeOf(record) }]
    reading.odd(path, 'a record with a type', value)
    return []
  })
  return readLocatedChat(reading, list.path, { name: 'grok-cli', model }, 'grok-cli', () => messages, true)
}

/** Returns a record as a message of a chat; a record of another type unchanged. */
function treeOf(record: Located): Tree {
  const { type } = asRecord(record.value)
  if (!GROK_ROLES.has(type)) return record
  const role = type === 'tool_result' ? 'tool' : record.member('type')
  return withMembers(record, { role, type: undefined, model_id: undefined, prompt_index: undefined })
}
