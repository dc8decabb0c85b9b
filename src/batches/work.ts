import type { Chunk, RunPlan } from '../db/batches.ts'
import type { StorageError } from '../db/errors.ts'
import type { DoJob } from './jobs.ts'
import { createProviderPump, type Poll } from './provider.ts'
import { type BatchDeps, type Parking, reasonOf, runChunk } from './run-chunk.ts'

/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Between two runs at a chunk whose items wait for money, or for an equal question in flight elsewhere. */
const CHUNK_AGAIN_MS = 2000
/** A batch without money, and without a call in flight that may give money back, rests so long. */
const BUDGET_REST_MS = 30_000
/** Refusals of the database in a row, without a job done in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000

/** A batch on which this process works, until the batch is left. */
interface BatchRun {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  readonly leaving: AbortController
  /** Refusals of the database since a job was done. */
  refusals: number
  /** The rest of the batch, until the database has stored the rest: nothing begins meanwhile. */
  rest: Parking | null
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

/** Creates the work of this process on batches: it does their jobs, parks batches and ends batches. */
export function createBatchWork(deps: BatchDeps) {
  const { clock, jobs } = deps
  const { attempts, batches, provider } = deps.stores
  const pump = createProviderPump(deps)
  const runs = new Map<string, BatchRun>()

  function runOf(id: string): BatchRun {
    const run = runs.get(id) ?? { leaving: new AbortController(), unasked: new Map(), refusals: 0, rest: null }
    runs.set(id, run)
    return run
  }

  /** Returns the rest of a batch that the database refuses to store; null: the batch has none. */
  const restOf = (id: string): Parking | null => runs.get(id)?.rest ?? null

  /** Lets the chunks of a batch end here. */
  function leave(id: string): void {
    runs.get(id)?.leaving.abort()
    runs.delete(id)
  }

  async function park(id: string, rest: Parking): Promise<null> {
    const run = runOf(id)
    run.rest = rest
    run.leaving.abort()
    const isParked = await batches.park(id, rest.reason, rest.resumes_at?.toISOString() ?? null)
    leave(id)
    if (isParked) await tell(id)
    return null
  }

  const inRest = (ms: number): Date => new Date(clock.now().getTime() + ms)

  async function pollOnce({ batch, judge }: Poll, plan: RunPlan | null): Promise<number | null> {
    if (plan?.status === 'cancelling' && !(await pump.drain({ batch, judge }))) return deps.poll_ms
    if (plan?.status === 'running') {
      const { unasked } = runOf(batch)
      const pending = await batches.countPending(batch, judge)
      const isAsking = pending > 0 && pending !== unasked.get(judge)
      unasked.set(judge, pending)
      const moves = await pump.step({ batch, judge }, !isAsking)
      const parking = moves.find((move) => typeof move === 'object')
      if (parking !== undefined) return park(batch, parking)
      if (moves.length > 0 && !moves.includes('closed')) return deps.poll_ms
      await jobs.add(await batches.chunks(batch))
      if (moves.length > 0 || isAsking) return POLL_SOON_MS
      if (pending > 0) return CHUNK_AGAIN_MS
    }
    await end(plan)
    return null
  }

  /** Puts the open work of a batch into the queues; a batch without open work ends. */
  async function enqueue(id: string): Promise<void> {
    const plan = await batches.plan(id)
    if (plan?.status === 'running') await jobs.add(await batches.chunks(id))
    await end(plan)
  }

  /** Ends a batch without an open item, unless questions lie with a provider: then their poll ends the batch. */
  async function end(plan: RunPlan | null): Promise<void> {
    if (plan?.status !== 'running' && plan?.status !== 'cancelling') return
    const { id, mode, status } = plan
    const polled = mode === 'provider' ? await provider.judges(id) : []
    await jobs.add(polled.map((judge) => ({ batch: id, judge, chunk: null })))
    const finish = status === 'running' ? batches.finish : batches.finishCancel
    if (polled.length > 0 || !(await finish(id, clock.now().toISOString()))) return
    leave(id)
    await tell(id)
  }

  /** Tells the listeners of the new status of a batch. */
  const tell = (id: string): Promise<void> =>
    batches.get(id).then(
      (batch) => (batch === null ? undefined : deps.onStatus(batch)),
      (error: unknown) => deps.onTrouble({ batch: id, error }),
    )

  /** Grades a chunk; returns the time until the next run at the items that stay open in a running batch. */
  async function gradeChunk(chunk: Chunk, plan: RunPlan | null, signal: AbortSignal): Promise<number | null> {
    const { batch, judge } = chunk
    if (plan?.status !== 'running') return null
    const leaving = AbortSignal.any([signal, runOf(batch).leaving.signal])
    const { open, lack } = await runChunk(deps, {
      ...{ plan, chunk, signal: leaving },
      // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
      park: async (parking) => (leaving.aborted ? null : park(batch, parking)),
    })
    const isPoor = lack !== undefined && plan.mode === 'direct' && !leaving.aborted
    const hasOneJudge = async () => (await batches.chunks(batch)).every((open) => open.judge === judge)
    if (isPoor && (await attempts.inFlight(batch)).newest === null && (await hasOneJudge()))
      await park(batch, { reason: reasonOf(judge, lack), resumes_at: inRest(BUDGET_REST_MS) })
    const after = await batches.plan(batch)
    await end(after)
    if (after?.status !== 'running') leave(batch)
    if (open === 0 || after?.status !== 'running') return null
    return plan.mode === 'provider' ? deps.poll_ms : CHUNK_AGAIN_MS
  }

  /** Counts the refusals of the database in a row, of which the third lets the batch rest: a disk may get room, other damage must be mended. */
  async function meetRefusal(batch: string, { code, message }: Partial<StorageError>): Promise<void> {
    const run = runOf(batch)
    const isFull = code === 'storage_full'
    run.refusals = isFull || code === 'storage_error' ? run.refusals + 1 : 0
    if (run.refusals < MOST_REFUSALS || run.rest !== null) return
    const next = isFull ? 'make room, and the batch goes on by itself' : 'mend it, then resume'
    const reason = `the database refused ${run.refusals} times in a row: ${message}: ${next}`
    await park(batch, { reason, resumes_at: isFull ? inRest(REST_MS) : null }).catch(() => null)
  }

  /** Does a job. A poll of an earlier version has no member `chunk`. */
  const doJob: DoJob = async ({ chunk = null, ...poll }, signal) => {
    const { batch } = poll
    const rest = restOf(batch)
    try {
      if (rest !== null) await park(batch, rest)
      const plan = await batches.plan(batch)
      const again = await (chunk === null ? pollOnce(poll, plan) : gradeChunk({ ...poll, chunk }, plan, signal))
      const run = runs.get(batch)
      if (run !== undefined) run.refusals = 0
      return again
    } catch (error) {
      deps.onTrouble({ batch, error })
      await meetRefusal(batch, error as Partial<StorageError>)
      return REST_MS
    }
  }

  return { doJob, enqueue, leave, restOf }
}
