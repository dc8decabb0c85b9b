import {
  type Caps,
  type FinishedAttempt,
  isCapped,
  type OverBudget,
  type PlannedAttempt,
} from '../../ports/ledger-ports.ts'
import type { Sql, Work } from '../db.ts'

/** The columns of `spending`: dollars and numbers of calls. */
export const COLUMNS = [
  'settled_usd',
  'reserved_usd',
  'uncertain_usd',
  'calls',
  'unknown_calls',
  'unpriced_calls',
] as const

export type Amounts = Readonly<Record<(typeof COLUMNS)[number], number>>

const NOTHING: Amounts = {
  settled_usd: 0,
  reserved_usd: 0,
  uncertain_usd: 0,
  calls: 0,
  unknown_calls: 0,
  unpriced_calls: 0,
}

/** What decides where a call is counted. The day is the one in which it began, for its end too. */
export type Counted = Pick<PlannedAttempt, 'started_at' | 'batch' | 'payer'>

/** What a call adds where it is counted. */
export type Change = readonly [Counted, Partial<Amounts>]

/** Over the parts of a scope. */
export const sumOf = (name: keyof Amounts): string =>
  name.endsWith('_usd') ? `sum(${name})` : `CAST(sum(${name}) AS BIGINT)`

/**
 * The narrowest cap that so many more dollars would break; null dollars are unknown. What costs nothing breaks no cap, not even one that is
 * broken already. From here to the end of the unit of work no other process spends in
 * the scopes of a cap.
 */
export function* findBroken(sql: Sql, counted: Counted, usd: number | null, caps: Caps): Work<OverBudget | null> {
  if (!isCapped(caps) || usd === 0) return null
  const spent = yield* sql.spent(cappedScopes(counted, caps))
  const findIn = (scope: string, cap: OverBudget['cap'], capUsd: number | null) => {
    if (capUsd === null) return null
    const { settled_usd, reserved_usd, uncertain_usd } = { ...NOTHING, ...spent.get(scope) }
    const spent_usd = settled_usd + reserved_usd + uncertain_usd
    const fits = usd !== null && spent_usd + usd <= capUsd + TOLERANCE_USD
    return fits
      ? null
      : { cap, cap_usd: capUsd, spent_usd, reserved_usd: reserved_usd > TOLERANCE_USD ? reserved_usd : 0 }
  }
  const { started_at, batch, payer } = counted
  return (
    (batch === null ? null : findIn(batchScope(batch), 'batch', caps.batch_usd)) ??
    (payer === null ? null : findIn(keyScope(payer, started_at), 'key', caps.key_usd)) ??
    findIn(dayScope(started_at), 'day', caps.day_usd)
  )
}

/** Adds all changes to the day and, where there are such, to the batch and to the day of the paying key. */
export function addSpending(sql: Sql, changes: readonly Change[]): Work<void> {
  const sums = new Map<string, Amounts>()
  for (const [counted, change] of changes)
    for (const scope of scopesOf(counted)) {
      const sum = sums.get(scope)
      sums.set(scope, sum === undefined ? { ...NOTHING, ...change } : addAmounts(sum, change))
    }
  return sql.addSpending(sums)
}

/** Sums of floats may be off by so much and still be equal. */
const TOLERANCE_USD = 1e-9

const batchScope = (batch: string): string => `batch:${batch}`
const dayScope = (startedAt: string): string => `day:${startedAt.slice(0, 10)}`
const keyScope = (payer: string, startedAt: string): string => `key:${payer}:${startedAt.slice(0, 10)}`

/** Where a call is counted: on its day and, where there are such, on its batch and on the day of the paying key. */
const scopesOf = ({ started_at, batch, payer }: Counted): string[] => [
  dayScope(started_at),
  ...(batch === null ? [] : [batchScope(batch)]),
  ...(payer === null ? [] : [keyScope(payer, started_at)]),
]

/** Where a cap holds: others need not wait for each other. */
const cappedScopes = ({ started_at, batch, payer }: Counted, { batch_usd, key_usd, day_usd }: Caps): string[] =>
  scopesOf({
    started_at,
    batch: batch_usd === null ? null : batch,
    payer: key_usd === null ? null : payer,
  }).slice(day_usd === null ? 1 : 0)

/** Ends that the provider answers before it runs anything: without usage they cost nothing. */
const UNPAID: ReadonlySet<FinishedAttempt['outcome']> = new Set([
  'rate_limited',
  'quota_exhausted',
  'authentication',
  'refused',
  'context_overflow',
  'budget_exceeded',
])

type Ended = Pick<FinishedAttempt, 'outcome' | 'reply' | 'cost_usd'>

/**
 * What a call that has ended adds, with the upper bound that was reserved for it. Known costs are settled; tokens without a price
 * are counted as such; what may have been paid without our knowing how much stays counted with its upper bound.
 */
export function amountsOf(ended: Ended, reserved: number): Partial<Amounts> {
  if (ended.cost_usd !== null) return { settled_usd: ended.cost_usd }
  if (ended.reply.usage !== null) return { unpriced_calls: 1 }
  if (UNPAID.has(ended.outcome)) return {}
  // A reply that came without its usage was paid for, at an unknown price.
  return ended.reply.ok ? { uncertain_usd: reserved, unpriced_calls: 1 } : { uncertain_usd: reserved }
}

/** Adds up changes name by name. */
export function addAmounts(...changes: readonly Partial<Amounts>[]): Amounts {
  const sum: Record<keyof Amounts, number> = { ...NOTHING }
  for (const change of changes)
    for (const name of Object.keys(change) as (keyof Amounts)[]) sum[name] += change[name] ?? 0
  return sum
}
