import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { JudgeState } from '../../db/judges.ts'
import type { Grade } from '../../schemas/grade.ts'
import { ITEM_STATUSES } from '../../schemas/vocabulary.ts'
import type { Context } from '../context.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the Prometheus metrics of this process. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'veridict_' })
  const of = (name: string, help: string, ...labelNames: string[]) => ({
    name,
    help,
    labelNames,
    registers: [registry],
  })
  const cache = new Counter(of('veridict_cache_total', 'Grade requests by whether a stored grade answered.', 'result'))
  const grades = new Counter(of('veridict_grades_total', 'New grades.', 'judge', 'status', 'label'))
  const attempts = new Counter(of('veridict_judge_attempts_total', 'Calls of judges by outcome.', 'judge', 'outcome'))
  const cost = new Counter(of('veridict_judge_cost_usd_total', 'Known cost of judge calls in dollars.', 'judge'))
  const latency = new Histogram({
    ...of('veridict_judge_call_seconds', 'Time of a call of a judge, by outcome.', 'judge', 'outcome'),
    buckets: [0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 60, 120],
  })
  const requests = new Histogram({
    ...of('veridict_http_request_seconds', 'Time to answer, by route.', 'route', 'method', 'status'),
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  })
  const refusals = new Counter(
    of('veridict_store_errors_total', 'Errors of the database at work on batches, by code.', 'code'),
  )
  // Requests that shared a failed call are answered with the same grade.
  const counted = new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1 })
  return {
    registry,
    request: (route: string, method: string, status: number, seconds: number): void =>
      requests.observe({ route, method, status }, seconds),
    hit: () => cache.inc({ result: 'hit' }),
    storeRefused: (code: string) => refusals.inc({ code }),
    /** Counts a new grade once, however many requests it answers. */
    graded({ id, status, label, receipt: { judge, attempts: calls } }: Grade): void {
      cache.inc({ result: 'miss' })
      if (counted.has(id)) return
      counted.set(id, true)
      grades.inc({ judge, status, label: label ?? 'none' })
      for (const { replayed, outcome, latency_ms, cost_usd } of calls) {
        if (replayed) continue
        attempts.inc({ judge, outcome })
        latency.observe({ judge, outcome }, latency_ms / 1000)
        cost.inc({ judge }, cost_usd ?? 0)
      }
    },
  }
}

/** Counts and logs each request by its route (a path would be a series for every id), never a header or a body. Good answers are debug lines. */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const { statusCode: status } = reply
    const route = request.routeOptions.url ?? null
    const ms = reply.elapsedTime
    metrics.request(route ?? 'none', method, status, ms / 1000)
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug'
    request.log[level]({ method, route, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}

/** Bounds the batches whose open items are counted; the newest come first. */
const MOST_BATCHES = 200
/** A silent database must not cost the scrape: Prometheus waits for ten seconds. */
const MOST_WAIT_MS = 3_000

/** The labels of a series, with its value. */
type Row = readonly [labels: Readonly<Record<string, string>>, value: number]

/** Counts the grades of batches, and adds gauges that are read at each scrape; a failed read leaves its figures out. */
export function measureContext(metrics: Metrics, context: Context): void {
  const { judges, laneOf, stores } = context
  context.listen({
    onTrouble: ({ error }) => {
      if (error instanceof Error && error.name === 'StorageError')
        metrics.storeRefused(String(Reflect.get(error, 'code')))
    },
    onItem: (outcome) => {
      if (outcome.kind === 'graded') outcome.cached ? metrics.hit() : metrics.graded(outcome.grade)
    },
  })
  const gauge = (
    name: string,
    help: string,
    labelNames: string[],
    read: () => readonly Row[] | Promise<readonly Row[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [metrics.registry],
      async collect() {
        const rows = await read()
        this.reset()
        for (const [labels, value] of rows) this.inc(labels, value)
      },
    })

  const lane = (name: string, help: string, member: 'limit' | 'in_flight' | 'waiting') =>
    gauge(name, help, ['judge'], () => [...judges.keys()].map((judge) => [{ judge }, laneOf(judge).state[member]]))
  lane('veridict_lane_limit', 'Calls of a judge that this process may have in flight.', 'limit')
  lane('veridict_lane_in_flight', 'Calls of a judge in flight.', 'in_flight')
  lane('veridict_lane_waiting', 'Calls that wait for their turn.', 'waiting')
  gauge('veridict_lane_state', '1 for the state that a judge is in.', ['judge', 'state'], async () => {
    const states = await Promise.all(
      [...judges.keys()].map(async (judge) => ({
        judge,
        now: await stores.judges.get(judge).then(stateOf, () => null),
      })),
    )
    return states.flatMap(({ judge, now }) =>
      ['open', 'paused', 'out'].map((state): Row => [{ judge, state }, state === now ? 1 : 0]),
    )
  })

  const open = readOnce(() => readOpenBatches(context))
  const batch = (name: string, help: string, label: string, of: keyof OpenBatches) =>
    gauge(name, help, [label], async () =>
      Object.entries((await open())?.[of] ?? {}).map(([value, n]) => [{ [label]: value }, n]),
    )
  batch('veridict_batches', 'Batches that have not ended, by status.', 'status', 'batches')
  batch('veridict_batch_items', 'Open items of running batches: pending, or running anywhere.', 'state', 'items')
  batch('veridict_batch_items_ended', 'Ended items of running batches, each by its one end.', 'end', 'ended')
  batch('veridict_batch_failures', 'Failed items of running batches, by code.', 'code', 'failures')

  // All stored grades and their citations: the evidence of each judge is a published figure.
  const evidence = readOnce(() => stores.grades.countEvidence())
  const stored = (name: string, help: string, of: 'grade' | 'citation') =>
    gauge(name, help, ['judge', 'rubric', 'status'], async () =>
      ((await evidence()) ?? [])
        .filter(({ kind }) => kind === of)
        .map(({ judge, rubric, status, n }) => [{ judge, rubric, status }, n]),
    )
  stored('veridict_stored_grades', 'Stored grades, by status.', 'grade')
  stored('veridict_stored_citations', 'Checked citations of stored grades, by status.', 'citation')
}

/** Names the state of a judge: a silent judge is `out`, a judge that asked for a pause is `paused`. */
const stateOf = ({ paused_until, rests }: JudgeState) =>
  paused_until <= Date.now() ? 'open' : rests > 0 ? 'out' : 'paused'

/** Reads the database once for all gauges of a scrape; null for a failed read and after the longest wait. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T | null> {
  let reading: Promise<T | null> | null = null
  return () => {
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null
      })
    return Promise.race([reading, delay(MOST_WAIT_MS, null, { ref: false })])
  }
}

type OpenBatches = Readonly<Record<'batches' | 'items' | 'ended' | 'failures', Readonly<Record<string, number>>>>

/** Counts the open batches and the items of the running batches; an unreadable database has none. */
async function readOpenBatches({ stores }: Context): Promise<OpenBatches> {
  const list = (status: 'running' | 'parked' | 'cancelling') =>
    stores.batches.list({ status, limit: MOST_BATCHES }).catch(() => [])
  const [running, parked, cancelling] = await Promise.all([list('running'), list('parked'), list('cancelling')])
  const sum = (name: 'pending' | 'running' | (typeof ITEM_STATUSES)[number]) =>
    running.reduce((total, { counts }) => total + counts[name], 0)
  const failures: Record<string, number> = {}
  for (const { failures: own } of running)
    for (const [code, n = 0] of Object.entries(own)) failures[code] = (failures[code] ?? 0) + n
  return {
    batches: { running: running.length, parked: parked.length, cancelling: cancelling.length },
    items: { pending: sum('pending'), running: sum('running') },
    ended: Object.fromEntries(ITEM_STATUSES.map((end) => [end, sum(end)])),
    failures,
  }
}
