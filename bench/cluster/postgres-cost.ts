import { readdirSync, readFileSync } from 'node:fs'
import type { PostgresServer } from '../../test/storage/postgres-server.ts'
import { readTimes } from '../process-cost.ts'

/** What a PostgreSQL has used up to now. */
export interface PostgresUse {
  /** User and system time of the server and all its backends, those that are gone too. */
  readonly cpu_s: number
  readonly commits: number
  /** Transactions that wrote, exactly; the server counts commits some seconds late. */
  readonly writes: number
  readonly wal_bytes: number
  readonly wal_syncs: number
  readonly database_bytes: number
  readonly connections: number
}

const USE = `
  SELECT
    (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS commits,
    pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes,
    (SELECT wal_bytes::float8 FROM pg_stat_wal) AS wal_bytes,
    (SELECT coalesce(sum(fsyncs), 0)::float8 FROM pg_stat_io WHERE object = 'wal') AS wal_syncs,
    pg_database_size(current_database())::float8 AS database_bytes,
    (SELECT count(*)::float8 FROM pg_stat_activity WHERE application_name LIKE 'veridict%') AS connections`

export async function readPostgresUse(postgres: PostgresServer): Promise<PostgresUse> {
  const [row] = await postgres.query(USE)
  return { ...(row as unknown as Omit<PostgresUse, 'cpu_s'>), cpu_s: readCpu(postgres.port) }
}

/** Bytes of each table with its indexes and long values, largest first. */
export async function readTableSizes(postgres: PostgresServer): Promise<{ name: string; bytes: number }[]> {
  const rows = await postgres.query(
    `SELECT schemaname || '.' || relname AS name, pg_total_relation_size(relid)::float8 AS bytes
     FROM pg_stat_user_tables WHERE pg_total_relation_size(relid) > 0 ORDER BY bytes DESC`,
  )
  return rows as unknown as { name: string; bytes: number }[]
}

/** The server is the process that was told this port. Linux only. */
function readCpu(port: number): number {
  const pids = readdirSync('/proc').filter((name) => Number(name) > 0)
  const server = pids.find((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words[words.indexOf('-p') + 1] === `${port}` && (words[0] ?? '').endsWith('postgres')
    } catch {
      return false
    }
  })
  if (server === undefined) return Number.NaN
  const own = readTimes(server)
  const backends = pids.map(readTimes).filter((times) => times?.parent === Number(server))
  return (own?.own ?? 0) + (own?.children ?? 0) + backends.reduce((sum, times) => sum + (times?.own ?? 0), 0)
}
