import type { Attributes, Logger, LogRecord, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { wrapTracer } from '@opentelemetry/api/experimental'
import type { ItemOutcome } from '../grading/grade.ts'
import type { GradingJob } from '../grading/judge-question.ts'
import type { Judge, JudgeReply } from '../judges/judge.ts'
import type { Grade } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'

/**
 * Does the work of one grade in a span `grade`, and tells a new grade by an event of that span; the event of a cached grade was sent when the
 * grade was made. The grade of a batch’s item is a trace of its own.
 */
export function traceGrade(tracer: Tracer, logger: Logger, { item }: GradingJob, work: () => Promise<ItemOutcome>) {
  const attributes = { 'veridict.batch.id': item?.batch, 'veridict.item': item?.index }
  const options = item === null ? {} : { root: true, attributes }
  const tell = async () => {
    const outcome = await work()
    if ('grade' in outcome && !outcome.cached) logger.emit(eventOf(outcome.grade))
    return outcome
  }
  return run(tracer, 'grade', options, tell, describeOutcome)
}

/** Wraps a judge: each call is a span by the semantic conventions for generative AI, without question and answer. */
export function traceJudge(tracer: Tracer, judge: Judge): Judge {
  const { name, kind, identity } = judge.info
  const model = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': word(identity.provider),
    'gen_ai.request.model': word(identity.model),
  }
  const isModel = kind === 'model'
  const title = isModel ? `chat ${word(identity.model) ?? ''}`.trim() : `judge ${name}`
  const attributes = { 'veridict.judge': name, ...(isModel && model) }
  const options = { kind: isModel ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes }
  return { ...judge, ask: (...asked) => run(tracer, title, options, () => judge.ask(...asked), describeReply) }
}

/**
 * Does work in an active span, describes its result, and ends the span. `error.type` makes the span an error; an error becomes a code of the
 * span, never a message, and a refusal is no error of the span. The SDK leaves out attributes that are undefined.
 */
function run<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  describe: (result: T) => Attributes,
) {
  const set = (span: Span, attributes: Attributes) => {
    span.setAttributes(attributes)
    if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  }
  const onException = (error: { readonly code?: unknown; readonly name?: unknown }, span: Span) => {
    const code = word(error?.code) ?? word(error?.name) ?? 'unknown'
    set(span, { [error instanceof RequestError ? 'veridict.refusal' : 'error.type']: code })
  }
  return wrapTracer(tracer).withActiveSpan(name, { ...options, onException }, async (span) => {
    const result = await work()
    set(span, describe(result))
    return result
  })
}

/** Describes the end of a grade by closed words, ids and numbers. */
function describeOutcome(outcome: ItemOutcome): Attributes {
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
export const eventOf = ({ status, label, outcome, failure, receipt }: Grade): LogRecord => ({
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
const describeReply = ({ model_resolved, request_id, usage, ...reply }: JudgeReply): Attributes => ({
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
