import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, propagation, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { ItemOutcome } from '../grading/grade.ts'
import type { GradingJob } from '../grading/judge-question.ts'
import type { Judge } from '../judges/judge.ts'
import { traceGrade, traceJudge } from './spans.ts'

/** Milliseconds that a stop waits for the collector; spans that are not sent by then are lost. */
const CLOSE_MS = 3_000
const PROBES = /^\/(?:healthz|readyz|metrics)(?:\?|$)/

export interface TracingSettings {
  /** Samples a share of the traces that begin here; `parents`: a caller’s decision comes first. */
  readonly sampler: { readonly ratio: number; readonly parents: boolean }
  /** Bounds the queue of spans that wait for the collector, in the words of the SDK. */
  readonly queue: { readonly maxQueueSize: number; readonly scheduledDelayMillis: number }
}

/** Sends spans to a collector by OTLP over HTTP, in batches, from a queue of bounded length: no request waits for the collector. */
export function recordTraces({ sampler, queue }: TracingSettings, role: string) {
  const exporter = new TextlessExporter()
  const root = new TraceIdRatioBasedSampler(sampler.ratio)
  const instance = { 'service.name': role, 'service.instance.id': `${hostname()}/${process.pid}` }
  const provider = new TracerProvider({
    sampler: sampler.parents ? new ParentBasedSampler({ root }) : root,
    resource: resourceFromAttributes(instance).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue })],
  })
  installContext()
  const tracer = provider.getTracer('veridict')
  // Hooks and handlers get no spans of their own: their names and errors do not help an operator.
  const requests = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => PROBES.test(url),
  })
  requests.setTracerProvider(provider)
  return {
    /** Makes a span of each HTTP request; stands before hooks and routes. */
    plugin: requests.plugin(),
    grade: (job: GradingJob, work: () => Promise<ItemOutcome>) => traceGrade(tracer, job, work),
    judge: (judge: Judge): Judge => traceJudge(tracer, judge),
    /** Reports the number of spans in a sending that the collector did not accept. */
    onLoss(listener: (spans: number) => void) {
      exporter.onLoss = listener
    },
    /** Sends the remaining spans, for three seconds at the most. Never rejects. */
    close: () => Promise.race([provider.shutdown().catch(() => undefined), delay(CLOSE_MS, undefined, { ref: false })]),
  }
}

/** Keeps the active span over `await`, and reads `traceparent`. Both are settings of the process. */
function installContext(): void {
  const current = new AsyncLocalStorage<typeof ROOT_CONTEXT>()
  const manager: Parameters<typeof context.setGlobalContextManager>[0] = {
    active: () => current.getStore() ?? ROOT_CONTEXT,
    with: (ctx, work, self, ...args) => current.run(ctx, () => work.call(self, ...args)),
    bind: (_ctx, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
}

/** Sends spans without texts of callers, and reports spans that were not accepted. */
class TextlessExporter extends OTLPTraceExporter {
  onLoss: (spans: number) => void = () => undefined

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans.map(withoutText), (result) => {
      if (result.code !== 0) this.onLoss(spans.length)
      done(result)
    })
  }
}

/**
 * Leaves the `tracestate` of the caller out of an ended span, and the path, the query and the message of an error out of the span of a
 * request, which is named by method and route. Only a status from 500 on is an error of the service.
 */
function withoutText(span: Parameters<OTLPTraceExporter['export']>[0][number]) {
  const { traceState: _state, ...ids } = span.spanContext()
  const { 'url.path': _path, 'fastify.root': root, ...attributes } = span.attributes
  const { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status } = attributes
  const failed = Number(status) >= 500
  const request = {
    name: route === undefined ? String(method) : `${method} ${route}`,
    attributes: failed ? { ...attributes, 'error.type': String(status) } : attributes,
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
  }
  return Object.assign(span, { spanContext: () => ids }, root === undefined ? {} : request)
}
