import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'undici'
import type { PostgresServer } from '../../test/storage/postgres-server.ts'
import { sendBatch, waitForEnd } from '../batch-client.ts'
import { makeRequest } from '../make-body.ts'
import { readTimes } from '../servers.ts'
import { type Cluster, startCluster } from './cluster.ts'

export interface CostOptions {
  readonly items: number
  readonly item_bytes: number
  readonly latency_ms: number
  readonly at_once: number
  readonly fsync: boolean
}

interface Use {
  readonly service_s: number
  readonly worker_s: number
  readonly postgres: PostgresUse
}

interface Costs {
  readonly tables: readonly { readonly name: string; readonly bytes_per_item: number }[]
  readonly connections: number
}

/** One service, one worker: takes a batch in while no worker runs, grades it, then asks for hits and single grades. */
export async function measureCosts(options: CostOptions, say: (line: string) => void): Promise<Costs> {
  const { items, item_bytes, latency_ms, at_once, fsync } = options
  const cluster = await startCluster({ services: 1, workers: 0, latency_ms, at_once, fsync })
  try {
    const origin = cluster.services[0]?.origin ?? ''
    const sizes = async () => new Map((await readTableSizes(cluster.postgres)).map(({ name, bytes }) => [name, bytes]))
    const before = await sizes()
    const measure = async <T>(part: string, count: number, work: () => Promise<T>): Promise<T> => {
      const from = await readUse(cluster)
      const value = await work()
      const to = await readUse(cluster)
      const cells = COLUMNS.map(([, digits, of]) => ((of(to) - of(from)) / count).toFixed(digits))
      say(inColumns([part, ...cells]))
      return value
    }
    say(inColumns(['each', ...COLUMNS.map(([head]) => head)]))
    const { id: batch } = await measure('taking an item in', items, () => sendBatch(origin, items, item_bytes, 'cost'))
    const worker = await cluster.addWorker()
    await measure('grading an item', items, () => waitForEnd(origin, batch, 900))
    const connections = (await readPostgresUse(cluster.postgres)).connections
    const after = await sizes()
    await worker.stop()
    const singles = Math.min(500, items)
    const bodies = Array.from({ length: singles }, (_, index) =>
      JSON.stringify({ ...makeRequest(item_bytes, `single-x${index}`), judge: 'openai' }),
    )
    await measure('a single grade', singles, () => postAll(origin, bodies))
    await measure('a hit', singles, () => postAll(origin, bodies))
    const tables = [...after]
      .map(([name, bytes]) => ({ name, bytes_per_item: (bytes - (before.get(name) ?? 0)) / items }))
      .filter(({ bytes_per_item }) => bytes_per_item > 10)
    return { tables, connections }
  } finally {
    await cluster.end()
  }
}

export async function readUse(cluster: Cluster): Promise<Use> {
  const cpu = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + (readTimes(pid)?.own ?? 0), 0)
  return {
    service_s: cpu(cluster.services.map(({ pid }) => pid)),
    worker_s: cpu(cluster.workers.map(({ pid }) => pid)),
    postgres: await readPostgresUse(cluster.postgres),
  }
}

const AT_ONCE = 32

async function postAll(origin: string, bodies: readonly string[]): Promise<void> {
  const open = new Set<Promise<void>>()
  for (const body of bodies) {
    const options = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      headersTimeout: 120_000,
    } as const
    const sent = request(`${origin}/v1/grades`, { ...options, body }).then(async (answer) => {
      const text = await answer.body.text()
      if (answer.statusCode > 201) throw new Error(`HTTP ${answer.statusCode}: ${text.slice(0, 300)}`)
    })
    const done = sent.finally(() => open.delete(done))
    open.add(done)
    if (open.size >= AT_ONCE) await Promise.race(open)
  }
  await Promise.all(open)
}

/** Columns of what one grade takes: the head, the decimals, and the amount. Milliseconds are processor time; the rest is of PostgreSQL. */
const COLUMNS: readonly (readonly [head: string, digits: number, of: (use: Use) => number])[] = [
  ['service ms', 2, ({ service_s }) => service_s * 1000],
  ['worker ms', 2, ({ worker_s }) => worker_s * 1000],
  ['postgres ms', 2, ({ postgres }) => postgres.cpu_s * 1000],
  // Those that only read among them.
  ['transactions', 1, ({ postgres }) => postgres.commits],
  ['writes', 1, ({ postgres }) => postgres.writes],
  // Of the log, to the disk; many commits share one.
  ['syncs', 2, ({ postgres }) => postgres.wal_syncs],
  ['WAL KB', 1, ({ postgres }) => postgres.wal_bytes / 1024],
  ['stored KB', 1, ({ postgres }) => postgres.database_bytes / 1024],
]

const WIDTHS = [20, 12, 12, 14, 15, 8, 8, 10, 12] as const
const inColumns = (cells: readonly string[]): string =>
  cells.map((cell, at) => (at === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[at] ?? 12))).join('')

export const renderTables = ({ tables, connections }: Costs): string =>
  [
    ...tables.map(({ name, bytes_per_item }) => `  ${name}: ${(bytes_per_item / 1024).toFixed(2)} KB an item`),
    `  connections while it graded: ${connections} (one service, one worker)`,
  ].join('\n')

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

export interface ScalingOptions {
  readonly workers: readonly number[]
  readonly items: number
  readonly item_bytes: number
  readonly latency_ms: number
  readonly at_once: number
  /** What one worker takes at the most; null: as much as the judge’s limit allows. */
  readonly most_in_flight: number | null
  readonly rounds: number
  readonly fsync: boolean
}

/** Items a second with so many workers, and the processor time of an item in all processes. */
export interface Throughput {
  readonly workers: number
  readonly per_second: number
  readonly cpu_ms: number
}

/** The same number of trials for each number of workers, in turns over one PostgreSQL; the best of the rounds counts. */
export async function measureScaling(options: ScalingOptions, say: (line: string) => void): Promise<Throughput[]> {
  const best = new Map<number, Throughput>()
  for (let round = 1; round <= options.rounds; round++)
    for (const workers of options.workers) {
      const now = await measureOne(options, workers, round)
      if (now.per_second > (best.get(workers)?.per_second ?? 0)) best.set(workers, now)
      say(
        `  ${workers} workers: ${now.per_second.toFixed(1)} items a second, ${now.cpu_ms.toFixed(1)} ms of processors an item`,
      )
    }
  return [...best.values()]
}

async function measureOne(options: ScalingOptions, workers: number, round: number): Promise<Throughput> {
  const { items, item_bytes, latency_ms, at_once, most_in_flight, fsync } = options
  const limits = most_in_flight === null ? {} : { most_in_flight }
  const size = { services: 1, workers: 0, latency_ms, at_once, fsync }
  const cluster = await startCluster({ ...size, settings: { workers: limits } })
  try {
    const origin = cluster.services[0]?.origin ?? ''
    const { id: batch } = await sendBatch(origin, items, item_bytes, `scale${round}w${workers}`)
    await Promise.all(Array.from({ length: workers }, () => cluster.addWorker()))
    // The start is not counted: from the first look at which an item is graded to the last look.
    const first = Promise.withResolvers<{ readonly at: number; readonly graded: number; readonly cpu_ms: number }>()
    let isFirst = true
    await waitForEnd(origin, batch, 900, ({ counts: { graded } }) => {
      if (graded > 0 && isFirst) {
        isFirst = false
        const at = Date.now()
        readAllCpu(cluster).then((cpu_ms) => first.resolve({ at, graded, cpu_ms }), first.reject)
      }
    })
    const at = Date.now()
    const begun = await first.promise
    const cpu_ms = ((await readAllCpu(cluster)) - begun.cpu_ms) / (items - begun.graded)
    return { workers, per_second: ((items - begun.graded) * 1000) / Math.max(1, at - begun.at), cpu_ms }
  } finally {
    await cluster.end()
  }
}

async function readAllCpu(cluster: Cluster): Promise<number> {
  const { service_s, worker_s, postgres } = await readUse(cluster)
  return (service_s + worker_s + postgres.cpu_s) * 1000
}

export function renderScaling(all: readonly Throughput[]): string {
  const one = all.find(({ workers }) => workers === 1)?.per_second ?? Number.NaN
  return all
    .map(({ workers, per_second, cpu_ms }) => {
      const efficiency = per_second / one / workers
      return `${workers} workers: ${per_second.toFixed(1)} items a second, ${(per_second / one).toFixed(2)}x of one, efficiency ${(efficiency * 100).toFixed(0)} %, ${((per_second * cpu_ms) / 1000).toFixed(2)} processors`
    })
    .join('\n')
}
