import type { Digest } from '../domain/digest.ts'
import { type Asked, type Asking, summarize } from './asker.ts'
import type { AttemptLedger } from './ledger-ports.ts'

/** Grades that are being made in this process: their replies are nobody else’s. */
export const inTheMaking = new Set<string>()

/** The reply that an interrupted grade paid for, if there is one: it belongs to this grade from now on. */
export async function takeOrphan(attempts: AttemptLedger, asking: Asking, digest: Digest): Promise<Asked | null> {
  const orphan = await attempts.findOrphan(asking.key, asking.sample, asking.round, digest)
  if (orphan === null || inTheMaking.has(orphan.grade_id)) return null
  await attempts.adopt(orphan.attempt_id, asking.grade_id)
  const call = { latency_ms: 0, cost_usd: orphan.cost_usd, replayed: true }
  return {
    reply: orphan.reply,
    attempts: [summarize(orphan.attempt_id, asking, orphan.reply, call)],
    waited_ms: 0,
  }
}
