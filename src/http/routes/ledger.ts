import type { BatchCall, LedgerEntry } from '../../db/attempts.ts'
import { digestBytes } from '../../domain/digest.ts'
import type { Receipt } from '../../schemas/grade.ts'
import { Closed, Type } from '../../schemas/type.ts'

export const LedgerQuery = Closed({
  raw: Type.Optional(Type.Boolean({ description: 'With the provider’s raw replies.' })),
})

/**
 * Lists the calls of one grade, with raw replies, which hold trajectory text, only on request. The receipt decides the outcome of a call: a kept reply may
 * have been unreadable.
 */
export const listLedgerEntries = (entries: readonly LedgerEntry[], { attempts }: Receipt, raw: boolean) =>
  entries.map(({ grade_id: _grade, key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest }) => {
    const summary = attempts.find(({ id }) => id === rest.id)
    return {
      ...rest,
      ...(summary !== undefined && { outcome: summary.outcome, message: summary.message }),
      reply_digest: raw_reply === null ? null : digestBytes(raw_reply),
      max_output_tokens: summary?.max_output_tokens ?? null,
      ...(raw && { raw_reply }),
    }
  })

/** Lists the calls of a batch, each with the id of its grade. */
export const listBatchCalls = (calls: readonly BatchCall[], raw: boolean) =>
  calls.map(({ key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest }) => ({
    ...rest,
    reply_digest: raw_reply === null ? null : digestBytes(raw_reply),
    max_output_tokens: null,
    ...(raw && { raw_reply }),
  }))
