import type { ProviderEnd } from '../../ports/provider-ports.ts'
import type { Outside } from '../outside.ts'
import { StorageError } from '../storage-error.ts'
import { type EndRow, renderEnd } from './attempt-rows.ts'

/**
 * The end of a call with its large columns outside, durable there. Where the place is away for a while it rejects, and the caller holds
 * the reply; where it refuses, they stay in the row: a reply that was paid for is not lost for a wrong setting.
 */
export async function keepEnd(outside: Outside, end: EndRow): Promise<EndRow> {
  const [text, raw] = await Promise.all([
    keepColumn(outside, end.id, end.reply_text),
    keepColumn(outside, end.id, end.raw_reply),
  ])
  const bytes = text.bytes + raw.bytes
  return { ...end, reply_text: text.stored, raw_reply: raw.stored, outside_bytes: bytes === 0 ? null : bytes }
}

async function keepColumn(outside: Outside, attempt: string, bytes: Buffer | null) {
  if (bytes === null || !outside.takes(bytes.length)) return { stored: bytes, bytes: 0 }
  try {
    return { stored: await outside.keep({ kind: 'reply', attempt }, bytes), bytes: bytes.length }
  } catch (error) {
    if (error instanceof StorageError && error.code === 'storage_error') return { stored: bytes, bytes: 0 }
    throw error
  }
}

/** The ends of provider requests as rows, in their order; null: it has no reply. */
export const keepEnds = (outside: Outside, ends: readonly ProviderEnd[]): Promise<(EndRow | null)[]> =>
  Promise.all(ends.map(async (end) => (end.end === 'answered' ? keepEnd(outside, renderProviderEnd(end)) : null)))

/** The request’s id is that of its attempt; batch endpoints know no latency. */
function renderProviderEnd({ id, reply, cost_usd }: Extract<ProviderEnd, { end: 'answered' }>): EndRow {
  const failure = reply.ok ? null : reply.failure
  const outcome = failure?.code ?? ('ok' as const)
  return renderEnd({ id, outcome, message: failure?.message ?? null, reply, cost_usd, latency_ms: null })
}

interface ReplyColumns {
  readonly id: string
  readonly reply_text?: Buffer | null
  readonly raw_reply: Buffer | null
}

/** A row with the bytes of its columns, wherever they lie. */
export async function fetchReply<T extends ReplyColumns>(outside: Outside, row: T): Promise<T> {
  const owner = { kind: 'reply', attempt: row.id } as const
  const fetch = async (bytes: Buffer | null | undefined) => (bytes ? outside.fetch(owner, bytes) : bytes)
  const [reply_text, raw_reply] = await Promise.all([fetch(row.reply_text), fetch(row.raw_reply)])
  return { ...row, ...(reply_text !== undefined && { reply_text }), raw_reply }
}

export const fetchReplies = <T extends ReplyColumns>(outside: Outside, rows: readonly T[]): Promise<T[]> =>
  Promise.all(rows.map((row) => fetchReply(outside, row)))
