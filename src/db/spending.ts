import { type RawBuilder, sql as raw } from 'kysely'
import { assignments, columns, type Sql } from './db.ts'
import type { Amounts, Attempt, Spending } from './schema.ts'

/** The key that asked and pays, with the dollars that it may spend in a day of UTC (null: no cap). */
export type Payer = Readonly<{ key_id: string; max_cost_usd_per_day: number | null }>

/** Caps in dollars of a batch, and of the paying key and of all calls for a day of UTC; null: no cap. */
export type Caps = Readonly<Record<'batch_usd' | 'key_usd' | 'day_usd', number | null>>
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

/** The facts of a call that decide its scopes and its amounts. The day is the day on which the call began, for its end too. */
type Counted = Readonly<Pick<Attempt, 'started_at' | 'batch' | 'payer' | 'outcome' | 'reserved_usd'>> &
  Readonly<Partial<Pick<Attempt, 'bytes' | 'usage' | 'cost_usd'>>>

/** An ended call, with the amounts that its end adds to its scopes. */
export type Ended = readonly [Counted & Pick<Attempt, 'judge'>, Amounts]

/** Sums of floats may be off by so much and still be equal. */
const TOLERANCE_USD = 1e-9

/** Ends that the provider answers before it runs anything: without usage they cost nothing. */
const UNPAID: ReadonlySet<Attempt['outcome']> = new Set([
  ...(['void', 'rate_limited', 'quota_exhausted', 'authentication'] as const),
  ...(['refused', 'context_overflow', 'budget_exceeded'] as const),
])

/** Computes the amounts of a call by its row: its cost where that is known; its bound on its way, and where it may have been paid for at an unknown price. */
function amountsOf({ outcome, usage, cost_usd, bytes, ...call }: Counted): Amounts {
  const reserved_usd = call.reserved_usd ?? 0
  // A request of a provider’s batch counts as a call once the request is answered.
  if (outcome === 'queued' || outcome === 'sent') return { ...NOTHING, reserved_usd, calls: bytes == null ? 1 : 0 }
  const ended = { ...NOTHING, calls: outcome === 'void' ? 0 : 1 }
  if (outcome === 'unknown') return { ...ended, uncertain_usd: reserved_usd, unknown_calls: 1 }
  if (cost_usd != null) return { ...ended, settled_usd: cost_usd }
  if (usage != null) return { ...ended, unpriced_calls: 1 }
  if (UNPAID.has(outcome)) return ended
  return { ...ended, uncertain_usd: reserved_usd, unpriced_calls: outcome === 'ok' ? 1 : 0 }
}

const addAmounts = (sum: Amounts, change: Amounts, times = 1): Amounts =>
  Object.fromEntries(NAMES.map((name) => [name, sum[name] + times * change[name]])) as Amounts

/** Condition: the call is a direct call without an end. */
export const IN_FLIGHT = raw`outcome = 'sent' AND submission IS NULL`

/** Writes the end into the calls in one state that a condition selects. The caller adds the amounts to the spending behind all other locks of its unit. */
export async function endCalls(sql: Sql, which: RawBuilder<unknown>, state: Attempt['outcome'], end: Partial<Attempt>) {
  // SQLite prepares a statement anew for each value that the condition of a partial index names, where the value is bound.
  const rows = await sql.all<Ended[0]>`UPDATE attempts SET ${assignments<'attempts'>(end)}
    WHERE ${which} AND outcome = ${raw.lit(state)}
    RETURNING judge, started_at, batch, payer, outcome, reserved_usd, bytes, usage, cost_usd`
  return rows.map((row): Ended => [row, addAmounts(amountsOf(row), amountsOf({ ...row, outcome: state }), -1)])
}

const scopesOf = ({ started_at, batch, payer }: Counted): Readonly<Record<OverBudget['cap'], string | null>> => ({
  batch: batch && `batch:${batch}`,
  key: payer && `key:${payer}:${started_at.slice(0, 10)}`,
  day: `day:${started_at.slice(0, 10)}`,
})

/** Reserves the bound of a call. Returns the narrowest cap that the bound passes, so that the caller rolls back: a bound of null passes every cap, 0 none. */
export async function reserveIn(sql: Sql, call: Counted, caps: Caps): Promise<OverBudget | null> {
  const usd = call.reserved_usd
  const change = amountsOf(call)
  const sums = await addSpending(sql, [[call, change]])
  if (usd === 0) return null
  for (const [cap, scope] of Object.entries(scopesOf(call)) as [OverBudget['cap'], string | null][]) {
    const cap_usd = caps[`${cap}_usd`]
    const sum = sums.find((row) => row.scope === scope)
    if (cap_usd === null || sum === undefined) continue
    const spent_usd = sum.settled_usd + sum.reserved_usd + sum.uncertain_usd
    if (usd !== null && spent_usd <= cap_usd + TOLERANCE_USD) continue
    const reserved = sum.reserved_usd - change.reserved_usd
    const reserved_usd = reserved > TOLERANCE_USD ? reserved : 0
    return { cap, cap_usd, spent_usd: spent_usd - change.reserved_usd, reserved_usd }
  }
  return null
}

const ADDED = columns(NAMES.map((name) => `${name} = spending.${name} + excluded.${name}`))

/** Adds amounts to the scopes of their calls, in the order of names: two units of work never wait for each other crosswise. Returns the sums. */
export async function addSpending(sql: Sql, changes: readonly (readonly [Counted, Amounts])[]): Promise<Spending[]> {
  const sums = new Map<string, Amounts>()
  for (const [call, change] of changes)
    for (const scope of Object.values(scopesOf(call)))
      if (scope !== null) sums.set(scope, addAmounts(sums.get(scope) ?? NOTHING, change))
  if (sums.size === 0) return []
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return sql.all<Spending>`INSERT INTO spending (scope, ${columns(NAMES)})
    VALUES ${raw.join(rows.map(([scope, sum]) => raw`(${scope}, ${raw.join(NAMES.map((name) => sum[name]))})`))}
    ON CONFLICT (scope) DO UPDATE SET ${ADDED} RETURNING scope, ${columns(NAMES)}`
}
