import { isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asRecord } from '../common/session.ts'
import { subagentOf } from './claude-code-reader.ts'

/** A record and its place in the file. */
interface PlacedRecord {
  readonly record: unknown
  readonly index: number
}

/**
 * The records in the order of time. A file keeps the order of each conversation, but a subagent's may stand behind all of the main one:
 * then its records are moved to their time. The order of the file stays where times that this needs are missing, with a warning where
 * that may matter.
 */
export function inOrder(reading: Reading, records: readonly unknown[], path: string): readonly PlacedRecord[] {
  const placed = records.map((record, index) => ({ record, index }))
  const messages = placed.filter(({ record }) => isMessage(record))
  const chains = new Set(messages.map(({ record }) => chainOf(record)))
  if (chains.size < 2) return placed
  const untimed = messages.find(({ record }) => timeOf(asRecord(record)['timestamp']) === null)
  if (untimed !== undefined) {
    // A stream is printed while things happen; a session file is put together behind.
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

/** The time of each record, at least that of the one before it in its own conversation: the file's order of that is right. */
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

/** What stands between messages belongs to the main conversation. */
const chainOf = (record: unknown): string => (isMessage(record) ? (subagentOf(record) ?? '') : '')
