/** What one process takes on at once, where nothing else is configured; `src/http/admission-limits.ts` says what each of them is. */
export const ADMISSION_LIMITS = {
  grading_at_once: 256,
  held_bytes: 256 * 1024 * 1024,
  uploads_at_once: 64,
  answer_chars: 128 * 1024 * 1024,
  slow_reader_ms: 30_000,
  streams_at_once: 256,
  statistics_at_once: 8,
  connections: 10_000,
  event_loop_delay_ms: 1000,
  heap_share: 0.85,
  headers_ms: 20_000,
  slow_body_ms: 30_000,
  body_bytes_per_s: 8 * 1024,
}
