import { type Attributes, type Span, SpanKind } from '@opentelemetry/api'
import type { Answered, BatchApi } from '../ports/batch-api.ts'
import type { JudgeInfo, JudgeReply } from '../ports/judge-ports.ts'
import type { Judge } from '../ports/ports.ts'
import { fail, type Scribe, word } from './scribe.ts'

/** A span for every call of a judge, by the semantic conventions for generative AI. Neither the question nor the answer is in it. */
export function traceJudge(scribe: Scribe, judge: Judge): Judge {
  const { info, batch } = judge
  const isModel = info.kind === 'model'
  const name = isModel ? `chat ${word(info.identity.model) ?? ''}`.trim() : `judge ${info.name}`
  const common = describeJudge(info)
  return {
    ...judge,
    ask: (request, signal) => {
      const most = request.max_output_tokens
      const attributes = { ...common, ...(isModel && most !== null && { 'gen_ai.request.max_tokens': most }) }
      const options = { kind: isModel ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes }
      return scribe.run(name, options, async (span) => {
        const reply = await judge.ask(request, signal)
        describeReply(span, reply)
        return reply
      })
    },
    ...(batch !== undefined && { batch: traceBatchApi(scribe, batch, common) }),
  }
}

function describeJudge({ name, kind, identity }: JudgeInfo): Attributes {
  const own: Attributes = { 'veridict.judge': name }
  if (kind !== 'model') return own
  const { provider, model, base_url } = identity
  const url = base_url !== null && URL.canParse(base_url) ? new URL(base_url) : null
  return withoutGaps({
    ...own,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': word(provider),
    'gen_ai.request.model': word(model),
    'server.address': url?.hostname,
    'server.port': url === null ? undefined : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  })
}

/** What a provider says of its own model and call is only kept where it looks like a name. */
function describeReply(span: Span, { model_resolved, request_id, usage, ...reply }: JudgeReply): void {
  span.setAttributes(
    withoutGaps({
      'gen_ai.response.model': word(model_resolved),
      'veridict.provider.request_id': word(request_id),
      'gen_ai.usage.input_tokens': usage?.input_tokens,
      'gen_ai.usage.output_tokens': usage?.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cache_read_tokens,
    }),
  )
  if (!reply.ok) fail(span, reply.failure.code)
}

/** A provider’s batches: `encode` makes no call. */
function traceBatchApi(scribe: Scribe, api: BatchApi, attributes: Attributes): BatchApi {
  const call = <T>(name: string, work: () => Promise<Answered<T>>) =>
    scribe.run(`provider batch ${name}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const answered = await work()
      if (!answered.ok) fail(span, answered.failure.code)
      return answered
    })
  return {
    ...api,
    submit: (submission, signal) => call('submit', () => api.submit(submission, signal)),
    find: (submission, signal) => call('find', () => api.find(submission, signal)),
    poll: (id, signal) => call('poll', () => api.poll(id, signal)),
    cancel: (id, signal) => call('cancel', () => api.cancel(id, signal)),
  }
}

const withoutGaps = (attributes: Record<string, string | number | undefined>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
