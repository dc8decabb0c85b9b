import { Type } from '../schemas/type.ts'
import { defineSettings, whole } from './settings.ts'

const MIB = 1024 * 1024

/** Limits of one request, and of the work of one process; a request beyond the latter is answered 503 `overloaded`, with `Retry-After`. */
export const LIMITS = defineSettings({
  body_bytes: whole(32 * MIB, 'bytes of a body, or of a line of NDJSON; 413 above'),
  depth: whole(64, 'nesting of a request'),
  max_steps: whole(20_000, 'steps of a trajectory'),
  max_part_chars: whole(8_000_000, 'characters of a part of a step'),
  held_bytes: whole(
    256 * MIB,
    'bytes of bodies that are read and parsed at once; a quarter is kept for bodies below 1 MB, larger ones wait for room up to five seconds',
  ),
  connections: whole(10_000, 'open connections; one more is closed as it comes'),
  event_loop_delay_ms: whole(
    1000,
    'mean delay of the event loop in milliseconds above which for three seconds no new grade is begun',
  ),
  heap_share: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: 0.85,
    description: 'share of the heap’s limit above which no new grade is begun',
  }),
  headers_ms: whole(
    20_000,
    'milliseconds that a request may take to send its headers, and a new connection to send anything',
  ),
  body_ms: whole(300_000, 'milliseconds that a JSON body, or the rest of a refused one, may take to arrive'),
})
export type Limits = typeof LIMITS.defaults

/** Calls of a judge. */
export const RETRY = defineSettings({
  max_attempts: whole(4, 'calls for one question, the first included'),
  deadline_ms: whole(180_000, 'milliseconds of one sample with all its retries and repairs'),
  call_timeout_ms: whole(120_000, 'milliseconds of one call'),
  base_delay_ms: whole(500, 'milliseconds; full jitter over this × 2ⁿ'),
  max_delay_ms: whole(20_000, 'milliseconds between two calls at the most'),
  max_retry_after_ms: whole(60_000, 'milliseconds; a longer Retry-After fails the request and is passed on'),
})

export const BATCHES = defineSettings({
  most_items: whole(100_000, 'items of one batch'),
  poll_seconds: whole(60, 'how often a provider’s batch is asked after'),
})
