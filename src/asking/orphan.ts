import type { Digest } from '../domain/digest.ts'
import type { AttemptLedger } from '../ports/ledger-ports.ts'
import type { Clock } from '../ports/ports.ts'
import { type Account, type Asked, type Asking, summarize } from './asker.ts'

/** Grades that are being made in this process: their replies are theirs alone. */
export const inTheMaking = new Set<string>()

/**
 * The reply that an interrupted grade paid for, if there is one: it belongs to this grade from now on. `lease`: the
 * token under which the question is asked; then the store knows from the leases whose replies are still waited for.
 */
export async function takeOrphan(
  attempts: AttemptLedger,
  asking: Asking,
  digest: Digest,
  lease?: string,
): Promise<Asked | null> {
  const orphan = await attempts.findOrphan(asking.key, asking.sample, asking.round, digest)
  if (orphan === null || (lease === undefined && inTheMaking.has(orphan.grade_id))) return null
  await attempts.adopt(orphan.attempt_id, asking.grade_id, lease)
  const { cost_usd } = orphan
  const call = { latency_ms: 0, cost_usd, replayed: true, request_digest: digest, max_output_tokens: null }
  return {
    reply: orphan.reply,
    attempts: [summarize(orphan.attempt_id, asking, orphan.reply, call)],
    waited_ms: 0,
  }
}

/** Ten minutes: longer than a call takes, with the time in which a process that was stopped counts as living. */
const LONGEST_WAIT_MS = 600_000
const LOOK_MS = 1000

/**
 * A process that was stopped, or had lost the database, for longer than its lease may still have the very same call under way: its reply is
 * waited for, not bought again. Answers how long that took, and the reply where it came; null: no process waits for the call any more.
 */
export async function awaitOutstanding(
  { attempts, clock }: { readonly attempts: AttemptLedger; readonly clock: Clock },
  asking: Asking,
  digest: Digest,
  { leases, signal }: Pick<Account, 'leases' | 'signal'>,
): Promise<{ readonly asked: Asked | null; readonly waited_ms: number }> {
  const begun = clock.now().getTime()
  for (;;) {
    const waited_ms = clock.now().getTime() - begun
    const isOutstanding =
      leases.length > 0 &&
      waited_ms < LONGEST_WAIT_MS &&
      signal?.aborted !== true &&
      (await attempts.isOutstanding(asking.key, asking.sample, asking.round, digest))
    // Looked for after it was seen to have ended, so that no reply comes in between.
    const asked = await takeOrphan(attempts, asking, digest, leases[0])
    if (asked !== null || !isOutstanding) return { asked: asked && { ...asked, waited_ms }, waited_ms }
    await clock.sleep(LOOK_MS, signal).catch(() => undefined)
  }
}
