import PQueue from 'p-queue'
import type { BatchRecord, RunPlan } from '../db/batches.ts'
import { settleAll } from '../db/db.ts'
import { type Chunk, type ItemEnd, type OpenItem, toItemEnd } from '../db/items.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../domain/clock.ts'
import { isTransient } from '../grading/ask-by-call.ts'
import type { Ahead, GradingService, ItemOutcome } from '../grading/grade.ts'
import type { GradingJob } from '../grading/judge-question.ts'
import type { Lane } from '../grading/lane.ts'
import type { Judge } from '../judges/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import type { Jobs } from './jobs.ts'

/** The parts of the service that batches use. */
export interface BatchDeps extends Required<Omit<BatchListener, 'onItem'>> {
  readonly service: GradingService
  readonly laneOf: (judge: string) => Lane
  /** Runs an item of a judge once fewer than the most items are in work in this process. */
  readonly placeOf: (judge: string) => <T>(work: () => Promise<T>) => Promise<T>
  readonly stores: Stores
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  readonly jobs: Jobs
  readonly newId: (prefix: string) => string
  /** Milliseconds between two looks at a provider’s batch. */
  readonly poll_ms: number
  /** Milliseconds after which a call in flight is lost. */
  readonly lost_ms: number
  /** Whether this process takes over batches that other processes left: a service, not a command. */
  readonly adopts: boolean
  /** Whether this process works on the batches of a PostgreSQL. */
  readonly works: boolean
  readonly most_items: number
}

export interface Trouble {
  readonly batch: string
  readonly item?: string
  readonly error: unknown
}

/** Receives news of batches. */
export interface BatchListener {
  /** Work on a batch met an error. */
  readonly onTrouble?: (trouble: Trouble) => void
  /** A batch has begun, is parked, done or cancelled. */
  readonly onStatus?: (batch: BatchRecord) => void
  /** A run at an item ended: with a grade, waiting, or passed over. */
  readonly onItem?: (outcome: ItemOutcome) => void
}

/** A reason to let a whole batch rest. `resumes_at` null: until an operator resumes the batch. */
export interface Parking {
  readonly reason: string
  readonly resumes_at: Date | null
}

/** One run at the open items of a chunk. */
export interface ChunkRun {
  readonly plan: RunPlan
  readonly chunk: Chunk
  /** Aborted once the run is to end: calls that wait for a turn are given up, and calls in flight go on. */
  readonly signal: AbortSignal
  /** Parks the batch; false where an operator has resumed the batch since the failed call began. */
  readonly park: (parking: Parking, since?: number) => Promise<boolean>
  /** An item of the batch has ended. */
  readonly onEnd: () => void
}

/** Opens the places of items in work, for each judge; null: without a bound. */
export function openPlaces(most: number | null): BatchDeps['placeOf'] {
  const queues = new Map<string, PQueue>()
  return (judge) => {
    const queue = queues.get(judge) ?? new PQueue({ concurrency: most ?? Number.POSITIVE_INFINITY })
    queues.set(judge, queue)
    return (work) => queue.add(work)
  }
}

/** Grades the open items of a chunk. Resolves when no item runs any more; rejects where the database refuses. */
export async function runChunk(deps: BatchDeps, run: ChunkRun): Promise<void> {
  const { plan, chunk } = run
  const items = await deps.stores.batches.ofChunk(chunk)
  const groups = [...Map.groupBy(items, ({ trajectory }) => trajectory).values()]
  // As many groups as calls, and half as many more: the calls of a trajectory come soon after each other.
  const queue = new PQueue({ concurrency: Math.ceil(1.5 * deps.laneOf(chunk.judge).settings.max) })
  // The first item of each trajectory is looked up here, by one reading: later items may be answered by the grades of the items before.
  const firsts = groups.flatMap(([first]) => first ?? [])
  const answers = plan.kind === 'recheck' ? [] : await deps.service.findAnswers(firsts.map(requestOf))
  const found = new Map(firsts.map((item, at) => [item, answers[at]]))
  const place = deps.placeOf(chunk.judge)
  const start = (item: OpenItem) =>
    place(() => runItem(deps, run, item, { answer: found.get(item), packed: item.packed }))
  const isModel = deps.judges.get(chunk.judge)?.info.kind === 'model'
  const hasCache = isModel && plan.mode === 'direct' && plan.kind !== 'recheck'
  // After the first item of a trajectory, the provider has the trajectory in its prompt cache for the others.
  const runGroup = async ([first, ...others]: readonly OpenItem[]): Promise<void> => {
    if (first === undefined) return
    if (hasCache) await start(first)
    await settleAll((hasCache ? others : [first, ...others]).map(start))
    deps.service.release(first.trajectory)
  }
  await settleAll(groups.map((group) => queue.add(() => runGroup(group))))
}

/** Runs at one item before its own failure ends it. */
const MOST_RUNS = 8
const LONGEST_DELAY_MS = 60_000
/** Items that wait for money ask again after this time: calls in flight may have given money back. */
const BUDGET_AGAIN_MS = 1000

interface Tries {
  failed: number
  limited: number
}

/** Runs an item until it has ended, lies with the provider, or the run ends. */
async function runItem(deps: BatchDeps, run: ChunkRun, item: OpenItem, first: Ahead): Promise<void> {
  const tries = { failed: 0, limited: 0 }
  for (let ahead = first; !run.signal.aborted; ahead = {}) {
    const failure = await gradeItem(deps, run, item, tries, ahead)
    if (failure === null || failure.code === 'cancelled') return
    const isPoor = failure.code === 'budget_exceeded'
    // A question for a provider’s batch waits for money until the answers of the others are there.
    if (isPoor && run.plan.mode === 'provider') return
    const delay = isPoor ? BUDGET_AGAIN_MS : await delayOf(deps, run, failure, tries)
    if (delay === null) return
    await deps.clock.sleep(delay, run.signal).catch(() => undefined)
  }
}

/** Computes the delay before the next run at an item, in milliseconds; null: the whole batch rests. */
async function delayOf(deps: BatchDeps, run: ChunkRun, failure: Failure, tries: Tries): Promise<number | null> {
  const { judge } = run.chunk
  const now = deps.clock.now().getTime()
  const { restsUntil, refusedSince } = deps.laneOf(judge)
  const park = async (until: number | null, since?: number): Promise<number | null> => {
    const reason = `${judge}: ${failure.code}: ${failure.message}`
    const isParked = await run.park({ reason, resumes_at: until === null ? null : new Date(until) }, since)
    return isParked ? null : 0
  }
  if (failure.code === 'quota_exhausted' || failure.code === 'authentication') return park(null, refusedSince)
  if (restsUntil > now) return park(restsUntil)
  const isLimited = failure.code === 'rate_limited'
  const before = isLimited ? tries.limited++ : tries.failed++
  const asked = (failure.retry_after_s ?? 0) * 1000
  if (asked > LONGEST_DELAY_MS) return park(now + asked)
  // The ledger spreads the calls after the pause that a judge asked for.
  const rest = isLimited && failure.retry_after_s !== null ? 0 : 1000 * 2 ** before
  return Math.max(asked, Math.min(LONGEST_DELAY_MS, rest))
}

const requestOf = ({ request, trajectory }: OpenItem): GradeRequest => ({ ...request, trajectory: { id: trajectory } })

/** Runs an item once, and stores its end. Returns a failure that may pass; null: the item has ended, lies with the provider, or waits with its batch. */
async function gradeItem(
  deps: BatchDeps,
  run: ChunkRun,
  item: OpenItem,
  tries: Tries,
  ahead: Ahead,
): Promise<Failure | null> {
  const { plan, signal } = run
  const ref = { batch: plan.id, index: item.index }
  const job = {
    ...{ item: ref, payer: plan.payer, signal, cap_usd: plan.max_cost_usd },
    isPassing: (failure: Failure) => isPassing(deps, run, failure, tries),
  }
  const way: GradingJob =
    plan.kind === 'recheck'
      ? { ...job, way: 'stored', grade_id: item.base_grade ?? '' }
      : { ...job, way: plan.mode === 'provider' ? 'provider' : 'call' }
  const { settle } = deps.stores.batches
  try {
    const outcome = await deps.service.gradeItem(requestOf(item), way, ahead)
    if (outcome.kind === 'passed_over') return outcome.failure
    // A new grade was stored with the end of its item.
    if (outcome.kind === 'graded' && (outcome.cached || outcome.grade.status === 'failed'))
      await settle(ref, toItemEnd(outcome.grade, outcome.cached))
  } catch (error) {
    if ((error as { name?: unknown } | null)?.name === 'StorageError') throw error
    if (error instanceof RequestError && error.code === 'unknown_rubric') {
      // The batch waits for a rubric of its configuration, by which no item ends.
      const lack = `${error.message}, which an item names (${error.extras.errors?.[0]?.message ?? ''})`
      await run.park({ reason: `${lack}: configure it again, then resume`, resumes_at: null })
      return null
    }
    if (!(error instanceof RequestError)) deps.onTrouble({ batch: plan.id, item: item.item_id, error })
    await settle(ref, endOf(error))
  }
  run.onEnd()
  return null
}

/** Makes the end of an item whose request was refused, or whose run met an unexpected error. */
function endOf(error: unknown): ItemEnd {
  if (!(error instanceof RequestError)) return failed('internal', 'something went wrong here; the log has it')
  const { code, message, extras } = error
  if (code === 'not_cached')
    return failed('cancelled', `${message}: leave the cache mode \`only\` out (-c only) to grade it`)
  const fault = extras.errors?.[0]
  return failed('internal', fault === undefined ? message : `${message} (${fault.path}: ${fault.message})`)
}

const failed = (code: Failure['code'], message: string): ItemEnd => ({
  ...{ status: 'failed', grade_id: null },
  failure: { code, message, retryable: false, retry_after_s: null },
})

/** Tells whether the item may yet succeed: then the failure is no grade, and the item runs again. */
function isPassing(deps: BatchDeps, { plan, chunk, signal }: ChunkRun, failure: Failure, tries: Tries): boolean {
  const isProvider = plan.mode === 'provider'
  if (failure.code === 'quota_exhausted' || failure.code === 'authentication') return !isProvider
  // Without an abort the item has waited long enough for an equal question in flight.
  if (failure.code === 'cancelled') return signal.aborted || !isProvider
  // Money that other calls reserved and do not use comes back.
  if (failure.code === 'budget_exceeded') return failure.retryable
  // A provider’s batch has made its retries in rounds.
  if (!isTransient(failure) || isProvider) return false
  if (deps.laneOf(chunk.judge).restsUntil > deps.clock.now().getTime()) return true
  return failure.code === 'rate_limited' || tries.failed < MOST_RUNS - 1
}
