import type { StoredReply } from '../ports/ledger-ports.ts'
import type { Asker } from './asker.ts'
import { summarize } from './asker.ts'

/**
 * Answers from the good replies of a stored grade, in the order in which they were given: what they say is checked again, and no judge
 * is asked or paid. Null where the grade has no further reply: what the rules of today want repaired was never asked.
 */
export function askStored(replies: readonly StoredReply[]): Asker {
  const byPlace = new Map(replies.map((one) => [placeOf(one), one]))
  return (asking) => {
    const stored = byPlace.get(placeOf(asking))
    if (stored === undefined) return Promise.resolve(null)
    const { attempt_id: id, reply, request_digest } = stored
    const call = { latency_ms: 0, cost_usd: 0, replayed: true, request_digest, max_output_tokens: null }
    return Promise.resolve({ reply, attempts: [summarize(id, asking, reply, call)], waited_ms: 0 })
  }
}

/** Where a reply was asked for again (a truncated one, a window that overflowed), the last one counted. */
const placeOf = ({ sample, purpose, round }: Pick<StoredReply, 'sample' | 'purpose' | 'round'>): string =>
  `${sample}/${purpose}/${round}`
