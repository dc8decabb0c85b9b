import { Type } from '../schemas/type.ts'
import { defineSettings, whole } from './settings.ts'

const MIB = 1024 * 1024

/** What one request may be, and what one process takes on at once: above that the answer is 503 `overloaded` at once, with `Retry-After`. */
export const LIMITS = defineSettings({
  body_bytes: whole(32 * MIB, 'bytes of a body, or of a line of NDJSON; 413 above'),
  depth: whole(64, 'nesting of a request'),
  max_steps: whole(20_000, 'steps of a trajectory'),
  max_part_chars: whole(8_000_000, 'characters of a part of a step'),
  grading_at_once: whole(
    256,
    'grades that are being made or wait for their judge; answers from the cache are not counted and never refused',
  ),
  held_bytes: whole(
    256 * MIB,
    'bytes of bodies in memory, from their announcement until their request is done; a quarter is kept for small ones',
  ),
  uploads_at_once: whole(64, 'NDJSON bodies that are being read'),
  answer_chars: whole(
    128 * MIB,
    'characters of large answers that are being sent: what slow readers can hold of memory',
  ),
  slow_reader_ms: whole(
    30_000,
    'milliseconds that a reader of a large answer may take nothing before it is broken off',
  ),
  streams_at_once: whole(256, 'answers that are written bit by bit: events and results of batches'),
  statistics_at_once: whole(8, 'reports, comparisons, agreements and queues'),
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
  slow_body_ms: whole(30_000, 'milliseconds that a body may arrive too slowly before it is broken off'),
  body_bytes_per_s: whole(
    8 * 1024,
    'what a JSON body must bring meanwhile, in bytes a second; an NDJSON body, which may be written as it is sent, must bring anything',
  ),
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
