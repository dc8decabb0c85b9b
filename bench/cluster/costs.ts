import { request } from 'undici'
import { sendBatch, waitForEnd } from '../batch-client.ts'
import { makeRequest } from '../make-body.ts'
import { readTimes } from '../process-cost.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type PostgresUse, readPostgresUse, readTableSizes } from './postgres-cost.ts'

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
    const sent = request(`${origin}/v1/grades`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      headersTimeout: 120_000,
    }).then(async (answer) => {
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
