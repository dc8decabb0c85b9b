import type { ReferenceReport } from '../../grading/move-ports.ts'
import type { Sql } from '../postgres/pool.ts'

const dangling = (table: string, column: string, other: string, id = 'id') => ({
  reference: `${table}.${column} → ${other}`,
  text: `SELECT count(*) AS n FROM ${table} WHERE ${column} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other}.${id} = ${table}.${column})`,
})

/** Those that are held by no constraint: the database itself refuses to break the others. Calls may be older than their grade. */
const REFERENCES = [
  dangling('grades', 'trajectory', 'trajectories'),
  dangling('batch_items', 'trajectory', 'trajectories'),
  dangling('batch_items', 'grade_id', 'grades'),
  dangling('attempts', 'batch', 'batches'),
  dangling('provider_requests', 'batch', 'batches'),
  {
    reference: 'batch_tallies = batch_items',
    text: `SELECT count(*) AS n FROM (
        SELECT batch, status, coalesce(label, failure_code, '') AS detail, cached, count(*) AS n FROM batch_items
        WHERE status <> 'pending' GROUP BY 1, 2, 3, 4
      ) AS counted
      FULL JOIN (
        SELECT batch, status, detail, cached, sum(n) AS n FROM batch_tallies GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0
      ) AS kept USING (batch, status, detail, cached)
      WHERE counted.n IS DISTINCT FROM kept.n`,
  },
] as const

/** What leads nowhere in the target; where the digests are equal, it led nowhere in the source. */
export async function checkReferences(sql: Pick<Sql, 'rows'>): Promise<ReferenceReport[]> {
  const found: ReferenceReport[] = []
  for (const { reference, text } of REFERENCES) {
    const [row] = await sql.rows<{ n: number }>(text)
    found.push({ reference, dangling: row?.n ?? 0 })
  }
  return found
}
