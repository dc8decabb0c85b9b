import { type DestinationStream, pino } from 'pino'

/** What is kept of a log that takes no lines for a while; more is dropped. */
const MOST_KEPT_BYTES = 1024 * 1024

/**
 * Standard output for the log. A line that cannot be written (a full disk, a reader that is gone) must not break the request that it
 * tells of: pino throws it out of the call that logs, unless a listener is set. Nor may it wait: a reader that stands still (a pager, a
 * stuck collector) fills the pipe, and a write that blocks would stop the whole service, its stop too.
 */
export function openLogStream(): DestinationStream {
  // Looked at once, Node.js makes a pipe one that answers EAGAIN when it is full; what was not written is tried with the next line.
  void process.stdout
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT_BYTES, retryEAGAIN: () => false })
  stream.on('error', () => undefined)
  return stream
}
