import { LRUCache } from 'lru-cache'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Grade } from '../schemas/grade.ts'

export interface Metrics {
  readonly registry: Registry
  request(route: string, method: string, status: number, seconds: number): void
  /** A new grade, counted once however many requests it answers; a hit only counts as a hit. */
  graded(grade: Grade): void
  hit(): void
}

/** Prometheus metrics of one application. Figures about evidence are per judge: they are a published figure of the service. */
export function createMetrics({ unusableProjects }: { readonly unusableProjects: () => number }): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'veridict_' })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const http = new Histogram({
    name: 'veridict_http_request_seconds',
    help: 'Time to answer, by route.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  })
  new Gauge({
    name: 'veridict_projects_unusable',
    help: 'Projects whose database could not be opened when it was last tried; the log says why.',
    registers: [registry],
    collect() {
      this.set(unusableProjects())
    },
  })
  const cache = counter('veridict_cache_total', 'Grade requests by whether a stored grade answered.', ['result'])
  const grades = counter('veridict_grades_total', 'New grades.', ['judge', 'status', 'label'])
  const attempts = counter('veridict_judge_attempts_total', 'Calls of judges by outcome.', ['judge', 'outcome'])
  const citations = counter('veridict_citations_total', 'Checked citations by status.', ['judge', 'status'])
  const cost = counter('veridict_judge_cost_usd_total', 'Known cost of judge calls in dollars.', ['judge'])
  // Requests that shared a failed judge call are all answered with its one grade.
  const counted = new LRUCache<string, true>({ max: 10_000 })
  return {
    registry,
    request: (route, method, status, seconds) => http.observe({ route, method, status: String(status) }, seconds),
    hit: () => cache.inc({ result: 'hit' }),
    graded(grade) {
      const { judge } = grade.receipt
      cache.inc({ result: 'miss' })
      if (counted.has(grade.id)) return
      counted.set(grade.id, true)
      grades.inc({ judge, status: grade.status, label: grade.label ?? 'none' })
      for (const citation of grade.citations) citations.inc({ judge, status: citation.status })
      for (const attempt of grade.receipt.attempts) {
        if (attempt.replayed) continue
        attempts.inc({ judge, outcome: attempt.outcome })
        cost.inc({ judge }, attempt.cost_usd ?? 0)
      }
    },
  }
}
