import type Database from 'better-sqlite3'
import type { Caps, FinishedAttempt, OverBudget, PlannedAttempt } from '../../ports/ledger-ports.ts'

/** A row of `spending`: dollars and numbers of calls. */
export interface Amounts {
  readonly settled_usd: number
  readonly reserved_usd: number
  readonly uncertain_usd: number
  readonly calls: number
  readonly unknown_calls: number
  readonly unpriced_calls: number
}

/** What decides where a call is counted. The day is the one in which it began, for its end too. */
export type Counted = Pick<PlannedAttempt, 'started_at' | 'batch' | 'payer'>

/** Money by scope. Only to be used inside of a unit of work, beside the row that the change is about. */
export interface Spending {
  read(scope: string): Amounts
  /** The cap that so many more dollars would break; null dollars are unknown, and no cap holds for the unknown. */
  findBroken(counted: Counted, usd: number | null, caps: Caps): OverBudget | null
  /** Adds to the day and, where there are such, to the batch and to the day of the paying key. */
  add(counted: Counted, change: Partial<Amounts>): void
}

export const NOTHING: Amounts = {
  settled_usd: 0,
  reserved_usd: 0,
  uncertain_usd: 0,
  calls: 0,
  unknown_calls: 0,
  unpriced_calls: 0,
}

export const COLUMNS = Object.keys(NOTHING) as (keyof Amounts)[]

const ADD = `
  INSERT INTO spending (scope, ${COLUMNS.join(', ')}) VALUES (@scope, ${COLUMNS.map((name) => `@${name}`).join(', ')})
  ON CONFLICT (scope) DO UPDATE SET ${COLUMNS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`

/** Sums of floats may be off by so much and still be equal. */
const TOLERANCE_USD = 1e-9

export const batchScope = (batch: string): string => `batch:${batch}`
const dayScope = (startedAt: string): string => `day:${startedAt.slice(0, 10)}`
const keyScope = (payer: string, startedAt: string): string => `key:${payer}:${startedAt.slice(0, 10)}`

/** Where a call is counted: on its day and, where there are such, on its batch and on the day of the paying key. */
export const scopesOf = ({ started_at, batch, payer }: Counted): string[] => [
  dayScope(started_at),
  ...(batch === null ? [] : [batchScope(batch)]),
  ...(payer === null ? [] : [keyScope(payer, started_at)]),
]

/** The cap that so many more dollars would break, the narrowest first. */
export function findBrokenCap(
  read: (scope: string) => Amounts,
  { started_at, batch, payer }: Counted,
  usd: number | null,
  caps: Caps,
): OverBudget | null {
  const findIn = (scope: string, cap: OverBudget['cap'], capUsd: number | null) => {
    // What costs nothing breaks no cap, not even one that is broken already.
    if (capUsd === null || usd === 0) return null
    const { settled_usd, reserved_usd, uncertain_usd } = read(scope)
    const spent_usd = settled_usd + reserved_usd + uncertain_usd
    const fits = usd !== null && spent_usd + usd <= capUsd + TOLERANCE_USD
    return fits
      ? null
      : { cap, cap_usd: capUsd, spent_usd, reserved_usd: reserved_usd > TOLERANCE_USD ? reserved_usd : 0 }
  }
  return (
    (batch === null ? null : findIn(batchScope(batch), 'batch', caps.batch_usd)) ??
    (payer === null ? null : findIn(keyScope(payer, started_at), 'key', caps.key_usd)) ??
    findIn(dayScope(started_at), 'day', caps.day_usd)
  )
}

export function createSpending(db: Database.Database): Spending {
  const select = db.prepare(`SELECT ${COLUMNS.join(', ')} FROM spending WHERE scope = ?`)
  const upsert = db.prepare(ADD)
  const read = (scope: string): Amounts => (select.get(scope) as Amounts | undefined) ?? NOTHING
  return {
    read,
    findBroken: (counted, usd, caps) => findBrokenCap(read, counted, usd, caps),
    add(counted, change) {
      for (const scope of scopesOf(counted)) upsert.run({ ...NOTHING, ...change, scope })
    },
  }
}

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
  // A reply that came without its usage was paid for, at a price that nobody knows.
  return ended.reply.ok ? { uncertain_usd: reserved, unpriced_calls: 1 } : { uncertain_usd: reserved }
}

/** Adds up changes name by name. */
export function addAmounts(...changes: readonly Partial<Amounts>[]): Amounts {
  const sum: Record<keyof Amounts, number> = { ...NOTHING }
  for (const change of changes)
    for (const name of Object.keys(change) as (keyof Amounts)[]) sum[name] += change[name] ?? 0
  return sum
}
