import { ASSUMED_OUTPUT_TOKENS, type OutputHistory } from '../domain/money/history.ts'
import { priceOn, upperBoundUsd } from '../domain/money/price.ts'
import type { JudgeInfo, JudgeReply, JudgeRequest } from '../ports/judge-ports.ts'
import { type Caps, isCapped, type OverBudget } from '../ports/ledger-ports.ts'
import { budgetExceeded } from './asker.ts'
import { requestBoundUsd, UNLIMITED_OUTPUT_TOKENS } from './margin.ts'

/** A call that is to be made, and how its upper bound is written down. */
export interface Reserving {
  readonly info: JudgeInfo
  readonly request: JudgeRequest
  readonly caps: Caps
  /** Whose price counts. */
  readonly at: Date
  /** The price of a token as a share of that of a single call (`BatchApi.price_factor`). */
  readonly factor: number
  readonly history: (judge: string) => Promise<OutputHistory>
  /** Writes the call down with its bound; answers the cap that it would break, and then nothing is written. */
  readonly begin: (request: JudgeRequest, bound: number | null) => Promise<OverBudget | null>
}

/** What may be sent now, or that there is no money for it. */
type Reserved =
  | { readonly ok: true; readonly request: JudgeRequest }
  | { readonly ok: false; readonly reply: JudgeReply }

/**
 * Reserves a call under its caps. Where the bound of the whole output limit does not fit and nothing else is reserved that could come
 * back, the call is made with the shorter limit that what is left pays for: no call can cost more than is left, and what is left is not
 * kept back for an output that this judge never writes.
 */
export async function reserve(reserving: Reserving): Promise<Reserved> {
  const { info, request, caps, at, factor, begin } = reserving
  // Without a cap, too: a call of unknown end may have cost as much.
  const isCounted = isCapped(caps) || info.prices.length > 0
  let asked = request
  for (;;) {
    const bound = isCounted ? requestBoundUsd(info, asked, at, factor) : null
    const over = await begin(asked, bound)
    if (over === null) return { ok: true, request: asked }
    if (bound === null || over.reserved_usd > 0) return { ok: false, reply: budgetExceeded(over, bound) }
    // Shorter each time: under another cap, or since another call took some of it in between.
    const least = leastOutput(info, request, await reserving.history(info.name))
    const shorter = shorten(reserving, over.cap_usd - over.spent_usd, least)
    if (shorter === null) {
      const needed = requestBoundUsd(info, { ...request, max_output_tokens: least }, at, factor)
      return { ok: false, reply: budgetExceeded(over, needed) }
    }
    asked = shorter
  }
}

/** A quarter more than the longest answer so far, and at least what is assumed of a judge that never answered; never above its limit. */
function leastOutput(info: JudgeInfo, request: JudgeRequest, history: OutputHistory): number {
  const limit = limitOf(info, request)
  // An answer that was cut off is asked for again with more room, not with less.
  if (limit > limitOf(info, { ...request, max_output_tokens: null })) return limit
  return Math.min(limit, Math.ceil(Math.max(ASSUMED_OUTPUT_TOKENS, history.longest * 1.25)))
}

/** Null: what is left does not pay for the least that makes sense. */
function shorten({ info, request, at, factor }: Reserving, leftUsd: number, least: number): JudgeRequest | null {
  const price = priceOn(info.prices, at)
  const input = requestBoundUsd(info, { ...request, max_output_tokens: 0 }, at, factor)
  if (price === null || input === null) return null
  const token = upperBoundUsd({ input: 0, output: 1 }, price) * factor
  const room = Math.floor((leftUsd - input) / token)
  return room >= least ? { ...request, max_output_tokens: Math.min(room, limitOf(info, request)) } : null
}

const limitOf = (info: JudgeInfo, request: JudgeRequest): number =>
  request.max_output_tokens ?? info.max_output_tokens ?? UNLIMITED_OUTPUT_TOKENS
