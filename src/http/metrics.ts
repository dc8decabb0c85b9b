import { LRUCache } from 'lru-cache'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Grade } from '../schemas/grade.ts'
import { countRequests } from './request-times.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** Prometheus metrics of one application: what this process did. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'veridict_' })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  // Counted here, and read when a client asks.
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
  const units = new Histogram({
    name: 'veridict_store_seconds',
    help: 'Time of a unit of work of a PostgreSQL, with its retries, by what it does.',
    labelNames: ['operation'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  const refusals = counter('veridict_store_errors_total', 'Units of work that a PostgreSQL refused, by code.', ['code'])
  // Requests that shared a failed judge call are all answered with its one grade.
  const counted = new LRUCache<string, true>({ max: 10_000 })
  return {
    registry,
    request: countRequests(registry),
    hit: () => void hits++,
    /** A unit of work of a store; `error` is a code. */
    unit(operation: string, seconds: number, error: string | null): void {
      units.observe({ operation }, seconds)
      if (error !== null) refusals.inc({ code: error })
    },
    /** A new grade, counted once however many requests it answers; a hit only counts as a hit. */
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
