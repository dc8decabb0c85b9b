import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Grade } from '../../schemas/grade.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the Prometheus metrics of this process. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'veridict_' })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  let hits = 0
  const cache = new Counter({
    name: 'veridict_cache_total',
    help: 'Grade requests by whether a stored grade answered.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      if (hits > 0) this.inc({ result: 'hit' }, hits)
      hits = 0
    },
  })
  const grades = counter('veridict_grades_total', 'New grades.', ['judge', 'status', 'label'])
  const attempts = counter('veridict_judge_attempts_total', 'Calls of judges by outcome.', ['judge', 'outcome'])
  const cost = counter('veridict_judge_cost_usd_total', 'Known cost of judge calls in dollars.', ['judge'])
  const latency = new Histogram({
    name: 'veridict_judge_call_seconds',
    help: 'Time of a call of a judge, by outcome.',
    labelNames: ['judge', 'outcome'],
    buckets: [0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 60, 120],
    registers: [registry],
  })
  const requests = new Histogram({
    name: 'veridict_http_request_seconds',
    help: 'Time to answer, by route.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  const refusals = counter('veridict_store_errors_total', 'Errors of the database at work on batches, by code.', [
    'code',
  ])
  // Requests that shared a failed call are answered with the same grade.
  const counted = new LRUCache<string, true>({ max: 10_000 })
  return {
    registry,
    request: (route: string, method: string, status: number, seconds: number): void =>
      requests.observe({ route, method, status }, seconds),
    hit: () => void hits++,
    storeRefused: (code: string) => refusals.inc({ code }),
    /** Counts a new grade once, however many requests it answers. */
    graded(grade: Grade): void {
      const { judge } = grade.receipt
      cache.inc({ result: 'miss' })
      if (counted.has(grade.id)) return
      counted.set(grade.id, true)
      grades.inc({ judge, status: grade.status, label: grade.label ?? 'none' })
      for (const attempt of grade.receipt.attempts) {
        if (attempt.replayed) continue
        attempts.inc({ judge, outcome: attempt.outcome })
        latency.observe({ judge, outcome: attempt.outcome }, attempt.latency_ms / 1000)
        cost.inc({ judge }, attempt.cost_usd ?? 0)
      }
    },
  }
}

/**
 * Counts each request by its route (a path would be a series for every id), and logs method, route, status and time, never a header or a
 * body. Good answers are debug lines, so that a hit costs no log line.
 */
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
