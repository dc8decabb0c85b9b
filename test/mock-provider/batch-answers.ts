import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import type { BookedBatch, Fate } from './batch-book.ts'

/** API of a request. */
export type AnswerPath = '/v1/responses' | '/v1/chat/completions' | '/v1/messages'

/** Name of the model of the played provider. */
const RESOLVED_MODEL = 'mock-resolved-1'

/** Wraps a text in the response body of an API, complete by the types of the SDKs. */
export function answerBody(path: AnswerPath, id: string, text: string): object {
  if (path === '/v1/responses') return responseOf(id, text)
  return path === '/v1/messages' ? messageOf(id, text) : completionOf(id, text)
}

/** Ends an answer of any API where its output limit ends it. */
export function truncated(answer: object): object {
  if ('choices' in answer)
    return { ...answer, choices: [{ ...(answer.choices as object[])[0], finish_reason: 'length' }] }
  if ('output' in answer)
    return { ...answer, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  return { ...answer, stop_reason: 'max_tokens' }
}

const responseOf = (id: string, text: string): Omit<OpenAI.Responses.Response, 'output_text'> => ({
  id: `resp_${id}`,
  object: 'response',
  access_programs: null,
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  model: RESOLVED_MODEL,
  output: [
    {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
    },
  ],
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'none',
  tools: [],
  top_p: null,
  usage: {
    input_tokens: 120,
    output_tokens: 30,
    total_tokens: 150,
    input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
})

const completionOf = (id: string, text: string): OpenAI.Chat.Completions.ChatCompletion => ({
  id: `chatcmpl_${id}`,
  object: 'chat.completion',
  created: 1,
  model: RESOLVED_MODEL,
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: { role: 'assistant', content: text, refusal: null },
    },
  ],
  usage: {
    prompt_tokens: 120,
    completion_tokens: 30,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 20 },
  },
})

const messageOf = (id: string, text: string): Anthropic.Message => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: RESOLVED_MODEL,
  container: null,
  diagnostics: null,
  stop_details: null,
  stop_reason: 'end_turn',
  stop_sequence: null,
  content: [{ type: 'text', text, citations: null }],
  usage: {
    cache_creation: null,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 20,
    inference_geo: null,
    input_tokens: 100,
    output_tokens: 30,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'batch',
    speed: null,
  },
})

const seconds = (ms: number) => Math.floor(ms / 1000)

/** Formats a batch as the API of OpenAI does. */
export function openAiBatch(batch: BookedBatch): OpenAI.Batches.Batch {
  const count = (answered: boolean) => batch.outcomes.filter(({ fate }) => (fate === 'answered') === answered).length
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    completion_window: '24h',
    created_at: seconds(batch.created_ms),
    input_file_id: batch.input_file,
    metadata: batch.metadata,
    status: statusOf(batch),
    request_counts: { total: batch.requests.length, completed: count(true), failed: count(false) },
    ...(batch.end === 'failed' && {
      errors: {
        object: 'list',
        data:
          batch.invalid.length > 0
            ? [...batch.invalid]
            : [{ code: 'token_limit_exceeded', message: 'Enqueued token limit reached.', line: null }],
      },
    }),
    ...(count(true) > 0 && { output_file_id: `file-out-${batch.id}` }),
    ...(count(false) > 0 && { error_file_id: `file-err-${batch.id}` }),
  }
}

function statusOf(batch: BookedBatch): OpenAI.Batches.Batch['status'] {
  if (batch.end !== null) return batch.end
  if (batch.cancelling) return 'cancelling'
  return batch.polls === 0 ? 'validating' : 'in_progress'
}

/** Lists the lines of the output file or the error file of a batch, in the order of the submission. */
export function openAiLines(batch: BookedBatch, file: 'out' | 'err'): string[] {
  const path = batch.endpoint === '/v1/responses' ? '/v1/responses' : '/v1/chat/completions'
  return batch.outcomes.flatMap(({ request: { custom_id }, fate, text }) => {
    const wanted = file === 'out' ? fate === 'answered' : fate !== 'answered'
    if (!wanted) return []
    const line = { id: `batch_req_${custom_id}`, custom_id }
    if (fate === 'answered') {
      const response = {
        status_code: 200,
        request_id: `req_${custom_id}`,
        body: answerBody(path, custom_id, text ?? ''),
      }
      return [JSON.stringify({ ...line, response, error: null })]
    }
    if (typeof fate === 'object') {
      const error = { code: fate.error, type: fate.error, message: 'scripted failure', param: null }
      const response = { status_code: fate.status, request_id: `req_${custom_id}`, body: { error } }
      return [JSON.stringify({ ...line, response, error: null })]
    }
    const error = { code: `batch_${fate}`, message: 'This request was not executed.' }
    return [JSON.stringify({ ...line, response: null, error })]
  })
}

type MessageBatch = Anthropic.Messages.MessageBatch
type ResultLine = Anthropic.Messages.MessageBatchIndividualResponse

/** Formats a batch as the API of Anthropic does. */
export function messageBatch(batch: BookedBatch, origin: string): MessageBatch {
  const ended = batch.end !== null
  const count = (is: (fate: Fate) => boolean) => batch.outcomes.filter(({ fate }) => is(fate)).length
  return {
    id: batch.id,
    type: 'message_batch',
    archived_at: null,
    cancel_initiated_at: batch.cancelling ? new Date(batch.created_ms).toISOString() : null,
    created_at: new Date(batch.created_ms).toISOString(),
    ended_at: ended ? new Date(batch.created_ms + 1).toISOString() : null,
    expires_at: new Date(batch.created_ms + 24 * 3_600_000).toISOString(),
    processing_status: ended ? 'ended' : batch.cancelling ? 'canceling' : 'in_progress',
    request_counts: {
      // All requests are `processing` until the whole batch has ended.
      processing: ended ? 0 : batch.requests.length,
      succeeded: count((fate) => fate === 'answered'),
      errored: count((fate) => typeof fate === 'object'),
      canceled: count((fate) => fate === 'cancelled'),
      expired: count((fate) => fate === 'expired'),
    },
    results_url: ended ? `${origin}/v1/messages/batches/${batch.id}/results` : null,
  }
}

/** Lists the result lines of a batch, in the order of the submission. */
export const messageLines = (batch: BookedBatch): string[] =>
  batch.outcomes.map(({ request: { custom_id }, fate, text }) => {
    const result = ((): ResultLine['result'] => {
      if (fate === 'answered') return { type: 'succeeded', message: messageOf(custom_id, text ?? '') }
      if (fate === 'expired') return { type: 'expired' }
      if (fate === 'cancelled') return { type: 'canceled' }
      const error = { type: fate.error, message: 'scripted failure' } as Anthropic.ErrorObject
      return { type: 'errored', error: { type: 'error', request_id: `req_${custom_id}`, error } }
    })()
    return JSON.stringify({ custom_id, result } satisfies ResultLine)
  })
