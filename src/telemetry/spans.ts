import { type Attributes, type Span, SpanKind, type SpanOptions, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { GradeOutcome, GradingService, ItemOutcome } from '../grading/service.ts'
import type { Judge, JudgeReply } from '../ports/judge.ts'
import type { Grade } from '../schemas/grade.ts'

/** Wraps the grading service: each grade is a span `grade`. The grade of a batch’s item is a trace of its own. */
export function traceGrades(tracer: Tracer, service: GradingService): GradingService {
  return {
    ...service,
    grade: (request, payer) => run(tracer, 'grade', {}, () => service.grade(request, payer), describeOutcome),
    gradeItem(request, job) {
      const attributes = { 'veridict.batch.id': job.item?.batch, 'veridict.item': job.item?.index }
      return run(tracer, 'grade', { root: true, attributes }, () => service.gradeItem(request, job), describeOutcome)
    },
  }
}

/** Wraps a judge: each call is a span by the semantic conventions for generative AI, without question and answer. */
export function traceJudge(tracer: Tracer, judge: Judge): Judge {
  const { name, kind, identity } = judge.info
  const [title, options] =
    kind === 'model'
      ? [`chat ${word(identity.model) ?? ''}`.trim(), { kind: SpanKind.CLIENT, attributes: describeModel(identity) }]
      : [`judge ${name}`, {}]
  const attributes = { 'veridict.judge': name, ...options.attributes }
  return {
    ...judge,
    ask: (request, signal) =>
      run(tracer, title, { ...options, attributes }, () => judge.ask(request, signal), describeReply),
  }
}

const describeModel = ({ provider, model }: { readonly provider?: unknown; readonly model?: unknown }): Attributes => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': word(provider),
  'gen_ai.request.model': word(model),
})

/**
 * Does work in an active span, describes its result, and ends the span. `error.type` makes the span an error; an error becomes a code of the
 * span, never a message. The SDK leaves out attributes that are undefined.
 */
function run<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  describe: (result: T, span: Span) => Attributes,
): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
    const set = (attributes: Attributes) => {
      span.setAttributes(attributes)
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

/** Describes the end of a grade by closed words, ids and numbers. The event of a cached grade was sent when the grade was made. */
function describeOutcome(outcome: GradeOutcome | ItemOutcome, span: Span): Attributes {
  if ('refusal' in outcome) return { 'veridict.refusal': outcome.refusal.code }
  if (!('grade' in outcome)) return { 'error.type': 'failure' in outcome ? outcome.failure.code : undefined }
  const { grade, cached } = outcome
  if (!cached) span.addEvent('gen_ai.evaluation.result', describeEvaluation(grade))
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
 * Describes a new grade by the semantic conventions for generative AI. A failed grade has `error.type` and no score; an unverified grade
 * has neither.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/gen-ai-events.md, `gen_ai.evaluation.result`
 */
export const describeEvaluation = ({ status, label, outcome, failure, receipt }: Grade): Attributes => ({
  'gen_ai.evaluation.name': word(receipt.rubric) ?? 'veridict',
  'gen_ai.evaluation.score.label': status === 'graded' ? word(label) : undefined,
  'gen_ai.evaluation.score.value': status === 'graded' && typeof outcome === 'number' ? outcome : undefined,
  'error.type': failure?.code,
  'veridict.grade.status': status,
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
