import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
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
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from './settings.ts'
import { parseTraceparent, traceGrades, traceJudge } from './spans.ts'
import type { Tracing } from './tracing.ts'

/** Milliseconds that a stop waits for the collector; spans that are not sent by then are lost. */
const CLOSE_MS = 3_000
const REPORT_MS = 60_000
/** Bounds an attribute. Attributes are short words and numbers, so that only a mistake would meet the bound. */
const LONGEST_ATTRIBUTE = 256
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Sends spans to a collector by OTLP over HTTP, in batches, from a queue of bounded length: no request waits for the collector. */
export function recordTraces({ sampler, resource, takes_parents, queue }: TracingSettings): Tracing {
  const exporter = openExporter()
  const root = new TraceIdRatioBasedSampler(sampler.ratio)
  const provider = new TracerProvider({
    sampler: sampler.parents ? new ParentBasedSampler({ root }) : root,
    resource: resourceFromAttributes(resource),
    spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue })],
  })
  installContext(takes_parents)
  const tracer = provider.getTracer('veridict')
  // Hooks and handlers are no spans of their own: their names and errors say nothing to an operator.
  const requests = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    ignorePaths: ({ url }) => PROBES.has(url.split('?')[0] ?? ''),
  })
  requests.setTracerProvider(provider)
  return {
    plugin: requests.plugin(),
    service: (service) => traceGrades(tracer, service),
    judge: (judge) => traceJudge(tracer, judge),
    onLoss: (listener) => void exporter.listeners.push(listener),
    close: () => Promise.race([provider.shutdown().catch(() => undefined), delay(CLOSE_MS, undefined, { ref: false })]),
  }
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

/** Opens the exporter, which reads its own variables. A variable of which the exporter warns is refused, without its value. */
function openExporter(): TextlessExporter {
  let refused: string | undefined
  const warn = (message: string) => {
    refused ??= message.replace(/[:,(]? *(?:actual: *)?'.*$/s, '')
  }
  const ignore = () => undefined
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore })
  const exporter = new TextlessExporter()
  diag.disable()
  if (refused !== undefined) throw new Error(`OTEL_EXPORTER_OTLP_…: ${refused}`)
  return exporter
}

/** Sends spans without texts of callers, and reports lost spans at most once a minute. */
class TextlessExporter extends OTLPTraceExporter {
  readonly listeners: ((spans: number) => void)[] = []
  private lost = 0
  private reported = Number.NEGATIVE_INFINITY

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans.map(withoutText), (result) => {
      if (result.code !== 0) this.lost += spans.length
      if (this.lost > 0 && performance.now() - this.reported >= REPORT_MS) {
        for (const listener of this.listeners) listener(this.lost)
        this.reported = performance.now()
        this.lost = 0
      }
      done(result)
    })
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
