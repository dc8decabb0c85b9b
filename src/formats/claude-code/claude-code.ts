import { wordSet } from '../../domain/words.ts'
import { isRecord, type Json, objectAt, pointer, type Reading } from '../common/reading.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { inOrder, subagentOf } from './claude-code-order.ts'
import { ClaudeReader } from './claude-code-reader.ts'

/**
 * The format of Claude Code: the session files under `projects/` (also the file of one subagent), and the output of `--output-format
 * stream-json` or `json`.
 *
 * The pieces of one API message (`message.id`) are one step, together with the results that arrive while nothing else happens. Records of a
 * subagent (`isSidechain`) are placed at their time, with step names of the form `agent#message`.
 */
export const CLAUDE_CODE: Format = {
  name: 'claude-code',
  recognizes: (document) => isFinalResult(document) || recordsOf(document)?.list.some(isTelling) === true,
  read: readClaudeCode,
  holdsSubagents: true,
  // The harness's own copies of results, which no model saw.
  asides: wordSet('toolUseResult tool_use_result mcpMeta planContent thinkingMetadata todos'),
}

/** Finds the records: those of a file, or `loglines` of a session on the web. */
const recordsOf = (document: Json) => listIn(document, ['records', 'loglines'], () => true)

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
  const { list: records, path: root } = recordsOf(document) ?? { list: null, path: '' }
  const reader = new ClaudeReader(reading, records?.some(isMainMessage) ?? true)
  if (records === null) reader.record(document, '')
  else
    for (const { record, index } of inOrder(reading, records, root)) {
      const path = pointer(root, index)
      const object = objectAt(reading, record, path, 'a record')
      if (object !== null) reader.record(object, path)
    }
  reader.warnOfSubagents()
  for (const { text, path } of reader.queued)
    if (text !== '' && !reader.userTexts.has(text))
      reading.unread(path, 'was queued, and no message of the user holds it; not shown', false)
  reader.model ??= reader.subagentModel
  return reader.ended(root)
}
