import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import { isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import type { Format, ReadDocument } from '../format.ts'
import { inOrder } from './claude-code-order.ts'
import { ClaudeReader, subagentOf } from './claude-code-reader.ts'

/**
 * Claude Code: the session files under `projects/` (a file of one subagent too), and what `--output-format stream-json` or
 * `json` prints.
 *
 * The pieces of one API message (`message.id`) are one step with the results that came while nothing else happened. A subagent's
 * records (`isSidechain`) stand at their time, under names `agent#message`.
 */
export const CLAUDE_CODE: Format = {
  name: 'claude-code',
  recognizes: (document) =>
    isFinalResult(document) || (Array.isArray(document['records']) && document['records'].some(isTelling)),
  read: readClaudeCode,
}

const isFinalResult = (record: Json): boolean => record['type'] === 'result' && 'session_id' in record

const SESSION_MARKS = ['parentUuid', 'sessionId', 'session_id', 'parent_tool_use_id'] as const

function isTelling(record: unknown): boolean {
  if (!isRecord(record) || !SESSION_MARKS.some((mark) => mark in record)) return false
  const { type, subtype, message } = record
  if (type === 'assistant' || type === 'user') return isRecord(message) && 'content' in message
  return type === 'system' && subtype === 'init' && 'tools' in record
}

const isMainMessage = (record: unknown): boolean =>
  isRecord(record) && (record['type'] === 'user' || record['type'] === 'assistant') && subagentOf(record) === null

function readClaudeCode(reading: Reading, document: Json): ReadDocument {
  const records = Array.isArray(document['records']) ? document['records'] : null
  const reader = new ClaudeReader(reading, records?.some(isMainMessage) ?? true)
  if (records === null) reader.record(document, '')
  else
    for (const { record, index } of inOrder(reading, records, '/records'))
      reader.record(record, pointer('/records', index))
  reader.warnOfSubagents()
  for (const { text, path } of reader.queued)
    if (text !== '' && !reader.said.has(text))
      reading.unread(path, 'was queued, and no message of the user holds it; not shown', false)
  const agent: Trajectory['agent'] = { name: 'claude-code', model: reader.model ?? reader.subagentModel }
  return { format: 'claude-code', agent, steps: reader.session.finish(records === null ? '' : '/records') }
}
