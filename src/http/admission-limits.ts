/** What one process takes on at once. Above it the answer is 503 `overloaded` at once, with `Retry-After`. */
export interface AdmissionLimits {
  /** Grades that are being made or wait for their judge. Answers from the cache are not counted and never refused. */
  readonly grading_at_once: number
  /** Bytes of bodies that are in memory, from their announcement until their request is done. A quarter is kept for small ones. */
  readonly held_bytes: number
  /** Characters of large answers that are being sent: what slow readers can hold. */
  readonly answer_chars: number
  /** How long a reader of a large answer may take nothing before it is broken off, in milliseconds. */
  readonly slow_reader_ms: number
  /** NDJSON bodies that are being read. */
  readonly uploads_at_once: number
  /** Answers that are written bit by bit: events and results of batches. */
  readonly streams_at_once: number
  /** Reports, comparisons, agreements and queues. */
  readonly statistics_at_once: number
  /** Open connections; one more is closed as it comes. */
  readonly connections: number
  /** Mean delay of the event loop, in milliseconds, above which for three seconds no new grade is begun. */
  readonly event_loop_delay_ms: number
  /** Share of the heap’s limit above which no new grade is begun. */
  readonly heap_share: number
  /** How long a request may take to send its headers, and a new connection to send anything, in milliseconds. */
  readonly headers_ms: number
  /** How long a body may arrive too slowly before it is broken off, in milliseconds. */
  readonly slow_body_ms: number
  /** What a JSON body must bring meanwhile, in bytes a second. An NDJSON body, which may be written as it is sent, must bring anything. */
  readonly body_bytes_per_s: number
}
