import { request } from 'undici'
import type { PostgresServer } from '../../test/storage/postgres-server.ts'

/** One thing that must hold, and what was found. */
export interface Claim {
  readonly claim: string
  readonly found: string
  readonly holds: boolean
}

export const claim = (text: string, found: string, holds: boolean): Claim => ({ claim: text, found, holds })

/** What the database says of a batch when it has ended. */
export interface StoredFacts {
  readonly items: number
  readonly graded: number
  /** Grades in the database, which has no other batch, and how many different questions they answer. */
  readonly grades: number
  readonly keys: number
  /** Calls that were begun, good replies among them, those whose end is unknown, and good replies that no grade uses. */
  readonly calls: number
  readonly ok: number
  readonly unknown: number
  readonly unused: number
}

const FACTS = `
  SELECT
    (SELECT count(*)::int FROM batch_items i JOIN batches b ON b.seq = i.batch WHERE b.id = $1) AS items,
    (SELECT count(*)::int FROM batch_items i JOIN batches b ON b.seq = i.batch WHERE b.id = $1 AND i.status = 'graded') AS graded,
    (SELECT count(*)::int FROM grades) AS grades,
    (SELECT count(DISTINCT key)::int FROM grades) AS keys,
    (SELECT count(*)::int FROM attempts WHERE batch = $1) AS calls,
    (SELECT count(*)::int FROM attempts WHERE batch = $1 AND outcome = 'ok') AS ok,
    (SELECT count(*)::int FROM attempts WHERE batch = $1 AND outcome IN ('sent', 'unknown')) AS unknown,
    (SELECT count(*)::int FROM attempts a WHERE a.batch = $1 AND a.outcome = 'ok'
      AND NOT EXISTS (SELECT 1 FROM grades g WHERE g.id = a.grade_id)) AS unused`

export async function readFacts(postgres: PostgresServer, batch: string): Promise<StoredFacts> {
  const [row] = await postgres.query(
    FACTS.replaceAll(/(FROM|JOIN) (batch_items|batches|grades|attempts)/g, '$1 veridict.$2'),
    [batch],
  )
  return row as unknown as StoredFacts
}

/** Claims that each of so many items stands once in the results, and has one grade. */
export function eachOnce(text: string, items: number, { grades, keys }: StoredFacts, results: Results): Claim {
  const found = `${results.lines} lines, ${results.items} items, ${grades} grades of ${keys} questions`
  return claim(
    text,
    found,
    [results.lines, results.items, grades, keys].every((count) => count === items),
  )
}

/** The results as a caller reads them: how many lines, and how many different items. */
interface Results {
  readonly lines: number
  readonly items: number
}

export async function readResults(origin: string, batch: string): Promise<Results> {
  const answer = await request(`${origin}/v1/batches/${batch}/results`, { headers: { accept: 'application/x-ndjson' } })
  if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}: ${await answer.body.text()}`)
  const lines = (await answer.body.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { item_id: string })
  return { lines: lines.length, items: new Set(lines.map(({ item_id }) => item_id)).size }
}

const COUNT = 'SELECT count(*)::int AS n FROM veridict.attempts WHERE process = $1'

/** Calls of a process in flight, as the ledger has them. */
export async function countSent(postgres: PostgresServer, process: string): Promise<number> {
  const [row] = await postgres.query(`${COUNT} AND outcome = 'sent'`, [process])
  return Number(row?.['n'])
}

/** Calls that a process has begun after a time. */
export async function countCalls(postgres: PostgresServer, process: string, after: Date): Promise<number> {
  const [row] = await postgres.query(`${COUNT} AND started_at > $2`, [process, after.toISOString()])
  return Number(row?.['n'])
}

/** The spending of a batch, the bounds of its calls of unknown end, and its calls in flight. */
export interface Money {
  readonly unknown_calls: number
  readonly uncertain_usd: number
  readonly reserved_usd: number
  readonly bounds_usd: number
  readonly sent: number
}

const MONEY = `
  SELECT s.unknown_calls::int, s.uncertain_usd::float8, s.reserved_usd::float8, u.bounds_usd, u.sent
  FROM veridict.spending s, (
    SELECT coalesce(sum(reserved_usd) FILTER (WHERE outcome = 'unknown'), 0)::float8 AS bounds_usd,
      count(*) FILTER (WHERE outcome = 'sent')::int AS sent
    FROM veridict.attempts WHERE batch = $1
  ) u WHERE s.scope = 'batch:' || $1`

export async function readMoney(postgres: PostgresServer, batch: string): Promise<Money> {
  const [row] = await postgres.query(MONEY, [batch])
  return row as unknown as Money
}
