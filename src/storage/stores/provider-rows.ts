import type { NewProviderRequest, ProviderAnswer, ProviderRound, SubmissionLimits } from '../../ports/provider-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { packText, parseStored, unpackText } from '../stored-text.ts'
import { parseReply, parseUsage, type ReplyRow } from './attempt-rows.ts'

/** A request with the end that the ledger has of it. */
export interface AnswerRow extends ReplyColumns {
  readonly id: string
  readonly status: 'queued' | 'sent' | 'answered' | 'void'
  readonly failure: string | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
}

type ReplyColumns = { readonly [K in keyof ReplyRow]: ReplyRow[K] | null }

export interface RoundRow {
  readonly ended: number
  readonly questions: number
  readonly begun_at: string | null
  readonly judge: string | null
}

export interface PastRoundRow {
  readonly recorded_at: string
  readonly ended_at: string
}

export function parseRound(
  { ended, questions, begun_at }: RoundRow,
  past: readonly PastRoundRow[],
): ProviderRound | null {
  if (begun_at === null) return null
  const seconds = past.map((row) => (Date.parse(row.ended_at) - Date.parse(row.recorded_at)) / 1000)
  return { number: ended + 1, questions, begun_at, usual_seconds: median(seconds) }
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}

/** Each line of a submission ends with a line feed, which counts. */
const LINE_END_BYTES = 1

export function renderRequest({ planned, item, line }: NewProviderRequest) {
  const { leases: _leases, ...kept } = planned
  const { id, key, sample, round, request_digest, judge } = kept
  return {
    ...{ id, key, sample, round, request_digest, judge },
    planned: JSON.stringify(kept),
    batch: item.batch,
    item: item.index,
    line: packText(line, 0),
    bytes: Buffer.byteLength(line) + LINE_END_BYTES,
  }
}

export const parseLine = (row: { readonly id: string; readonly line: Buffer }) => ({
  id: row.id,
  line: unpackText(row.line),
})

/** The newest row of a question; all of its rows are its tries. */
export function parseAnswer(row: AnswerRow, tries: number): ProviderAnswer {
  const state = row.status === 'answered' || row.status === 'void' ? row.status : 'open'
  const answered = state === 'answered'
  return {
    attempt_id: row.id,
    state,
    reply: answered ? parseAnswered(row) : null,
    cost_usd: answered ? row.cost_usd : null,
    latency_ms: answered ? row.latency_ms : null,
    tries,
  }
}

function parseAnswered(row: AnswerRow): ProviderAnswer['reply'] {
  const { reply_text, raw_reply, usage, request_id, model_resolved } = row
  if (row.failure === null && reply_text !== null && raw_reply !== null)
    return parseReply({ reply_text, raw_reply, usage, request_id, model_resolved })
  if (row.failure === null) return null
  return {
    ok: false,
    failure: parseStored<Failure>(row.failure),
    raw: raw_reply === null ? null : unpackText(raw_reply),
    usage: parseUsage(usage),
    request_id,
    model_resolved,
  }
}

/** How many of the requests, in their order, one submission takes. The first is taken whatever its size. */
export function takeWithin(bytes: Iterable<number>, limits: SubmissionLimits): number {
  let [taken, sum] = [0, 0]
  for (const more of bytes) {
    sum += more
    if (taken > 0 && (taken >= limits.most_requests || sum > limits.most_bytes)) break
    taken += 1
  }
  return taken
}
