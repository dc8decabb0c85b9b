import { type Caps, isCapped, type OverBudget } from '../../ports/ledger-ports.ts'
import { type Amounts, COLUMNS, type Counted, findBrokenCap, NOTHING, scopesOf } from '../sqlite/spending.ts'
import type { Sql } from './connection/pool.ts'

/** What a call adds where it is counted. */
export type Change = readonly [Counted, Partial<Amounts>]

/** Parts in which a scope is counted, so that two calls that end together seldom wait for each other: part 0 is what a cap locks, the others count. */
const PARTS = 16

/** A row that is not there is made, so that there is something to lock. Always in the same order: nobody waits crosswise. */
const LOCK = `
  INSERT INTO spending AS kept (scope, part) SELECT scope, 0 FROM unnest($1::text[]) AS scope ORDER BY scope
  ON CONFLICT (scope, part) DO UPDATE SET calls = kept.calls`

/** By a statement of its own: what was committed while the lock was waited for counts. */
const READ = `
  SELECT scope, ${COLUMNS.map((name) => `sum(${name})::${typeOf(name)} AS ${name}`).join(', ')}
  FROM spending WHERE scope = ANY($1) GROUP BY scope`

const ADD = `
  INSERT INTO spending AS kept (scope, part, ${COLUMNS.join(', ')})
  SELECT scope, $${COLUMNS.length + 2}, ${COLUMNS.join(', ')}
  FROM unnest($1::text[], ${COLUMNS.map((name, index) => `$${index + 2}::${typeOf(name)}[]`).join(', ')})
    AS change (scope, ${COLUMNS.join(', ')}) ORDER BY scope
  ON CONFLICT (scope, part) DO UPDATE SET ${COLUMNS.map((name) => `${name} = kept.${name} + excluded.${name}`).join(', ')}`

function typeOf(name: keyof Amounts): string {
  return name.endsWith('_usd') ? 'float8' : 'bigint'
}

/** Where a cap holds: others need not wait for each other. */
const cappedScopes = ({ started_at, batch, payer }: Counted, { batch_usd, key_usd, day_usd }: Caps): string[] =>
  scopesOf({
    started_at,
    batch: batch_usd === null ? null : batch,
    payer: key_usd === null ? null : payer,
  }).slice(day_usd === null ? 1 : 0)

/**
 * The cap that so many more dollars would break; null dollars are unknown. From here to the end of the transaction nobody else spends in
 * the scopes of a cap.
 */
export async function findBroken(
  sql: Sql,
  counted: Counted,
  usd: number | null,
  caps: Caps,
): Promise<OverBudget | null> {
  if (!isCapped(caps) || usd === 0) return null
  const scopes = cappedScopes(counted, caps)
  await sql.run(LOCK, [scopes])
  const rows = await sql.rows<Amounts & { readonly scope: string }>(READ, [scopes])
  const kept = new Map(rows.map((row) => [row.scope, row]))
  return findBrokenCap((scope) => kept.get(scope) ?? NOTHING, counted, usd, caps)
}

/** Adds all changes in one statement. */
export async function addSpending(sql: Sql, changes: readonly Change[]): Promise<void> {
  const sums = new Map<string, Record<keyof Amounts, number>>()
  for (const [counted, change] of changes)
    for (const scope of scopesOf(counted)) {
      const sum = sums.get(scope) ?? { ...NOTHING }
      for (const name of COLUMNS) sum[name] += change[name] ?? 0
      sums.set(scope, sum)
    }
  if (sums.size === 0) return
  const rows = [...sums.values()]
  // Never part 0: its holder may wait for another part, and nobody may wait the other way round.
  const part = 1 + Math.floor(Math.random() * (PARTS - 1))
  await sql.run(ADD, [[...sums.keys()], ...COLUMNS.map((name) => rows.map((row) => row[name])), part])
}
