import { AsyncLocalStorage } from 'node:async_hooks'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import {
  type Context,
  type ContextManager,
  context,
  diag,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { parseTraceparent, traceGrades, traceJudge } from './spans.ts'
import type { Tracing, TracingSettings } from './tracing.ts'

/** Milliseconds that a stop waits for the collector; spans that are not sent by then are lost. */
const CLOSE_MS = 3_000
const TELL_MS = 60_000
/** Bounds an attribute. Attributes are short words and numbers, so that only a mistake would meet the bound. */
const LONGEST_ATTRIBUTE = 256
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Sends spans to a collector by OTLP over HTTP, in batches, from a queue of bounded length: no request waits for the collector. */
export function recordTraces(settings: TracingSettings): Tracing {
  const listeners: ((spans: number) => void)[] = []
  const { queue } = settings
  const provider = new TracerProvider({
    sampler: samplerOf(settings.sampler),
    resource: resourceFromAttributes(settings.resource),
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: guardExporter(openExporter(), (spans) => listeners.forEach((listener) => void listener(spans))),
        maxQueueSize: queue.most,
        maxExportBatchSize: queue.batch,
        scheduledDelayMillis: queue.delay_ms,
      }),
    ],
  })
  installContext(settings.takes_parents)
  const tracer = provider.getTracer('veridict')
  return {
    plugin: requestPlugin(provider),
    service: (service) => traceGrades(tracer, service),
    judge: (judge) => traceJudge(tracer, judge),
    onLoss: (listener) => void listeners.push(listener),
    close: () => closeInTime(provider),
  }
}

/** Makes the plugin of request spans. Hooks and handlers are no spans of their own: their names and errors say nothing to an operator. */
function requestPlugin(provider: TracerProvider): Tracing['plugin'] {
  const instrumentation = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => PROBES.has(url.split('?')[0] ?? ''),
  })
  instrumentation.setTracerProvider(provider)
  return instrumentation.plugin()
}

/** Keeps the active span over `await`, and reads `traceparent` if `takesParents`. Both are settings of the process. */
function installContext(takesParents: boolean): void {
  const current = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => current.getStore() ?? ROOT_CONTEXT,
    with: (ctx, work, self, ...args) => current.run(ctx, () => work.call(self, ...args)),
    bind: (_ctx, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.disable()
  context.setGlobalContextManager(manager)
  propagation.disable()
  if (!takesParents) return
  // The propagator of the SDK would send `tracestate`, a text of the caller, to the collector.
  propagation.setGlobalPropagator({
    inject: () => undefined,
    extract(ctx, carrier, getter) {
      const parent = parseTraceparent(getter.get(carrier, 'traceparent'))
      return parent === null ? ctx : trace.setSpanContext(ctx, parent)
    },
    fields: () => [],
  })
}

/** Opens the exporter, which reads its own variables. A variable of which it warns is refused, without its value. */
function openExporter(): SpanExporter {
  let refused: string | undefined
  const warn = (message: string) => {
    refused ??= message.replace(/[:,(]? *(?:actual: *)?'.*$/s, '')
  }
  const ignore = () => undefined
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore })
  const exporter = new OTLPTraceExporter()
  diag.disable()
  if (refused !== undefined) throw new Error(`OTEL_EXPORTER_OTLP_…: ${refused}`)
  return exporter
}

/** Wraps an exporter: spans leave without texts of callers, and lost spans are counted and reported at most once a minute. */
function guardExporter(inner: SpanExporter, onLoss: (spans: number) => void): SpanExporter {
  let lost = 0
  let told = Number.NEGATIVE_INFINITY
  return {
    export: (spans, done) =>
      inner.export(spans.map(withoutText), (result) => {
        if (result.code !== 0) lost += spans.length
        if (lost > 0 && performance.now() - told >= TELL_MS) {
          onLoss(lost)
          told = performance.now()
          lost = 0
        }
        done(result)
      }),
    shutdown: () => inner.shutdown(),
    forceFlush: () => inner.forceFlush?.() ?? Promise.resolve(),
  }
}

/**
 * Leaves the path, the query and the message of an error out of the span of a request, and names the span by method and route. Only a
 * status from 500 on is an error of the service.
 */
function withoutText(span: ReadableSpan): ReadableSpan {
  if (span.attributes['fastify.root'] === undefined) return span
  const { 'url.path': _path, 'fastify.root': _root, ...attributes } = span.attributes
  const { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status } = attributes
  const failed = Number(status) >= 500
  const clean = {
    name: route === undefined ? String(method) : `${method} ${route}`,
    attributes: failed ? { ...attributes, 'error.type': String(status) } : attributes,
    status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
  }
  return Object.create(span, Object.getOwnPropertyDescriptors(clean)) as ReadableSpan
}

function samplerOf({ root, parents, ratio }: TracingSettings['sampler']): Sampler {
  const own = {
    on: () => new AlwaysOnSampler(),
    off: () => new AlwaysOffSampler(),
    ratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]()
  return parents ? new ParentBasedSampler({ root: own }) : own
}

async function closeInTime(provider: TracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  await Promise.race([provider.shutdown().catch(() => undefined), late])
  clearTimeout(timer)
}
