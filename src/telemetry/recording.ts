import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import * as otel from '@opentelemetry/api'
import { wrapTracer } from '@opentelemetry/api/experimental'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import * as sdk from '@opentelemetry/sdk-trace'
import type { GradingJob, ItemOutcome } from '../grading/grade.ts'
import type { Judge, JudgeReply } from '../judges/judge.ts'
import type { Grade } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'

export interface TracingSettings {
  /** The share of the traces that begin here; `parents`: a caller’s decision comes first. */
  readonly sampler: { readonly ratio: number; readonly parents: boolean }
  /** Bounds of the queue of spans, and of that of events, in the words of the SDK. */
  readonly queue: { readonly maxQueueSize: number; readonly scheduledDelayMillis: number }
  readonly events: boolean
}

/** Milliseconds that a stop waits for the collector; spans and events that are not sent by then are lost. */
const CLOSE_MS = 3_000
const PROBES = /^\/(?:healthz|readyz|metrics)(?:\?|$)/

/** Sends spans and events to a collector by OTLP over HTTP, in batches, from queues of bounded length: no request waits for the collector. */
export function recordTraces({ sampler, queue, events }: TracingSettings, role: string) {
  const root = new sdk.TraceIdRatioBasedSampler(sampler.ratio)
  const instance = { 'service.name': role, 'service.instance.id': `${hostname()}/${process.pid}` }
  const resource = resourceFromAttributes(instance).merge(detectResources({ detectors: [envDetector] }))
  const provider = new sdk.TracerProvider({
    sampler: sampler.parents ? new sdk.ParentBasedSampler({ root }) : root,
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new TextlessExporter(), ...queue })],
  })
  const processors = events ? [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(), ...queue })] : []
  const logs = new LoggerProvider({ resource, processors })
  // Both are settings of the process: the active span is kept over `await`, and `traceparent` is read.
  otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  otel.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
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

class TextlessExporter extends OTLPTraceExporter {
  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans.map(withoutText), done)
  }
}

/** Leaves the `tracestate`, path, query and error message of a caller out of a span. Only a status from 500 on is an error of the service. */
function withoutText(span: sdk.ReadableSpan) {
  const { traceState: _state, ...ids } = span.spanContext()
  const { 'url.path': _path, 'fastify.root': root, ...attributes } = span.attributes
  const { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status } = attributes
  const failed = Number(status) >= 500
  const request = {
    name: route === undefined ? String(method) : `${method} ${route}`,
    attributes: failed ? { ...attributes, 'error.type': String(status) } : attributes,
    status: { code: failed ? otel.SpanStatusCode.ERROR : otel.SpanStatusCode.UNSET },
  }
  return Object.assign(span, { spanContext: () => ids }, root === undefined ? {} : request)
}

/** Does the work of a grade in a span, and sends the event of a new grade. The grade of a batch’s item is a trace of its own. */
function traceGrade(tracer: otel.Tracer, logger: otel.Logger, { item }: GradingJob, work: () => Promise<ItemOutcome>) {
  const attributes = { 'veridict.batch.id': item?.batch, 'veridict.item': item?.index }
  const options = item === null ? {} : { root: true, attributes }
  return run(tracer, 'grade', options, work, (outcome) => {
    if ('grade' in outcome && !outcome.cached) logger.emit(eventOf(outcome.grade))
    return describeOutcome(outcome)
  })
}

/** Wraps a judge: each call is a span by the semantic conventions for generative AI, without question and answer. */
function traceJudge(tracer: otel.Tracer, judge: Judge): Judge {
  const { name, kind, identity } = judge.info
  const model = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': word(identity.provider),
    'gen_ai.request.model': word(identity.model),
  }
  const isModel = kind === 'model'
  const title = isModel ? `chat ${word(identity.model) ?? ''}`.trim() : `judge ${name}`
  const attributes = { 'veridict.judge': name, ...(isModel && model) }
  const options = { kind: isModel ? otel.SpanKind.CLIENT : otel.SpanKind.INTERNAL, attributes }
  return { ...judge, ask: (...asked) => run(tracer, title, options, () => judge.ask(...asked), describeReply) }
}

/** Does work in an active span, and describes its result. An error becomes a code of the span, never a message; a refusal is no error. */
function run<T>(
  tracer: otel.Tracer,
  name: string,
  options: otel.SpanOptions,
  work: () => Promise<T>,
  describe: (result: T) => otel.Attributes,
) {
  const set = (span: otel.Span, attributes: otel.Attributes) => {
    span.setAttributes(attributes)
    if (attributes['error.type'] !== undefined) span.setStatus({ code: otel.SpanStatusCode.ERROR })
  }
  const onException = (error: { readonly code?: unknown; readonly name?: unknown }, span: otel.Span) => {
    const code = word(error?.code) ?? word(error?.name) ?? 'unknown'
    set(span, { [error instanceof RequestError ? 'veridict.refusal' : 'error.type']: code })
  }
  return wrapTracer(tracer).withActiveSpan(name, { ...options, onException }, async (span) => {
    const result = await work()
    set(span, describe(result))
    return result
  })
}

function describeOutcome(outcome: ItemOutcome): otel.Attributes {
  if (!('grade' in outcome)) return { 'error.type': 'failure' in outcome ? outcome.failure.code : undefined }
  const { grade, cached } = outcome
  const { id, status, label, failure, receipt } = grade
  return {
    'veridict.grade.id': id,
    'veridict.grade.status': status,
    'veridict.grade.label': word(label),
    'veridict.grade.cached': cached,
    'veridict.attempts': receipt.attempts.length,
    'veridict.judge': word(receipt.judge),
    'veridict.rubric': word(receipt.rubric),
    'veridict.cost_usd': receipt.cost_usd ?? undefined,
    'error.type': failure?.code,
  }
}

/**
 * Makes the event of a new grade by the semantic conventions for generative AI. A failed grade has `error.type` and no score; an unverified
 * grade has neither.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md, `gen_ai.evaluation.result`
 */
export const eventOf = ({ status, label, outcome, failure, receipt }: Grade): otel.LogRecord => ({
  eventName: 'gen_ai.evaluation.result',
  attributes: {
    'gen_ai.evaluation.name': word(receipt.rubric) ?? 'veridict',
    'gen_ai.evaluation.score.label': status === 'graded' ? word(label) : undefined,
    'gen_ai.evaluation.score.value': status === 'graded' && typeof outcome === 'number' ? outcome : undefined,
    'error.type': failure?.code,
    'veridict.grade.status': status,
  },
})

/** Describes a reply. The provider’s words are kept where they have the form of a name. */
const describeReply = ({ model_resolved, request_id, usage, ...reply }: JudgeReply): otel.Attributes => ({
  'gen_ai.response.model': word(model_resolved),
  'veridict.provider.request_id': word(request_id),
  'gen_ai.usage.input_tokens': usage?.input_tokens,
  'gen_ai.usage.output_tokens': usage?.output_tokens,
  'gen_ai.usage.cache_read.input_tokens': usage?.cache_read_tokens,
  'error.type': reply.ok ? undefined : reply.failure.code,
})

/** Accepts the form of a name or an id alone, so that no sentence gets into a span. */
export const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.:/@+-]{1,128}$/.test(value) ? value : undefined
