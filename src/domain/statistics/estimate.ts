import type { UndefinedReason } from '../../schemas/agreement.ts'

/** Statistic that may be undefined. Undefined is null with a reason, never 0 or 1. */
export interface Estimate {
  readonly value: number | null
  /** Null exactly where `value` is a number. */
  readonly reason: UndefinedReason | null
}

export const defined = (value: number): Estimate => ({ value, reason: null })
export const missing = (reason: UndefinedReason): Estimate => ({ value: null, reason })
/** Divides a part by the whole; null with the reason given where the whole is 0. */
export const ratio = (part: number, whole: number, reason: UndefinedReason): Estimate =>
  whole === 0 ? missing(reason) : defined(part / whole)
