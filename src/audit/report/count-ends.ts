import type { FailureCode, ItemStatus } from '../../schemas/vocabulary.ts'

/** How a trial has ended; `failure` is there exactly where it is `failed`. */
export interface Ended {
  readonly status: ItemStatus
  readonly failure: FailureCode | null
}

/** Each trial under exactly one of the four; what failed, again by its code. */
export function countEnds(trials: Iterable<Ended>) {
  const counts = { graded: 0, unverified: 0, failed: 0, cancelled: 0 }
  const failures: Partial<Record<FailureCode, number>> = {}
  for (const { status, failure } of trials) {
    counts[status]++
    if (failure !== null) failures[failure] = (failures[failure] ?? 0) + 1
  }
  return { ...counts, failures }
}
