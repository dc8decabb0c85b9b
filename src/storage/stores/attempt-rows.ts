import { historyOf, type OutputHistory } from '../../domain/money/history.ts'
import type { JudgeReply } from '../../ports/judge-ports.ts'
import type {
  BatchCall,
  BatchCalls,
  FinishedAttempt,
  LedgerEntry,
  PlannedAttempt,
  StoredReply,
} from '../../ports/ledger-ports.ts'
import type { Usage } from '../../schemas/grade.ts'
import { packText, parseStored, unpackText } from '../stored-text.ts'

type GoodReply = Extract<JudgeReply, { ok: true }>

export interface EntryRow extends Omit<LedgerEntry, 'raw_reply' | 'usage'> {
  readonly raw_reply: Buffer | null
  readonly usage: string | null
}

export interface BatchCallRow extends EntryRow {
  readonly has_grade: boolean | number
}

/** The columns of a good reply. */
export interface ReplyRow extends Pick<LedgerEntry, 'model_resolved' | 'request_id'> {
  readonly reply_text: Buffer
  readonly raw_reply: Buffer
  readonly usage: string | null
}

export interface StoredReplyRow extends ReplyRow, Omit<StoredReply, 'attempt_id' | 'reply'> {
  readonly id: string
}

export type EndRow = Readonly<ReturnType<typeof renderEnd>>

/** The columns that the end of a call fills. */
export const END_COLUMNS = [
  'outcome',
  'message',
  'reply_text',
  'raw_reply',
  'usage',
  'cost_usd',
  'latency_ms',
  'request_id',
  'model_resolved',
] as const

/** A planned call as its columns. */
export const renderPlanned = (planned: PlannedAttempt) => ({
  id: planned.id,
  grade_id: planned.grade_id,
  key: planned.key,
  sample: planned.sample,
  round: planned.round,
  purpose: planned.purpose,
  request_digest: planned.request_digest,
  judge: planned.judge,
  started_at: planned.started_at,
  batch: planned.batch,
  payer: planned.payer,
  reserved_usd: planned.reserved_usd,
})

/** Replies up to this many bytes are kept as they are. */
export const COMPRESS_ABOVE = 1024

/** The end of a call as its row; batch endpoints know no latency. */
export function renderEnd(ended: Omit<FinishedAttempt, 'latency_ms'> & { readonly latency_ms: number | null }) {
  const { reply } = ended
  return {
    id: ended.id,
    outcome: ended.outcome,
    message: ended.message,
    reply_text: reply.ok ? packText(reply.text, COMPRESS_ABOVE) : null,
    raw_reply: reply.raw === null ? null : packText(reply.raw, COMPRESS_ABOVE),
    usage: reply.usage === null ? null : JSON.stringify(reply.usage),
    cost_usd: ended.cost_usd,
    latency_ms: ended.latency_ms,
    request_id: reply.request_id,
    model_resolved: reply.model_resolved,
  }
}

export const parseUsage = (text: string | null): Usage | null => (text === null ? null : parseStored<Usage>(text))

export interface AnswerRow {
  readonly purpose: LedgerEntry['purpose']
  readonly usage: string
}

export const parseHistory = (rows: readonly AnswerRow[]): OutputHistory =>
  historyOf(rows.map(({ purpose, usage }) => ({ purpose, usage: parseStored<Usage>(usage) })))

export const parseReply = (row: ReplyRow): GoodReply => ({
  ok: true,
  text: unpackText(row.reply_text),
  raw: unpackText(row.raw_reply),
  usage: parseUsage(row.usage),
  model_resolved: row.model_resolved,
  request_id: row.request_id,
})

export const parseStoredReply = (row: StoredReplyRow): StoredReply => ({
  attempt_id: row.id,
  sample: row.sample,
  round: row.round,
  purpose: row.purpose,
  request_digest: row.request_digest,
  reply: parseReply(row),
})

/** The ledger has no index by batch: it is walked, so many calls at a time. */
export const WALKED_CALLS = 1000

export const parseBatchCalls = (rows: readonly BatchCallRow[], after: number, last: number | null): BatchCalls => ({
  calls: rows.map(parseBatchCall),
  next: after + WALKED_CALLS < (last ?? 0) ? after + WALKED_CALLS : null,
})

const parseBatchCall = ({ has_grade, ...row }: BatchCallRow): BatchCall => ({
  ...parseEntry(row),
  grade_id: has_grade ? row.grade_id : null,
})

export const parseEntry = (row: EntryRow): LedgerEntry => ({
  ...row,
  usage: parseUsage(row.usage),
  raw_reply: row.raw_reply === null ? null : unpackText(row.raw_reply),
})
