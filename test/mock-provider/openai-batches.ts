import type OpenAI from 'openai'
import { answerBody } from './batch-answers.ts'
import type { BookedBatch } from './batch-book.ts'

const seconds = (ms: number) => Math.floor(ms / 1000)

/** A batch as OpenAI shows it. */
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

/** The lines of its output file or its error file, in the order of the submission. */
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
