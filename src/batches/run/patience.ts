import { isTransient } from '../../asking/retry.ts'
import type { Failure } from '../../schemas/grade.ts'

/**
 * Runs at one item before a failure of its own is its end. With the budget of retries used up a run is one call: a sound item must not
 * end by mere bad luck.
 */
const MOST_RUNS = 8
/** Too many calls are no item’s fault: a judge that says so again and again gets a rest. */
const MOST_LIMITED_RUNS = 60
const LONG_REST_MS = 600_000
const LONGEST_DELAY_MS = 60_000

interface Runs {
  readonly failed: number
  readonly limited: number
}
const NONE: Runs = { failed: 0, limited: 0 }

/** When an item is run again after a failure that may pass. `park`: its judge wants so long a rest that the whole batch waits. */
interface NextRun {
  readonly at: number
  readonly park: boolean
}

/** How often the items of one run of a batch failed, and how long each waits before it is tried again. */
export class Patience {
  private readonly runs = new Map<number, Runs>()

  /** Whether the item at this index may be tried once more. */
  hasMore(index: number, failure: Failure): boolean {
    if (!isTransient(failure)) return false
    return failure.code === 'rate_limited' || this.of(index).failed < MOST_RUNS - 1
  }

  /** Counts the failure. Milliseconds since the epoch. */
  next(index: number, failure: Failure, now: number): NextRun {
    const { failed, limited } = this.of(index)
    const isLimited = failure.code === 'rate_limited'
    this.runs.set(index, isLimited ? { failed, limited: limited + 1 } : { failed: failed + 1, limited })
    const asked = (failure.retry_after_s ?? 0) * 1000
    if (asked > LONGEST_DELAY_MS) return { at: now + asked, park: true }
    if (isLimited && limited + 1 >= MOST_LIMITED_RUNS) return { at: now + LONG_REST_MS, park: true }
    // A judge that says when is asked then: its lane sees to it that not all come at once.
    const rest = isLimited && failure.retry_after_s !== null ? 0 : 1000 * 2 ** (isLimited ? limited : failed)
    return { at: now + Math.max(asked, Math.min(LONGEST_DELAY_MS, rest)), park: false }
  }

  forget(index: number): void {
    this.runs.delete(index)
  }

  private of(index: number): Runs {
    return this.runs.get(index) ?? NONE
  }
}
