import { isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asRecord, asText } from '../common/session.ts'

const SESSION_MARKS = ['parentUuid', 'sessionId', 'session_id', 'parent_tool_use_id'] as const

/** Recognizes a record of a session by its marks. */
export function isTelling(record: unknown): boolean {
  if (!isRecord(record) || !SESSION_MARKS.some((mark) => mark in record)) return false
  const { type, subtype, message } = record
  if (type === 'assistant' || type === 'user') return isRecord(message) && 'content' in message
  return type === 'system' && subtype === 'init' && 'tools' in record
}

/** Names the subagent of a record; null for the main agent. */
export function subagentOf({ isSidechain, agentId, parent_tool_use_id: call }: Json): string | null {
  if (isSidechain !== true && typeof call !== 'string') return null
  return asText(agentId) ?? asText(call) ?? 'sidechain'
}

/** A record and its index in the file. */
type PlacedRecord = Readonly<{ record: unknown; index: number }>

/**
 * Sorts the records by time. A file keeps the order within each conversation but may append a subagent's records behind the main
 * conversation: these move to their time. Where a needed time is missing, the order of the file stays, with a warning for session files.
 */
export function inOrder(reading: Reading, records: readonly unknown[], path: string): readonly PlacedRecord[] {
  const placed = records.map((record, index) => ({ record, index }))
  const messages = placed.filter(({ record }) => isMessage(record))
  const chains = new Set(messages.map(({ record }) => chainOf(record)))
  if (chains.size < 2) return placed
  const untimed = messages.find(({ record }) => timeOf(asRecord(record)['timestamp']) === null)
  if (untimed !== undefined) {
    // A stream is printed in order of events; a session file is assembled afterwards.
    const warning = "has no time, so the subagents' records are shown in the order of the file"
    if (messages.some(({ record }) => asRecord(record)['isSidechain'] === true))
      reading.warnOnce(`${path}/${untimed.index}`, warning)
    return placed
  }
  const times = timesOf(placed)
  return placed.toSorted((a, b) => (times[a.index] ?? 0) - (times[b.index] ?? 0) || a.index - b.index)
}

/** Returns the time of each record in milliseconds, never before that of the preceding record of the same conversation. */
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
