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

/** Settings of the standard OTEL_* variables. The exporter reads its own, OTEL_EXPORTER_OTLP_…, itself. */
export interface TracingSettings {
  /** Samples traces that begin here; `parents`: a caller’s decision comes first. */
  readonly sampler: { readonly root: 'on' | 'off' | 'ratio'; readonly parents: boolean; readonly ratio: number }
  readonly resource: Readonly<Record<string, string>>
  /** Continues the trace of a request’s `traceparent`. */
  readonly takes_parents: boolean
  /** Bounds the queue of spans that wait for the collector. */
  readonly queue: { readonly most: number; readonly batch: number; readonly delay_ms: number }
}
