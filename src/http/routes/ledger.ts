import { digestBytes } from '../../domain/digest.ts'
import type { BatchCall, LedgerEntry } from '../../ports/ledger-ports.ts'
import type { Receipt } from '../../schemas/grade.ts'
import { Closed, Type } from '../../schemas/type.ts'

export const LedgerQuery = Closed({
  raw: Type.Optional(Type.Boolean({ description: 'With the provider’s raw replies.' })),
})

/**
 * The calls of one grade as callers see them: the raw replies, which hold trajectory text, only where asked for. What its receipt says of
 * a call goes first: a reply that came and was kept may have said nothing that could be read.
 */
export const listLedgerEntries = (entries: readonly LedgerEntry[], { attempts }: Receipt, raw: boolean) =>
  entries.map(({ grade_id: _grade, key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest }) => {
    const told = attempts.find(({ id }) => id === rest.id)
    return {
      ...rest,
      ...(told !== undefined && { outcome: told.outcome, message: told.message }),
      reply_digest: raw_reply === null ? null : digestBytes(raw_reply),
      max_output_tokens: told?.max_output_tokens ?? null,
      ...(raw && { raw_reply }),
    }
  })

/** The calls of a batch, each with the grade that was stored for it. */
export const listBatchCalls = (calls: readonly BatchCall[], raw: boolean) =>
  calls.map(({ key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest }) => ({
    ...rest,
    reply_digest: raw_reply === null ? null : digestBytes(raw_reply),
    max_output_tokens: null,
    ...(raw && { raw_reply }),
  }))
