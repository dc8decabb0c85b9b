import type { BatchCall, LedgerEntry } from '../../db/ledger.ts'
import { digestBytes } from '../../domain/digest.ts'
import type { Receipt } from '../../schemas/grade.ts'
import { Closed, Type } from '../../schemas/type.ts'

export const LedgerQuery = Closed({
  raw: Type.Optional(Type.Boolean({ description: 'With the provider’s raw replies.' })),
})

/** Shows a call; its raw reply, which holds trajectory text, only on request. */
export const viewCall = <Call extends Omit<BatchCall, 'grade_id'>>(call: Call, raw: boolean) => {
  const { key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest } = call
  const reply_digest = raw_reply === null ? null : digestBytes(raw_reply)
  return { ...rest, reply_digest, max_output_tokens: null, ...(raw && { raw_reply }) }
}

/** Lists the calls of one grade. The receipt decides the outcome of a call: a kept reply may have been unreadable. */
export const listLedgerEntries = (entries: readonly LedgerEntry[], { attempts }: Receipt, raw: boolean) =>
  entries.map(({ grade_id: _grade, ...entry }) => {
    const { outcome, message, max_output_tokens = null } = attempts.find(({ id }) => id === entry.id) ?? {}
    return { ...viewCall(entry, raw), max_output_tokens, ...(outcome && { outcome, message: message ?? null }) }
  })
