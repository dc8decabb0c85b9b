import { type DestinationStream, pino } from 'pino'

/** Bounds the log lines that wait for a stalled reader; later lines are dropped. */
const MOST_KEPT_BYTES = 1024 * 1024

/**
 * Opens standard output for the log. A failed write (a full disk, a closed pipe) does not break the request that logs, since the stream has
 * an error listener; a stalled reader (a pager, a stuck collector) does not block the service, since the stream drops lines instead of waiting.
 */
export function openLogStream(): DestinationStream {
  // The first access makes Node.js open a pipe as non-blocking: a full pipe answers EAGAIN, and the next line tries the rest again.
  void process.stdout
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT_BYTES, retryEAGAIN: () => false })
  stream.on('error', () => undefined)
  return stream
}
