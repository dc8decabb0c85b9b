import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { isRecord, type Json, objectAt, pointer, type Reading, timeOf } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { ClaudeReader, subagentOf } from './claude-code-reader.ts'

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
  const agent: Trajectory['agent'] = { name: 'claude-code', model: reader.model ?? reader.subagentModel }
  return { format: 'claude-code', agent, steps: reader.session.finish(root) }
}

/** A record and its index in the file. */
interface PlacedRecord {
  readonly record: unknown
  readonly index: number
}

/**
 * Sorts the records by time. A file keeps the order within each conversation but may append a subagent's records behind the main
 * conversation: these move to their time. Where a needed time is missing, the order of the file stays, with a warning for session files.
 */
function inOrder(reading: Reading, records: readonly unknown[], path: string): readonly PlacedRecord[] {
  const placed = records.map((record, index) => ({ record, index }))
  const messages = placed.filter(({ record }) => isMessage(record))
  const chains = new Set(messages.map(({ record }) => chainOf(record)))
  if (chains.size < 2) return placed
  const untimed = messages.find(({ record }) => timeOf(asRecord(record)['timestamp']) === null)
  if (untimed !== undefined) {
    // A stream is printed in order of events; a session file is assembled afterwards.
    if (messages.some(({ record }) => asRecord(record)['isSidechain'] === true))
      reading.warnOnce(
        `${path}/${untimed.index}`,
        "has no time, so the subagents' records are shown in the order of the file",
      )
    return placed
  }
  const times = timesOf(placed)
  return placed.toSorted((a, b) => (times[a.index] ?? 0) - (times[b.index] ?? 0) || a.index - b.index)
}

/**
 * Returns the time of each record in milliseconds, never before that of the preceding record of the same conversation, whose order in the
 * file is right.
 */
function timesOf(placed: readonly PlacedRecord[]): readonly number[] {
  const latest = new Map<string, number>()
  return placed.map(({ record }) => {
    const chain = chainOf(record)
    const own = isMessage(record) ? timeOf(asRecord(record)['timestamp']) : null
    const time = Math.max(own ?? 0, latest.get(chain) ?? 0)
    latest.set(chain, time)
    return time
  })
}

const isMessage = (record: unknown): record is Json =>
  isRecord(record) && (record['type'] === 'user' || record['type'] === 'assistant')

/** Names the conversation of a record: the subagent's; for every other record the main conversation, ''. */
const chainOf = (record: unknown): string => (isMessage(record) ? (subagentOf(record) ?? '') : '')
