import type PQueue from 'p-queue'
import { type Chunk, type OpenItem, type RunPlan, toItemEnd } from '../db/batches.ts'
import { ReplyRefused, StorageError } from '../db/errors.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../domain/clock.ts'
import { settleAll } from '../domain/result.ts'
import { failureOf, isTransient } from '../grading/ask.ts'
import type { Ahead, GradingJob, GradingService, ItemOutcome } from '../grading/grade.ts'
import type { Lane } from '../grading/lane.ts'
import type { Judge } from '../judges/judge.ts'
import type { Batch } from '../schemas/batch.ts'
import type { Failure } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import type { Jobs } from './jobs.ts'

/** The parts of the service that batches use. */
export interface BatchDeps extends Required<Omit<BatchListener, 'onItem'>> {
  readonly service: GradingService
  readonly laneOf: (judge: string) => Lane
  /** The items of a judge that are in work in this process. */
  readonly queueOf: (judge: string) => PQueue
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

export type Trouble = Readonly<{ batch: string; item?: string; error: unknown }>

/** Receives news of batches. */
export interface BatchListener {
  /** Work on a batch met an error. */
  readonly onTrouble?: (trouble: Trouble) => void
  /** A batch has begun, is parked, done or cancelled. */
  readonly onStatus?: (batch: Batch) => void
  /** A run at an item ended: with a grade, waiting, or passed over. */
  readonly onItem?: (outcome: ItemOutcome) => void
}

/** A reason to let a whole batch rest. `resumes_at` null: until an operator resumes the batch. */
export type Parking = Readonly<{ reason: string; resumes_at: Date | null }>

interface ChunkRun {
  readonly plan: RunPlan
  readonly chunk: Chunk
  /** Aborted once the run is to end: calls that wait for a turn are given up, and calls in flight go on. */
  readonly signal: AbortSignal
  /** Parks the batch, whose run ends. */
  readonly park: (parking: Parking) => Promise<unknown>
}

/** Grades the open items of a chunk; returns how many stay open, and the lack of money for which none has ended. Rejects where the database refuses. */
export async function runChunk(deps: BatchDeps, run: ChunkRun) {
  const { plan, chunk } = run
  const items = await deps.stores.batches.ofChunk(chunk)
  const groups = [...Map.groupBy(items, ({ trajectory }) => trajectory).values()]
  // The first item of each trajectory is looked up here, by one reading: later items may be answered by the grades of the items before.
  const firsts = groups.flatMap(([first]) => first ?? [])
  const answers = plan.kind === 'recheck' ? [] : await deps.service.findAnswers(firsts.map(requestOf))
  const { kind } = deps.judges.get(chunk.judge)?.info ?? {}
  const hasCache = kind === 'model' && plan.mode === 'direct' && plan.kind !== 'recheck'
  const start = (item: OpenItem, answer: Ahead['answer'], priority: number) =>
    runItem(deps, run, item, { answer, packed: item.packed }, priority)
  const runGroup = async ([first, ...others]: readonly OpenItem[], at: number) => {
    if (first === undefined) return []
    const beginning = start(first, answers[at], 0)
    // Then the provider has the trajectory in its prompt cache for the other items, which come before further trajectories.
    if (hasCache) await beginning
    const ends = await settleAll([beginning, ...others.map((item) => start(item, undefined, 1))])
    deps.service.release(first.trajectory)
    return ends
  }
  const open = (await settleAll(groups.map(runGroup))).flat().filter((failure) => failure !== null)
  const lack = open.find(({ code }) => code === 'budget_exceeded')
  return { open: open.length, lack: open.length === items.length ? lack : undefined }
}

/** Runs at one item before its own failure ends it. */
const MOST_RUNS = 8
const LONGEST_DELAY_MS = 60_000
/** Items that wait for money ask again after this time: calls in flight may have given money back. */
const BUDGET_AGAIN_MS = 1000
/** Asks of an item without money before its chunk makes room for others, and comes back. */
const MOST_BUDGET_ASKS = 3
const LEFT = failureOf('cancelled', 'the run has ended')

/** Runs an item, which waits for money and retries outside of its place. Returns the failure of an item that stays open; null: it has ended, or lies with the provider. */
async function runItem(deps: BatchDeps, run: ChunkRun, item: OpenItem, first: Ahead, priority: number) {
  const { clock, service } = deps
  const { settle } = deps.stores.batches
  const { plan, signal } = run
  const { judge } = run.chunk
  const lane = deps.laneOf(judge)
  const queue = deps.queueOf(judge)
  const isProvider = plan.mode === 'provider'
  const ref = { batch: plan.id, index: item.index }
  const tries = { failed: 0, limited: 0, poor: 0 }

  /** Tells whether the item may yet succeed: then the failure is no grade, and the item runs again. */
  function isPassing(failure: Failure): boolean {
    if (isRefusal(failure)) return !isProvider
    // Without an abort the item has waited long enough for an equal question in flight.
    if (failure.code === 'cancelled') return signal.aborted || !isProvider
    // Money that other calls reserved and do not use comes back.
    if (failure.code === 'budget_exceeded') return failure.retryable
    // A provider’s batch has made its retries in rounds.
    if (!isTransient(failure) || isProvider) return false
    if (lane.restsUntil > clock.now().getTime()) return true
    return failure.code === 'rate_limited' || tries.failed < MOST_RUNS - 1
  }

  /** Runs the item once, and stores its end. Returns a failure that may pass; null: the item has ended, lies with the provider, or waits with its batch. */
  async function grade(ahead: Ahead): Promise<Failure | null> {
    const job = { item: ref, payer: plan.payer, signal, cap_usd: plan.max_cost_usd, isPassing }
    const stored = { ...job, way: 'stored', grade_id: item.base_grade ?? '' } as const
    const way: GradingJob = plan.kind === 'recheck' ? stored : { ...job, way: isProvider ? 'provider' : 'call' }
    try {
      const outcome = await service.gradeItem(requestOf(item), way, ahead)
      if (outcome.kind === 'passed_over') return outcome.failure
      // A new grade was stored with the end of its item.
      if (outcome.kind === 'graded' && (outcome.cached || outcome.grade.status === 'failed'))
        await settle(ref, toItemEnd(outcome.grade, outcome.cached))
    } catch (error) {
      await endBy(error)
    }
    return null
  }

  /** Stores the end of an item whose request was refused, or whose run met an unexpected error. Rejects with a refusal of the database. */
  async function endBy(error: unknown): Promise<unknown> {
    if (error instanceof ReplyRefused && error.code !== 'storage_busy')
      await run.park({ reason: `${error.message}: mend the database, then resume`, resumes_at: null })
    if (error instanceof StorageError) throw error
    if (error instanceof RequestError && error.code === 'unknown_rubric') {
      // The batch waits for a rubric of its configuration, by which no item ends.
      const lack = `${error.message}, which an item names (${error.extras.errors?.[0]?.message ?? ''})`
      return run.park({ reason: `${lack}: configure it again, then resume`, resumes_at: null })
    }
    if (!(error instanceof RequestError)) deps.onTrouble({ batch: plan.id, item: item.item_id, error })
    return settle(ref, { status: 'failed', grade_id: null, failure: failureBy(error) })
  }

  /** Computes the delay before the next run at the item, in milliseconds; a time: the whole batch rests until then, null: until an operator resumes it. */
  function delayAfter(failure: Failure): number | Date | null {
    const now = clock.now().getTime()
    if (failure.code === 'budget_exceeded') return BUDGET_AGAIN_MS
    if (isRefusal(failure)) return null
    if (lane.restsUntil > now) return new Date(lane.restsUntil)
    const isLimited = failure.code === 'rate_limited'
    const before = isLimited ? tries.limited++ : tries.failed++
    const asked = (failure.retry_after_s ?? 0) * 1000
    if (asked > LONGEST_DELAY_MS) return new Date(now + asked)
    // The ledger spreads the calls after the pause that a judge asked for.
    const rest = isLimited && failure.retry_after_s !== null ? 0 : 1000 * 2 ** before
    return Math.max(asked, Math.min(LONGEST_DELAY_MS, rest))
  }

  for (let ahead = first; ; ahead = {}) {
    const failure = await queue.add(async () => (signal.aborted ? LEFT : grade(ahead)), { priority })
    if (failure === null || failure.code === 'cancelled') return failure
    // A question for a provider’s batch waits for money until the answers of the others are there.
    if (failure.code === 'budget_exceeded' && (isProvider || ++tries.poor === MOST_BUDGET_ASKS)) return failure
    const delay = delayAfter(failure)
    if (typeof delay === 'number') await clock.sleep(delay, signal).catch(() => undefined)
    else await run.park({ reason: reasonOf(judge, failure), resumes_at: delay })
  }
}

/** Names a failure of a judge as the reason for which a batch is parked. */
export const reasonOf = (judge: string, { code, message }: Failure): string => `${judge}: ${code}: ${message}`

/** Tells the failures of every call of a judge until somebody mends its key or account. */
const isRefusal = ({ code }: Failure): boolean => code === 'quota_exhausted' || code === 'authentication'

const requestOf = ({ request, trajectory }: OpenItem): GradeRequest => ({ ...request, trajectory: { id: trajectory } })

function failureBy(error: unknown): Failure {
  if (!(error instanceof RequestError)) return failureOf('internal', 'something went wrong here; the log has it', false)
  const { code, message, extras } = error
  const advice = 'leave the cache mode `only` out (-c only) to grade it'
  if (code === 'not_cached') return failureOf('cancelled', `${message}: ${advice}`, false)
  const fault = extras.errors?.[0]
  return failureOf('internal', fault === undefined ? message : `${message} (${fault.path}: ${fault.message})`, false)
}
