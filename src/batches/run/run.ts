import type { Lane } from '../../asking/lane/lane.ts'
import { isTransient } from '../../asking/retry.ts'
import type { GradingService, ItemOutcome } from '../../grading/service.ts'
import type { BatchRecord, ItemEnd, OpenItem } from '../../ports/batch-ports.ts'
import type { Payer } from '../../ports/ledger-ports.ts'
import type { Clock, Judge, Stores } from '../../ports/ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { ItemSource } from './item-source.ts'

export interface RunnerDeps {
  readonly service: GradingService
  readonly laneOf: (judge: string) => Lane
  readonly stores: Pick<Stores, 'batches'>
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  /** Receives an unexpected error that ends an item as `internal`. */
  readonly onError: (error: unknown, item: OpenItem) => void
  /** The state of the batch may have changed. */
  readonly onChange: () => void
}

/** A batch with its items, and the steps where the runner can go no further. */
export interface Run {
  readonly batch: Pick<BatchRecord, 'id' | 'kind' | 'mode' | 'status' | 'max_cost_usd'>
  readonly payer: Payer | null
  readonly source: ItemSource
  /** Whether this process may go on with the batch. Null: no such batch, or a draft. */
  readonly mayGoOn: (record: BatchRecord | null) => Promise<boolean>
  /** The batch is to rest; told at once, while items are in flight. */
  readonly onParking: (parking: Parked) => Promise<void>
  /** The batch is cancelled, and nothing is in flight. Null: asked again after a while. */
  readonly onCancelled: () => Promise<RunEnd | null>
  /** Nothing is in flight, and the source is empty. `again`: the source has items again. */
  readonly onEmpty: () => Promise<RunEnd | 'again' | null>
}

/** The end of a run. `over`: the batch has ended. `left`: any process may go on with the batch at once. */
export type RunEnd = { readonly kind: 'over' | 'left' } | Parked

export const LEFT: RunEnd = { kind: 'left' }
export const OVER: RunEnd = { kind: 'over' }

export interface Parked {
  readonly kind: 'parked'
  readonly reason: string
  readonly resumes_at: Date | null
}

/** The outcome of a run at an item; `broken`: an unexpected error. */
export type RunOutcome = ItemOutcome | { readonly kind: 'broken' }

/** Makes the end of an item of its outcome; null where the grade was stored with the end, or where the item goes on. */
export function endOf(outcome: RunOutcome): ItemEnd | null {
  if (outcome.kind === 'waiting' || outcome.kind === 'passed_over') return null
  if (outcome.kind === 'broken') return failed('internal', 'something went wrong here; the log has it')
  if (outcome.kind === 'refused') {
    const { code, detail, errors } = outcome.refusal
    if (code === 'not_cached')
      return failed('cancelled', `${detail}: leave the cache mode \`only\` out (-c only) to grade it`)
    const place = errors[0] === undefined ? '' : ` (${errors[0].path}: ${errors[0].message})`
    return failed('internal', `${detail}${place}`)
  }
  const { grade, cached } = outcome
  if (grade.status === 'failed' && grade.failure !== null)
    return { status: 'failed', failure: grade.failure, grade_id: grade.id }
  if (!cached) return null
  return grade.label === null
    ? { status: 'unverified', grade_id: grade.id, cached }
    : { status: 'graded', label: grade.label, grade_id: grade.id, cached }
}

/** Explains that the batch waits for a rubric of its configuration, by which no item ends; null: no rubric is missing. */
export function lackOf(outcome: RunOutcome): string | null {
  if (outcome.kind !== 'refused' || outcome.refusal.code !== 'unknown_rubric') return null
  const { detail, errors } = outcome.refusal
  return `${detail}, which an item names (${errors[0]?.message ?? ''}): configure it again, then resume`
}

const failed = (code: Failure['code'], message: string): ItemEnd => ({
  status: 'failed',
  failure: { code, message, retryable: false, retry_after_s: null },
  grade_id: null,
})

/** Runs at one item before its own failure ends it. With the budget of retries used up a run is one call. */
const MOST_RUNS = 8
/** Rate limits are no item’s fault: a judge that goes on refusing gets a rest. */
const MOST_LIMITED_RUNS = 60
const LONG_REST_MS = 600_000
const LONGEST_DELAY_MS = 60_000

interface Runs {
  readonly failed: number
  readonly limited: number
}
const NONE: Runs = { failed: 0, limited: 0 }

/** The next run of an item after a passing failure. `park`: its judge wants so long a rest that the whole batch waits. */
interface NextRun {
  readonly at: number
  readonly park: boolean
}

/** Counts the failures of items, and decides how long each waits before its next run. */
export class Patience {
  private readonly runs = new Map<number, Runs>()

  /** Whether the item may run once more. */
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
    // The lane spreads the calls after the pause that a judge asked for.
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

/** Storage errors in a row that park a batch. */
const MOST_BREAKS = 3

/** The end of a run by an error: the item of the error, and whether an item had ended before. */
interface Broken {
  readonly brokeAt: number | null
  readonly hasEnded: boolean
}

/** Counts the storage errors of batches. Errors are in a row at the same item, or before any item has ended. */
export class Breaks {
  private readonly breaks = new Map<string, { readonly times: number; readonly item: number | null }>()

  /** Counts the error; answers the reason to park the batch, or null. */
  add(batch: string, { brokeAt, hasEnded }: Broken, error: unknown): string | null {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code !== 'storage_error') return null
    const last = this.breaks.get(batch)
    const times = last !== undefined && (!hasEnded || last.item === brokeAt) ? last.times + 1 : 1
    this.breaks.set(batch, { times, item: brokeAt })
    if (times < MOST_BREAKS) return null
    this.breaks.delete(batch)
    return `the database refused ${times} times in a row: ${message}: mend it, then resume`
  }

  forget(batch: string): void {
    this.breaks.delete(batch)
  }
}
