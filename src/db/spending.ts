import { type ExpressionBuilder, sql as raw } from 'kysely'
import type { JudgeReply } from '../ports/judge.ts'
import type { AttemptSummary } from '../schemas/grade.ts'
import type { Sql } from './db.ts'
import type { Tables } from './schema.ts'

/** Caps in dollars; null: no cap. A day is a day of UTC. */
export interface Caps {
  readonly batch_usd: number | null
  /** The cap of the paying key, for a day. */
  readonly key_usd: number | null
  readonly day_usd: number | null
}
export const NO_CAPS: Caps = { batch_usd: null, key_usd: null, day_usd: null }

export const isCapped = ({ batch_usd, key_usd, day_usd }: Caps): boolean =>
  batch_usd !== null || key_usd !== null || day_usd !== null

/** The cap that a call would pass, with the money that was spent or reserved before the call. */
export interface OverBudget {
  readonly cap: 'batch' | 'key' | 'day'
  readonly cap_usd: number
  readonly spent_usd: number
  /** The part of `spent_usd` that calls in flight reserve, of which only their costs stay. */
  readonly reserved_usd: number
}

/** The columns of `spending`: dollars and numbers of calls. */
const COLUMNS = ['settled_usd', 'reserved_usd', 'uncertain_usd', 'calls', 'unknown_calls', 'unpriced_calls'] as const
export type Amounts = Readonly<Record<(typeof COLUMNS)[number], number>>

export const NOTHING: Amounts = {
  settled_usd: 0,
  reserved_usd: 0,
  uncertain_usd: 0,
  calls: 0,
  unknown_calls: 0,
  unpriced_calls: 0,
}

/** The facts that decide the scopes of a call. The day is the day on which the call began, for its end too. */
export interface Counted {
  readonly started_at: string
  readonly batch: string | null
  readonly payer: string | null
}

/** The amounts that a call adds to its scopes. */
export type Change = readonly [Counted, Partial<Amounts>]

/** Sums of floats may be off by so much and still be equal. */
const TOLERANCE_USD = 1e-9

interface Scope {
  readonly scope: string
  readonly cap: OverBudget['cap']
  readonly cap_usd: number | null
}

/** Lists the scopes of a call in the order in which all units of work write them: two units never wait for each other crosswise. */
function scopesOf({ started_at, batch, payer }: Counted, caps: Caps = NO_CAPS): Scope[] {
  const day = started_at.slice(0, 10)
  const scopes: Scope[] = []
  if (batch !== null) scopes.push({ scope: `batch:${batch}`, cap: 'batch', cap_usd: caps.batch_usd })
  scopes.push({ scope: `day:${day}`, cap: 'day', cap_usd: caps.day_usd })
  if (payer !== null) scopes.push({ scope: `key:${payer}:${day}`, cap: 'key', cap_usd: caps.key_usd })
  return scopes
}

const NARROWEST = ['batch', 'key', 'day'] as const

/**
 * Reserves the bound of a call in all of its scopes. Returns the narrowest cap that the bound would pass, or null; the caller rolls the unit of work
 * back then. A bound of null dollars is unknown and passes every cap; a call that costs nothing passes none.
 */
export async function reserveIn(sql: Sql, counted: Counted, usd: number | null, caps: Caps, change: Partial<Amounts>) {
  const passed: OverBudget[] = []
  for (const { scope, cap, cap_usd } of scopesOf(counted, caps)) {
    const limit = cap_usd === null || usd === 0 ? null : usd === null ? Number.NEGATIVE_INFINITY : cap_usd - usd
    if (await addTo(sql, scope, change, limit)) continue
    const spent = await readSpending(sql, scope)
    passed.push({
      ...{ cap, cap_usd: cap_usd ?? 0, spent_usd: spent.settled_usd + spent.reserved_usd + spent.uncertain_usd },
      reserved_usd: spent.reserved_usd > TOLERANCE_USD ? spent.reserved_usd : 0,
    })
  }
  return NARROWEST.flatMap((cap) => passed.find((one) => one.cap === cap) ?? [])[0] ?? null
}

/** Adds the changes to their scopes, in the order of all units of work. */
export async function addSpending(sql: Sql, changes: readonly Change[]): Promise<void> {
  const sums = new Map<string, Partial<Amounts>>()
  for (const [counted, change] of changes)
    for (const { scope } of scopesOf(counted)) sums.set(scope, addAmounts(sums.get(scope) ?? {}, change))
  for (const [scope, sum] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) await addTo(sql, scope, sum, null)
}

/** Adds to one scope, which is made where it is missing. With a limit, returns false, and adds nothing, where more dollars are spent already. */
async function addTo(sql: Sql, scope: string, change: Partial<Amounts>, limit: number | null): Promise<boolean> {
  const row = { scope, ...NOTHING, ...change }
  const names = Object.keys(change) as (keyof Amounts)[]
  const insert = sql.insertInto('spending')
  const added = ({ ref }: ExpressionBuilder<Tables, 'spending'>) =>
    Object.fromEntries(names.map((name) => [name, raw<number>`${ref(`spending.${name}`)} + excluded.${raw.ref(name)}`]))
  if (limit === null) {
    await insert
      .values(row)
      .onConflict((conflict) => conflict.column('scope').doUpdateSet(added as never))
      .execute()
    return true
  }
  const bound = Number.isFinite(limit) ? limit + TOLERANCE_USD : -1
  const add = async (): Promise<boolean> => {
    const { numUpdatedRows } = await sql
      .updateTable('spending')
      .set(({ eb }) => Object.fromEntries(names.map((name) => [name, eb(name, '+', change[name] ?? 0)])) as never)
      .where('scope', '=', scope)
      .where(raw<boolean>`settled_usd + reserved_usd + uncertain_usd <= ${bound}`)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }
  if (await add()) return true
  await insert
    .values({ scope, ...NOTHING })
    .onConflict((conflict) => conflict.column('scope').doNothing())
    .execute()
  return add()
}

/** Reads the amounts of a scope; a scope without a row has spent nothing. */
export const readSpending = async (sql: Sql, scope: string): Promise<Amounts> =>
  (await sql.selectFrom('spending').select(COLUMNS).where('scope', '=', scope).executeTakeFirst()) ?? NOTHING

/** Ends that the provider answers before it runs anything: without usage they cost nothing. */
const UNPAID: ReadonlySet<AttemptSummary['outcome']> = new Set([
  'rate_limited',
  'quota_exhausted',
  'authentication',
  'refused',
  'context_overflow',
  'budget_exceeded',
])

interface Ended {
  readonly outcome: AttemptSummary['outcome']
  readonly reply: JudgeReply
  readonly cost_usd: number | null
}

/**
 * Computes the amounts of a call that has ended. Known costs are settled; tokens without a price are counted as such; a call that may have been paid
 * for at an unknown price stays counted with the bound that was reserved for it.
 */
export function amountsOf({ outcome, reply, cost_usd }: Ended, reserved: number): Partial<Amounts> {
  if (cost_usd !== null) return { settled_usd: cost_usd }
  if (reply.usage !== null) return { unpriced_calls: 1 }
  if (UNPAID.has(outcome)) return {}
  return reply.ok ? { uncertain_usd: reserved, unpriced_calls: 1 } : { uncertain_usd: reserved }
}

/** Adds up changes name by name. */
export function addAmounts(...changes: readonly Partial<Amounts>[]): Partial<Amounts> {
  const sum: Partial<Record<keyof Amounts, number>> = {}
  for (const change of changes)
    for (const name of Object.keys(change) as (keyof Amounts)[]) sum[name] = (sum[name] ?? 0) + (change[name] ?? 0)
  return sum
}
