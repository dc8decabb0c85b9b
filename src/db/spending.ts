import { sql as raw } from 'kysely'
import type { JudgeReply } from '../judges/judge.ts'
import type { AttemptSummary } from '../schemas/grade.ts'
import { all, columns, type Sql } from './db.ts'
import type { Amounts, Attempt, Spending } from './schema.ts'

/** Caps in dollars; null: no cap. A day is a day of UTC. */
export interface Caps {
  readonly batch_usd: number | null
  /** The cap of the paying key, for a day. */
  readonly key_usd: number | null
  readonly day_usd: number | null
}
export const NO_CAPS: Caps = { batch_usd: null, key_usd: null, day_usd: null }

/** The cap that a call would pass, with the money that was spent or reserved before the call. */
export interface OverBudget {
  readonly cap: 'batch' | 'key' | 'day'
  readonly cap_usd: number
  readonly spent_usd: number
  /** The part of `spent_usd` that calls in flight reserve, of which only their costs stay. */
  readonly reserved_usd: number
}

export const NOTHING: Amounts = {
  ...{ settled_usd: 0, reserved_usd: 0, uncertain_usd: 0 },
  ...{ calls: 0, unknown_calls: 0, unpriced_calls: 0 },
}
const NAMES = Object.keys(NOTHING) as readonly (keyof Amounts)[]

/** The facts that decide the scopes of a call. The day is the day on which the call began, for its end too. */
export type Counted = Readonly<Pick<Attempt, 'started_at' | 'batch' | 'payer'>>

/** The amounts that a call adds to its scopes. */
export type Change = readonly [Counted, Partial<Amounts>]

/** Sums of floats may be off by so much and still be equal. */
const TOLERANCE_USD = 1e-9

/** Names the scopes of a call in the order of their names, in which all units of work write them: two units never wait for each other crosswise. */
function scopesOf({ started_at, batch, payer }: Counted): Readonly<Partial<Record<OverBudget['cap'], string>>> {
  const day = started_at.slice(0, 10)
  return {
    ...(batch !== null && { batch: `batch:${batch}` }),
    day: `day:${day}`,
    ...(payer !== null && { key: `key:${payer}:${day}` }),
  }
}

const NARROWEST = ['batch', 'key', 'day'] as const

/**
 * Reserves the bound of a call in all of its scopes. Returns the narrowest cap that the bound passes, or null; the caller rolls the unit of work back
 * then. A bound of null dollars is unknown and passes every cap; a call that costs nothing passes none.
 */
export async function reserveIn(
  sql: Sql,
  call: Counted & Readonly<Pick<Attempt, 'reserved_usd'>>,
  caps: Caps,
  calls: number,
): Promise<OverBudget | null> {
  const usd = call.reserved_usd
  const scopes = scopesOf(call)
  const change = { reserved_usd: usd ?? 0, calls }
  const sums = await addTo(
    sql,
    Object.values(scopes).map((scope) => [scope, change]),
  )
  if (usd === 0) return null
  for (const cap of NARROWEST) {
    const cap_usd = caps[`${cap}_usd`]
    const sum = sums.find(({ scope }) => scope === scopes[cap])
    if (cap_usd === null || sum === undefined) continue
    if (usd !== null && spentOf(sum) <= cap_usd + TOLERANCE_USD) continue
    const reserved = sum.reserved_usd - change.reserved_usd
    const reserved_usd = reserved > TOLERANCE_USD ? reserved : 0
    return { cap, cap_usd, spent_usd: spentOf({ ...sum, reserved_usd: reserved }), reserved_usd }
  }
  return null
}

const spentOf = ({ settled_usd, reserved_usd, uncertain_usd }: Amounts): number =>
  settled_usd + reserved_usd + uncertain_usd

/** Adds the changes to their scopes, in the order of all units of work. */
export async function addSpending(sql: Sql, changes: readonly Change[]): Promise<void> {
  const sums = new Map<string, Partial<Amounts>>()
  for (const [counted, change] of changes)
    for (const scope of Object.values(scopesOf(counted))) sums.set(scope, addAmounts(sums.get(scope) ?? {}, change))
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  if (rows.length > 0) await addTo(sql, rows)
}

const ADDED = columns(NAMES.map((name) => `${name} = spending.${name} + excluded.${name}`))

/** Adds to scopes, which are made where they are missing, one after the other. Returns the sums. */
const addTo = (sql: Sql, rows: readonly (readonly [scope: string, change: Partial<Amounts>])[]) =>
  all<Spending>(sql)`INSERT INTO spending (scope, ${columns(NAMES)})
    VALUES ${raw.join(rows.map(([scope, change]) => raw`(${scope}, ${raw.join(NAMES.map((name) => change[name] ?? 0))})`))}
    ON CONFLICT (scope) DO UPDATE SET ${ADDED} RETURNING scope, ${columns(NAMES)}`

/** Ends that the provider answers before it runs anything: without usage they cost nothing. */
const UNPAID: ReadonlySet<AttemptSummary['outcome']> = new Set([
  ...(['rate_limited', 'quota_exhausted', 'authentication'] as const),
  ...(['refused', 'context_overflow', 'budget_exceeded'] as const),
])

/** The facts of the end of a call that decide its amounts. */
export interface PaidEnd {
  readonly outcome: AttemptSummary['outcome']
  readonly reply: JudgeReply
  readonly cost_usd: number | null
}

/**
 * Computes the amounts of a call that has ended. Known costs are settled; tokens without a price are counted as such; a call that may have been paid
 * for at an unknown price stays counted with the bound that was reserved for it.
 */
export function amountsOf({ outcome, reply, cost_usd }: PaidEnd, reserved: number): Partial<Amounts> {
  if (cost_usd !== null) return { settled_usd: cost_usd }
  if (reply.usage !== null) return { unpriced_calls: 1 }
  if (UNPAID.has(outcome)) return {}
  return reply.ok ? { uncertain_usd: reserved, unpriced_calls: 1 } : { uncertain_usd: reserved }
}

/** Adds up changes name by name. */
export function addAmounts(...changes: readonly Partial<Amounts>[]): Partial<Amounts> {
  const sum: { -readonly [K in keyof Amounts]?: Amounts[K] } = {}
  for (const change of changes)
    for (const name of Object.keys(change) as (keyof Amounts)[]) sum[name] = (sum[name] ?? 0) + (change[name] ?? 0)
  return sum
}
