import { type Caps, isCapped, type OverBudget } from '../../grading/ledger-ports.ts'
import { type Amounts, COLUMNS, type Counted, findBrokenCap, NOTHING, scopesOf } from '../spending.ts'
import type { Sql } from './pool.ts'

/** What a call adds where it is counted. */
export type Change = readonly [Counted, Partial<Amounts>]

/** A row that is not there is made, so that there is something to lock. Always in the same order: nobody waits crosswise. */
const LOCK = `
  INSERT INTO spending AS kept (scope) SELECT scope FROM unnest($1::text[]) AS scope ORDER BY scope
  ON CONFLICT (scope) DO UPDATE SET calls = kept.calls RETURNING scope, ${COLUMNS.join(', ')}`

const ADD = `
  INSERT INTO spending AS kept (scope, ${COLUMNS.join(', ')})
  SELECT * FROM unnest($1::text[], ${COLUMNS.map((name, index) => `$${index + 2}::${typeOf(name)}[]`).join(', ')})
    AS change (scope, ${COLUMNS.join(', ')}) ORDER BY scope
  ON CONFLICT (scope) DO UPDATE SET ${COLUMNS.map((name) => `${name} = kept.${name} + excluded.${name}`).join(', ')}`

function typeOf(name: keyof Amounts): string {
  return name.endsWith('_usd') ? 'float8' : 'bigint'
}

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
  const rows = await sql.rows<Amounts & { readonly scope: string }>(LOCK, [scopesOf(counted)])
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
  await sql.run(ADD, [[...sums.keys()], ...COLUMNS.map((name) => rows.map((row) => row[name]))])
}
