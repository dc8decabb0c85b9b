import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LedgerEntry } from '../db/ledger.ts'
import type { Stores } from '../db/stores.ts'
import { digestBytes } from '../domain/digest.ts'
import { orNotFound } from '../schemas/problem.ts'

/** Shows a call; its raw reply, which holds trajectory text, only on request. */
const viewCall = <Call extends Omit<LedgerEntry, 'grade_id'>>(call: Call, raw: boolean) => {
  const { key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest } = call
  const reply_digest = raw_reply === null ? null : digestBytes(raw_reply)
  return { ...rest, reply_digest, max_output_tokens: null, ...(raw && { raw_reply }) }
}

/** Lists the calls behind a grade, with the outcome of the receipt: a kept reply may have been unreadable. Throws 404 for an unknown grade. */
export async function listCalls(stores: Pick<Stores, 'attempts' | 'grades'>, id: string, raw: boolean) {
  const { attempts } = orNotFound(await stores.grades.get(id), 'grade', id).receipt
  return (await stores.attempts.listForGrade(id)).map(({ grade_id: _grade, ...entry }) => {
    const { outcome, message, max_output_tokens = null } = attempts.find((attempt) => attempt.id === entry.id) ?? {}
    return { ...viewCall(entry, raw), max_output_tokens, ...(outcome && { outcome, message: message ?? null }) }
  })
}

/** Yields every call of a batch, in order. */
export async function* readBatchCalls(attempts: Pick<Stores['attempts'], 'listForBatch'>, batch: string, raw: boolean) {
  for (let after: number | null = 0; after !== null; ) {
    const { calls, next } = await attempts.listForBatch(batch, after)
    for (const call of calls) yield viewCall(call, raw)
    after = next
    await nextTurn()
  }
}
