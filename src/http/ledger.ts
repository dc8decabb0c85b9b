import type { LedgerEntry } from '../grading/ledger-ports.ts'

/** The calls of one grade as callers see them: the raw replies, which hold trajectory text, only where asked for. */
export const listLedgerEntries = (entries: readonly LedgerEntry[], raw: boolean) =>
  entries.map(({ grade_id: _grade, key: _key, payer: _payer, reserved_usd: _bound, raw_reply, ...rest }) =>
    raw ? { ...rest, raw_reply } : rest,
  )
