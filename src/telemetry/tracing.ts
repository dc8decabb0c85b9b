import type { FastifyPluginCallback } from 'fastify'
import type { GradingService } from '../grading/service.ts'
import type { Judge } from '../ports/ports.ts'

/**
 * Sends spans of requests, grades and judge calls to a collector of OpenTelemetry. Names and attributes of spans are closed words, ids and
 * numbers; no text of a caller, an agent, a judge, and no key, path or message becomes part of a span.
 */
export interface Tracing {
  /** The plugin that makes a span of each HTTP request, to be registered before hooks and routes; null: no spans. */
  readonly plugin: FastifyPluginCallback | null
  /** Wraps the grading service: each grade is a span. */
  service(service: GradingService): GradingService
  /** Wraps a judge: each call is a span. The provider receives no trace header. */
  judge(judge: Judge): Judge
  /** Reports the number of spans that the collector did not accept, at most once a minute. */
  onLoss(listener: (spans: number) => void): void
  /** Sends the remaining spans, for three seconds at the most. Never rejects. */
  close(): Promise<void>
}

/** Traces nothing. */
export const NO_TRACING: Tracing = {
  plugin: null,
  service: (service) => service,
  judge: (judge) => judge,
  onLoss: () => undefined,
  close: async () => undefined,
}
