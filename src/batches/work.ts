import type { RunPlan } from '../db/batches.ts'
import type { Chunk } from '../db/items.ts'
import type { DoJob } from './jobs.ts'
import { createProviderPump, type Poll } from './provider.ts'
import { type BatchDeps, type Parking, runChunk } from './run-chunk.ts'

/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Refusals of the database in a row, without an ended item in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000

/** A batch on which this process works, until the batch is left. */
interface BatchRun {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  readonly leaving: AbortController
  /** Refusals of the database since an item has ended. */
  refusals: number
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

/** Creates the work of this process on batches: it does their jobs, parks batches and ends batches. `stopping`: aborted where this process stops. */
export function createBatchWork(deps: BatchDeps, stopping: AbortSignal) {
  const { clock, jobs } = deps
  const { batches, provider } = deps.stores
  const pump = createProviderPump(deps)
  const runs = new Map<string, BatchRun>()

  function runOf(id: string): BatchRun {
    const run = runs.get(id) ?? { leaving: new AbortController(), unasked: new Map(), refusals: 0 }
    runs.set(id, run)
    return run
  }

  /** Lets the chunks of a batch end here. */
  function leave(id: string): void {
    runs.get(id)?.leaving.abort()
    runs.delete(id)
  }

  async function park(id: string, { reason, resumes_at }: Parking): Promise<void> {
    leave(id)
    if (await batches.park(id, reason, resumes_at?.toISOString() ?? null)) await tell(id)
  }

  /** Rests after a refusal of the database; a damage that lasts parks the batch. */
  async function breakOff(batch: string, run: BatchRun, error: unknown): Promise<void> {
    deps.onTrouble({ batch, error })
    const { code, message } = error as { code?: unknown; message?: unknown }
    run.refusals = code === 'storage_error' ? run.refusals + 1 : 0
    const reason = `the database refused ${run.refusals} times in a row: ${message}: mend it, then resume`
    const rest =
      run.refusals < MOST_REFUSALS ? clock.sleep(REST_MS, stopping) : park(batch, { reason, resumes_at: null })
    await rest.catch(() => undefined)
  }

  async function pollOnce({ batch, judge }: Poll): Promise<number | null> {
    const plan = await batches.plan(batch)
    if (plan?.status === 'cancelling' && !(await pump.drain({ batch, judge }))) return deps.poll_ms
    if (plan?.status === 'running') {
      const { unasked } = runOf(batch)
      const pending = await batches.countPending(batch, judge)
      const isAsking = pending > 0 && pending !== unasked.get(judge)
      unasked.set(judge, pending)
      const moves = await pump.step({ batch, judge }, !isAsking)
      const parking = moves.find((move) => typeof move === 'object')
      if (parking !== undefined) {
        await park(batch, parking)
        return null
      }
      if (moves.length > 0 && !moves.includes('closed')) return deps.poll_ms
      await jobs.add(await batches.chunks(batch))
      if (pending > 0 || moves.length > 0) return POLL_SOON_MS
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
    if (polled.length === 0 && (await finish(id, clock.now().toISOString()))) await tell(id)
  }

  /** Tells the listeners of the new status of a batch. */
  const tell = (id: string): Promise<void> =>
    batches.get(id).then(
      (batch) => (batch === null ? undefined : deps.onStatus(batch)),
      (error: unknown) => deps.onTrouble({ batch: id, error }),
    )

  async function gradeChunk(chunk: Chunk, signal: AbortSignal): Promise<void> {
    const { batch } = chunk
    const plan = await batches.plan(batch)
    if (plan?.status !== 'running') return
    const run = runOf(batch)
    const leaving = AbortSignal.any([signal, run.leaving.signal])
    try {
      await runChunk(deps, {
        ...{ plan, chunk, signal: leaving },
        // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
        park: async (parking) => (leaving.aborted ? undefined : park(batch, parking)),
        onEnd() {
          run.refusals = 0
        },
      })
    } catch (error) {
      await breakOff(batch, run, error)
      throw error
    }
    await end(await batches.plan(batch))
  }

  /** Grades the open items of a chunk, or moves the questions at a provider a step further. A poll of an earlier version has no member `chunk`. */
  const doJob: DoJob = async ({ chunk = null, ...poll }, signal) => {
    if (chunk !== null) {
      await gradeChunk({ ...poll, chunk }, signal)
      return null
    }
    try {
      return await pollOnce(poll)
    } catch (error) {
      deps.onTrouble({ batch: poll.batch, error })
      return REST_MS
    }
  }

  return {
    doJob,
    enqueue,
    leave,
    leaveAll: () => [...runs.keys()].forEach(leave),
    /** Leaves the batches that another process has parked, cancelled or ended. */
    async leaveEnded(): Promise<void> {
      const ids = [...runs.keys()]
      if (ids.length === 0) return
      const running = await batches.listRunning(ids)
      for (const id of ids) if (!running.has(id)) leave(id)
    },
  }
}
