import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import { context, propagation, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { ItemOutcome } from '../grading/grade.ts'
import type { GradingJob } from '../grading/judge-question.ts'
import type { Judge } from '../judges/judge.ts'
import { traceGrade, traceJudge } from './spans.ts'
import type { TracingSettings } from './tracing-settings.ts'

/** Milliseconds that a stop waits for the collector; spans and events that are not sent by then are lost. */
const CLOSE_MS = 3_000
const PROBES = /^\/(?:healthz|readyz|metrics)(?:\?|$)/

/** Sends spans and events to a collector by OTLP over HTTP, in batches, from queues of bounded length: no request waits for the collector. */
export function recordTraces({ sampler, queue, events }: TracingSettings, role: string) {
  const root = new TraceIdRatioBasedSampler(sampler.ratio)
  const instance = { 'service.name': role, 'service.instance.id': `${hostname()}/${process.pid}` }
  const resource = resourceFromAttributes(instance).merge(detectResources({ detectors: [envDetector] }))
  const provider = new TracerProvider({
    sampler: sampler.parents ? new ParentBasedSampler({ root }) : root,
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: new TextlessExporter(), ...queue })],
  })
  const processors = events ? [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(), ...queue })] : []
  const logs = new LoggerProvider({ resource, processors })
  // Both are settings of the process: the active span is kept over `await`, and `traceparent` is read.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const [tracer, logger] = [provider.getTracer('veridict'), logs.getLogger('veridict')]
  // Hooks and handlers get no spans of their own: their names and errors do not help an operator.
  const requests = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => PROBES.test(url),
  })
  requests.setTracerProvider(provider)
  const shutdown = () => Promise.allSettled([provider.shutdown(), logs.shutdown()])
  return {
    /** Makes a span of each HTTP request; stands before hooks and routes. */
    plugin: requests.plugin(),
    grade: (job: GradingJob, work: () => Promise<ItemOutcome>) => traceGrade(tracer, logger, job, work),
    judge: (judge: Judge): Judge => traceJudge(tracer, judge),
    /** Reports each sending that the collector did not accept, by the SDK’s handler of errors. */
    onLoss: (listener: () => void) => setGlobalErrorHandler(listener),
    /** Sends the remaining spans and events, for three seconds at the most. Never rejects. */
    close: () => Promise.race([shutdown(), delay(CLOSE_MS, undefined, { ref: false })]),
  }
}

/** Sends spans without texts of callers. */
class TextlessExporter extends OTLPTraceExporter {
  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans.map(withoutText), done)
  }
}

/**
 * Leaves the `tracestate` of the caller out of an ended span, and the path, the query and the message of an error out of the span of a
 * request, which is named by method and route. Only a status from 500 on is an error of the service.
 */
function withoutText(span: ReadableSpan) {
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
