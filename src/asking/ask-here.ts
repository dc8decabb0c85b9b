import type { AttemptLedger } from '../ports/ledger-ports.ts'
import type { Clock, Judge } from '../ports/ports.ts'
import { type Account, type Asker, askJudge, planAttempt, requestDigest, summarize } from './asker.ts'

interface HereDeps {
  readonly attempts: Pick<AttemptLedger, 'record'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
}

const NEVER = new AbortController().signal

/**
 * Asks the judge that searches, in this process. It costs nothing and makes no call: nothing is reserved, no turn is waited for, no call is
 * made twice, and the ledger has it begun and ended in one unit of work.
 */
export const askHere =
  ({ attempts, clock, newId }: HereDeps, judge: Judge, account: Account): Asker =>
  async (asking, request) => {
    const at = clock.now()
    const id = newId('att')
    const request_digest = requestDigest(judge, request)
    const reply = await askJudge(judge, request, NEVER)
    const latency_ms = clock.now().getTime() - at.getTime()
    const { max_output_tokens } = request
    const facts = { latency_ms, cost_usd: 0, replayed: false, request_digest, max_output_tokens }
    const summary = summarize(id, asking, reply, facts)
    const { outcome, message } = summary
    const planned = { ...planAttempt(asking, judge, account, { id, request_digest, at }), reserved_usd: 0 }
    await attempts.record(planned, { id, outcome, message, reply, latency_ms, cost_usd: 0 })
    return { reply, attempts: [summary], waited_ms: 0 }
  }
