import type { FastifyBaseLogger } from 'fastify'
import { type DestinationStream, pino } from 'pino'
import type { BatchListener } from '../batches/run-chunk.ts'

/** Bounds the log lines that wait for a stalled reader; later lines are dropped. */
const MOST_KEPT_BYTES = 1024 * 1024

/** Opens standard output for the log: a failed write breaks no request, and lines for a stalled reader are dropped. */
export function openLogStream(): DestinationStream {
  // The first access makes Node.js open a pipe as non-blocking: a full pipe answers EAGAIN, and the next line tries the rest again.
  void process.stdout
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT_BYTES, retryEAGAIN: () => false })
  stream.on('error', () => undefined)
  return stream
}

/** Logs the beginning, the parking and the end of each batch, and the errors of work on batches. */
export const logBatches = (log: FastifyBaseLogger): BatchListener => ({
  onTrouble({ batch, item, error }) {
    if (batch === '') log.error(detailOf(error, true), 'work on batches met an error')
    else log.error({ batch, item, ...detailOf(error, false) }, 'a batch met an error')
  },
  onStatus: ({ id, status, counts: { total, ...counts }, cost_usd }) =>
    log.info({ batch: id, status, items: total, counts, cost_usd }, `a batch is ${status}`),
})

/** Describes an error without a stack where it comes from the database, or from the driver of the queue, by its code and message. */
function detailOf(error: unknown, isOfQueue: boolean): object {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return { err: error }
  return error.name === 'StorageError' || isOfQueue ? { code: error.code, detail: error.message } : { err: error }
}
