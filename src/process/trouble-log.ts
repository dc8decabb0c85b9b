import type { FastifyBaseLogger } from 'fastify'
import type { BatchListener, ProjectTrouble } from '../batches/engine-deps.ts'

/** Logs what no request waits for: each batch as it begins, parks and ends, and what goes wrong. */
export const logBatches = (log: FastifyBaseLogger): BatchListener => ({
  onTrouble: (trouble) => logTrouble(log, trouble),
  onStatus: (project, { id, status, counts: { total, ...counts }, cost_usd }) =>
    log.info({ project, batch: id, status, items: total, counts, cost_usd }, `a batch is ${status}`),
})

/**
 * Logs what went wrong where no request waits for it. What the store or the way to it refuses is told without a stack: it says nothing of
 * where our program is wrong.
 */
export function logTrouble(log: FastifyBaseLogger, { project, batch, item, error }: ProjectTrouble): void {
  const about = batch === '' ? { ...(project !== '' && { project }) } : { project, batch, item }
  log.error(
    { ...about, ...detailOf(error, batch === '') },
    batch === '' ? 'work on batches met an error' : 'a batch met an error',
  )
}

function detailOf(error: unknown, isOfQueue: boolean): object {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return { err: error }
  const { code, name, message } = error
  if (name === 'StorageError') {
    const server = 'server' in error && typeof error.server === 'string' ? { server: error.server } : {}
    return { code, detail: message, ...server }
  }
  // The queue is asked by its own driver, whose errors are those of the system or of the server.
  return isOfQueue ? { code, detail: message } : { err: error }
}
