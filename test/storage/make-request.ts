import type { PlannedAttempt, QuestionMark } from '../../src/db/ledger.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import type { NewProviderRequest, ProviderEnd } from '../../src/db/submissions.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { readSpent } from './contract-spending.ts'
import { goodReply, planAttempt } from './make-attempt.ts'
import { AT, readBatch } from './make-batch.ts'

export const BATCH = 'bat_1'
export const LIMITS = { most_requests: 100, most_bytes: 1_000_000 }
export const DAY = { day: '2026-11-21' }

/** A request of the item with that index; each item has a question of its own. */
export function makeRequest(
  id: string,
  index: number,
  given: Partial<PlannedAttempt> = {},
  line = `line ${id}`,
): NewProviderRequest {
  const key = digestBytes(`key ${index}`)
  const planned = planAttempt(id, {
    key,
    grade_id: `grd_${index}`,
    batch: BATCH,
    item: index,
    reserved_usd: 1,
    ...given,
  })
  return { planned, item: { batch: BATCH, index }, line }
}

export const markOf = ({ planned, item }: NewProviderRequest): QuestionMark & { readonly batch: string } => {
  const { key, sample, round, request_digest } = planned
  return { batch: item.batch, key, sample, round, request_digest }
}

export const answered = (id: string, given: Partial<ProviderEnd> = {}): ProviderEnd => ({
  id,
  reply: goodReply({ text: `answer to ${id}` }),
  cost_usd: 0.25,
  ...given,
})

/** Short words for what every test of the queue does, on `BATCH`. */
export function queueTools(current: Current) {
  const queue = () => current().provider
  return {
    queue,
    enqueue: (id: string, index: number, given: Partial<PlannedAttempt> = {}, line?: string) =>
      queue().enqueue(makeRequest(id, index, given, line), NO_CAPS),
    record: (id: string, limits: Partial<typeof LIMITS> = {}, judge = 'openai') =>
      queue().record({ id, batch: BATCH, judge, at: AT }, { ...LIMITS, ...limits }),
    linesOf: async (id: string) => (await queue().lines(id)).map((line) => line.id),
    counts: async () => {
      const { counts, calls, cost_usd } = await readBatch(current(), BATCH)
      return { pending: counts.pending, waiting: counts.running, made: calls.made, cost_usd }
    },
    spent: () => readSpent(current(), { batch: BATCH }),
  }
}
