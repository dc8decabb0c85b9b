import { defineSettings, whole } from './settings.ts'

const MIB = 1024 * 1024

/** Limits of one request, and of the work of one process; a request beyond the latter is answered 503 `overloaded`, with `Retry-After`. */
export const LIMITS = defineSettings(
  {
    body_bytes: whole(32 * MIB, 'bytes of a body, or of a line of NDJSON; 413 above'),
    max_steps: whole(20_000, 'steps of a trajectory'),
    held_bytes: whole(
      256 * MIB,
      'bytes of bodies that are read and parsed at once; a quarter is kept for bodies below 1 MB, larger ones wait for room up to five seconds',
    ),
  },
  {
    /** Nesting of a request. */
    depth: 64,
    /** Characters of a part of a step. */
    max_part_chars: 8_000_000,
    /** Open connections; a connection beyond them is closed at once. */
    connections: 10_000,
    /** Mean delay of the event loop above which for three seconds no new grade begins. */
    event_loop_delay_ms: 1000,
    /** Share of the heap’s limit above which no new grade begins. */
    heap_share: 0.85,
    /** Time for the headers of a request, and for the first byte of a new connection. */
    headers_ms: 20_000,
    /** Time for a JSON body, or for the rest of a refused body. */
    body_ms: 300_000,
  },
)
export type Limits = typeof LIMITS.defaults

/** Calls of a judge. */
export const RETRY = defineSettings(
  {
    max_attempts: whole(4, 'calls for one question, the first included'),
    deadline_ms: whole(180_000, 'milliseconds of one sample with all its retries and repairs'),
    call_timeout_ms: whole(120_000, 'milliseconds of one call'),
  },
  {
    /** Full jitter over this × 2ⁿ between two calls. */
    base_delay_ms: 500,
    max_delay_ms: 20_000,
    /** A longer Retry-After fails the request and is passed on. */
    max_retry_after_ms: 60_000,
  },
)

export const BATCHES = defineSettings({
  most_items: whole(100_000, 'items of one batch'),
  poll_seconds: whole(60, 'seconds between two looks at a provider’s batch'),
})
