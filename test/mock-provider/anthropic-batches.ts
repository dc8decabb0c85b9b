import type Anthropic from '@anthropic-ai/sdk'
import { messageOf } from './batch-answers.ts'
import type { BookedBatch, Fate } from './batch-book.ts'

type MessageBatch = Anthropic.Messages.MessageBatch
type ResultLine = Anthropic.Messages.MessageBatchIndividualResponse

/** A batch as Anthropic shows it. */
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
      // All are `processing` until the whole batch has ended.
      processing: ended ? 0 : batch.requests.length,
      succeeded: count((fate) => fate === 'answered'),
      errored: count((fate) => typeof fate === 'object'),
      canceled: count((fate) => fate === 'cancelled'),
      expired: count((fate) => fate === 'expired'),
    },
    results_url: ended ? `${origin}/v1/messages/batches/${batch.id}/results` : null,
  }
}

/** The lines of its results, in the order of the submission. */
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
