import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { GradeOutcome, GradingService, ItemOutcome } from '../grading/service.ts'
import type { JudgeInfo, JudgeReply } from '../ports/judge-ports.ts'
import type { Judge } from '../ports/ports.ts'
import type { Grade } from '../schemas/grade.ts'

/**
 * Wraps the grading service: each grade is a span `grade`. The grade of a batch’s item is a trace of its own, since no tool could show a
 * batch of ten thousand items as one trace; the span links to the request that made the batch, if the batch was made in this process.
 */
export function traceGrades(tracer: Tracer, service: GradingService): GradingService {
  return {
    ...service,
    grade: (request, payer) => run(tracer, 'grade', {}, () => service.grade(request, payer), describeOutcome),
    gradeItem(request, job) {
      const { item, way } = job
      const active = trace.getSpanContext(context.active())
      const attributes = {
        'veridict.way': way,
        ...(item !== null && { 'veridict.batch.id': item.batch, 'veridict.item': item.index }),
      }
      const options = { root: true, attributes, links: active === undefined ? [] : [{ context: active }] }
      return run(tracer, 'grade', options, () => service.gradeItem(request, job), describeOutcome)
    },
  }
}

/** Wraps a judge: each call is a span by the semantic conventions for generative AI, without question and answer. */
export function traceJudge(tracer: Tracer, judge: Judge): Judge {
  const { info } = judge
  const isModel = info.kind === 'model'
  const name = isModel ? `chat ${word(info.identity.model) ?? ''}`.trim() : `judge ${info.name}`
  const kind = isModel ? SpanKind.CLIENT : SpanKind.INTERNAL
  const attributes = describeJudge(info)
  return {
    ...judge,
    ask(request, signal) {
      const most = (isModel && request.max_output_tokens) || undefined
      const options = { kind, attributes: withoutGaps({ ...attributes, 'gen_ai.request.max_tokens': most }) }
      return run(tracer, name, options, () => judge.ask(request, signal), describeReply)
    },
  }
}

/** Attributes of a span, where gaps are left out; `error.type` makes the span an error. */
type Gapped = Readonly<Record<string, unknown>>

const withoutGaps = (attributes: Gapped): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes

/** Does work in an active span, describes its result, and ends the span. An error becomes a code of the span, never a message. */
function run<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  describe: (result: T, span: Span) => Gapped,
): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    const set = (attributes: Gapped) => {
      span.setAttributes(withoutGaps(attributes))
      if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    }
    try {
      const result = await work()
      set(describe(result, span))
      return result
    } catch (error) {
      const { code, name: kind } = (error ?? {}) as { code?: unknown; name?: unknown }
      set({ 'error.type': word(code) ?? word(kind) ?? 'unknown' })
      throw error
    } finally {
      span.end()
    }
  })
}

function describeOutcome(outcome: GradeOutcome | ItemOutcome, span: Span): Gapped {
  const kind = 'kind' in outcome ? outcome.kind : undefined
  const refusal = 'refusal' in outcome ? outcome.refusal.code : undefined
  const about = { 'veridict.outcome': kind, 'veridict.refusal': refusal }
  if (!('grade' in outcome)) return { ...about, 'error.type': 'failure' in outcome ? outcome.failure.code : undefined }
  const { grade, cached } = outcome
  // A cached grade was an event when it was made.
  if (!cached) tellEvaluation(span, grade)
  const { id, status, label, failure, receipt } = grade
  // The names of a grade are closed words; those of a request are texts of the caller.
  return {
    ...about,
    'veridict.grade.id': id,
    'veridict.grade.status': status,
    'veridict.grade.label': label ?? undefined,
    'veridict.grade.cached': cached,
    'veridict.attempts': receipt.attempts.length,
    'veridict.judge': word(receipt.judge),
    'veridict.rubric': word(receipt.rubric),
    'veridict.cost_usd': receipt.cost_usd ?? undefined,
    'error.type': failure?.code,
  }
}

/**
 * Adds the event of the semantic conventions for generative AI to the span of a new grade. A failed grade has `error.type` and no score;
 * an unverified grade has neither.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md, `gen_ai.evaluation.result`
 */
export function tellEvaluation(span: Span, grade: Grade): void {
  const { status, label, outcome, failure, receipt, metadata } = grade
  const graded = status === 'graded'
  span.addEvent(
    'gen_ai.evaluation.result',
    withoutGaps({
      'gen_ai.evaluation.name': word(receipt.rubric) ?? 'veridict',
      'gen_ai.evaluation.explanation': failure === null ? explanationOf(grade) : undefined,
      'gen_ai.evaluation.score.label': graded ? word(label) : undefined,
      'gen_ai.evaluation.score.value': graded && typeof outcome === 'number' ? outcome : undefined,
      // The id of the graded completion, which the caller alone knows.
      'gen_ai.response.id': word((metadata as Gapped)['gen_ai.response.id']),
      'error.type': failure?.code,
      'veridict.grade.status': status,
    }),
  )
}

function explanationOf({ status, confidence, unmet, contradictions }: Grade): string {
  const claims = [...new Set(unmet.map(({ claim }) => claim))].join(', ')
  const codes = [...new Set(contradictions.map(({ code }) => code))].join(', ')
  return [
    status === 'graded' ? `confidence ${confidence.reported ?? 'by votes'}` : status,
    ...(claims === '' ? [] : [`not proved: ${claims}`]),
    ...(codes === '' ? [] : [`contradicted by ${codes}`]),
  ].join('; ')
}

function describeJudge({ name, kind, identity }: JudgeInfo): Gapped {
  if (kind !== 'model') return { 'veridict.judge': name }
  const { provider, model, base_url } = identity
  const url = URL.parse(base_url ?? '')
  return {
    'veridict.judge': name,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': word(provider),
    'gen_ai.request.model': word(model),
    'server.address': url?.hostname,
    'server.port': url ? Number(url.port) || (url.protocol === 'http:' ? 80 : 443) : undefined,
  }
}

/** Describes a reply. The provider’s words are kept where they have the form of a name. */
const describeReply = ({ model_resolved, request_id, usage, ...reply }: JudgeReply): Gapped => ({
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

/** Parses https://www.w3.org/TR/trace-context/#traceparent-header; null: no valid header. */
export function parseTraceparent(value: unknown): SpanContext | null {
  if (typeof value !== 'string' || value.length > 256) return null
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(value) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && value.length !== 55)) return null
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(parent) ? parent : null
}
