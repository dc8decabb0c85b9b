import { pino } from 'pino'

/** What is kept of a log that takes no lines for a while; more is dropped. */
const MOST_KEPT_BYTES = 1024 * 1024

/**
 * Standard output for the log. A line that cannot be written (a full disk, a reader that is gone) must not break the request that it
 * tells of: pino throws it out of whatever call logs, unless somebody listens.
 */
export function openLogStream() {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT_BYTES })
  stream.on('error', () => undefined)
  return stream
}
