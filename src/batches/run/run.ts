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
  /** What was thrown and settles an item as `internal`. */
  readonly onError: (error: unknown, item: OpenItem) => void
  /** Something has changed that a follower may be looking at. */
  readonly onChange: () => void
}

/** What is run, and what is done where the runner can go no further. */
export interface Run {
  readonly batch: Pick<BatchRecord, 'id' | 'kind' | 'mode' | 'status' | 'max_cost_usd'>
  readonly payer: Payer | null
  readonly source: ItemSource
  /** Whether the batch, which is not cancelled, is still ours to run. Null: it is not there, or still a draft. */
  readonly mayGoOn: (record: BatchRecord | null) => Promise<boolean>
  /** It is to rest: told at once, while items are in flight. */
  readonly onParking: (parking: Parked) => Promise<void>
  /** It is cancelled, and nothing is in flight. Null: not its end yet; asked again after a while. */
  readonly onCancelled: () => Promise<RunEnd | null>
  /** Nothing is in flight, and the source is empty. `again`: it has items again. */
  readonly onEmpty: () => Promise<RunEnd | 'again' | null>
}

/** How a run ends. `over`: so is what was run. `left`: with everything kept; any process may go on with it at once. */
export type RunEnd = { readonly kind: 'over' | 'left' } | Parked

export const LEFT: RunEnd = { kind: 'left' }
export const OVER: RunEnd = { kind: 'over' }

export interface Parked {
  readonly kind: 'parked'
  readonly reason: string
  readonly resumes_at: Date | null
}

/** What a run at an item came to; `broken`: something unexpected was thrown. */
export type RunOutcome = ItemOutcome | { readonly kind: 'broken' }

/** How an outcome settles its item; null where the unit of work that stored the grade has done so, or where it goes on. */
export function endOf(outcome: RunOutcome): ItemEnd | null {
  if (outcome.kind === 'waiting' || outcome.kind === 'passed_over') return null
  if (outcome.kind === 'broken') return failed('internal', 'something went wrong here; the log has it')
  if (outcome.kind === 'refused') {
    const { code, detail, errors } = outcome.refusal
    const place = errors[0] === undefined ? '' : ` (${errors[0].path}: ${errors[0].message})`
    return failed(code === 'not_cached' ? 'cancelled' : 'internal', `${detail}${place}`)
  }
  const { grade, cached } = outcome
  if (grade.status === 'failed' && grade.failure !== null)
    return { status: 'failed', failure: grade.failure, grade_id: grade.id }
  if (!cached) return null
  return grade.label === null
    ? { status: 'unverified', grade_id: grade.id, cached }
    : { status: 'graded', label: grade.label, grade_id: grade.id, cached }
}

/** What a configuration lacks can be given back: no item ends by it. */
const UNCONFIGURED: readonly string[] = ['unknown_judge', 'unknown_rubric']

/** Why the batch has to wait for a configuration that it was made with; null: it need not. */
export function lackOf(outcome: RunOutcome): string | null {
  if (outcome.kind !== 'refused' || !UNCONFIGURED.includes(outcome.refusal.code)) return null
  const { detail, errors } = outcome.refusal
  return `${detail} as an item names (${errors[0]?.message ?? ''}): configure it as before, then resume`
}

const failed = (code: Failure['code'], message: string): ItemEnd => ({
  status: 'failed',
  failure: { code, message, retryable: false, retry_after_s: null },
  grade_id: null,
})

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
