import { type RawBuilder, sql as raw } from 'kysely'
import type { JudgeReply } from '../ports/judge.ts'
import type { AttemptSummary, Usage } from '../schemas/grade.ts'
import { all, assignments, type Sql } from './db.ts'
import type { Attempt, AttemptOutcome, ReplyColumns } from './schema.ts'
import { type Amounts, addAmounts, type Counted } from './spending.ts'
import { packText, parseStored, unpackText } from './text.ts'

/** The end of a call; batch endpoints know no latency. */
export interface CallEnd {
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly reply: JudgeReply
  readonly latency_ms: number | null
  readonly cost_usd: number | null
}

/** An ended call, with the amounts that its end adds to its scopes. */
export type Ended = readonly [Counted & Pick<Attempt, 'judge'>, Partial<Amounts>]

/**
 * Writes the end into the calls that a condition selects, and gives their reservations back; `amounts` are those of the end, by the bound. The
 * caller adds the returned amounts to the spending, behind every other lock of the unit of work.
 */
export async function endCalls(
  sql: Sql,
  which: RawBuilder<unknown>,
  end: Partial<Attempt>,
  amounts: (reserved: number) => Partial<Amounts> = () => ({}),
): Promise<readonly Ended[]> {
  type Row = Counted & Pick<Attempt, 'judge' | 'reserved_usd'>
  const rows = await all<Row>(sql)`UPDATE attempts SET ${assignments<'attempts'>(end)} WHERE ${which}
    RETURNING judge, started_at, batch, payer, reserved_usd`
  return rows.map(({ reserved_usd, ...row }) => {
    const reserved = reserved_usd ?? 0
    return [row, addAmounts({ reserved_usd: -reserved }, amounts(reserved))]
  })
}

export interface Bounds {
  readonly most_requests: number
  readonly most_bytes: number
}

/** Counts the calls, in their order, that fit within the bounds. The first fits whatever its size. */
export function countWithin(bytes: readonly number[], bounds: Bounds): number {
  let sum = 0
  const full = bytes.findIndex((more, at) => {
    sum += more
    return at > 0 && (at >= bounds.most_requests || sum > bounds.most_bytes)
  })
  return full === -1 ? bytes.length : full
}

/** Replies up to this many bytes are kept as they are. */
const COMPRESS_ABOVE = 1024

export const packReply = (text: string | null): Buffer | null => (text === null ? null : packText(text, COMPRESS_ABOVE))
export const unpackReply = (bytes: Buffer | null): string | null => (bytes === null ? null : unpackText(bytes))

/** Renders the end of a call as its columns. */
export const renderEnd = ({ outcome, message, reply, cost_usd, latency_ms }: CallEnd) => ({
  outcome: outcome as AttemptOutcome,
  message,
  reply_text: packReply(reply.ok ? reply.text : null),
  raw_reply: packReply(reply.raw),
  usage: reply.usage === null ? null : JSON.stringify(reply.usage),
  cost_usd,
  latency_ms,
  request_id: reply.request_id,
  model_resolved: reply.model_resolved,
})

/** The columns of a reply, as a SELECT names them. */
export const REPLY = raw`reply_text, raw_reply, usage, request_id, model_resolved`

export type GoodReply = Extract<JudgeReply, { ok: true }>

export const parseUsage = (text: string | null): Usage | null => (text === null ? null : parseStored<Usage>(text))

/** Parses a good reply; a CHECK holds its texts in every row of outcome `ok`. */
export const parseReply = ({ reply_text, raw_reply, usage, request_id, model_resolved }: ReplyColumns): GoodReply => ({
  ok: true,
  text: unpackReply(reply_text) ?? '',
  raw: unpackReply(raw_reply) ?? '',
  usage: parseUsage(usage),
  model_resolved,
  request_id,
})
