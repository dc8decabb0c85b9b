import type { DeniedActs } from '../domain/evidence-question.ts'
import type { ADMISSION_LIMITS } from './admission-limits.ts'

/** Milliseconds, but for the count. */
export interface RetrySettings {
  readonly max_attempts: number
  readonly deadline_ms: number
  readonly call_timeout_ms: number
  readonly base_delay_ms: number
  readonly max_delay_ms: number
  readonly max_retry_after_ms: number
}

export interface Budget {
  /** Dollars that each project may spend in a day of UTC, over all its batches and single grades; null: no cap. */
  readonly max_cost_usd_per_day: number | null
}

export interface EvidenceSettings {
  /** What an act that is denied against a given action anchor means. */
  readonly denied_acts: DeniedActs
}

export interface BatchSettings {
  readonly most_items: number
  /** How often a provider’s batch is asked after. */
  readonly poll_seconds: number
}

export interface Limits extends Readonly<Record<keyof typeof ADMISSION_LIMITS, number>> {
  readonly body_bytes: number
  readonly depth: number
  readonly max_steps: number
  readonly max_part_chars: number
}
