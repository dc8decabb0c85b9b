import type { RunPlan } from '../db/batches.ts'
import type { JobHandlers, Poll } from './jobs.ts'
import { createProviderPump } from './provider.ts'
import { type BatchDeps, type ChunkRun, type Parking, runChunk } from './run-chunk.ts'

/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Refusals of the database in a row, without an ended item in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000

interface BatchState {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  leaving: AbortController
  chunks: number
  /** Refusals of the database since an item has ended. */
  refusals: number
  /** The time at which an operator last resumed the batch: a call that began before says nothing any more. */
  resumed_at: number
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

/** Creates the work of this process on batches: it does their jobs, parks batches and ends batches. `stopping`: aborted where this process stops. */
export function createBatchWork(deps: BatchDeps, stopping: AbortSignal) {
  const { clock, jobs } = deps
  const { batches, provider } = deps.stores
  const pump = createProviderPump(deps)
  const states = new Map<string, BatchState>()

  function stateOf(id: string): BatchState {
    const known = states.get(id)
    if (known !== undefined) return known
    const state = { leaving: new AbortController(), unasked: new Map(), chunks: 0, refusals: 0, resumed_at: 0 }
    states.set(id, state)
    return state
  }

  /** Parks a batch; false where an operator has resumed the batch since the failed call began. */
  async function park(id: string, { reason, resumes_at }: Parking, since = Number.POSITIVE_INFINITY): Promise<boolean> {
    const state = states.get(id)
    if (since <= (state?.resumed_at ?? 0)) return false
    state?.leaving.abort()
    if (await batches.park(id, reason, resumes_at?.toISOString() ?? null)) await tell(id)
    return true
  }

  /** Rests after a refusal of the database; a damage that lasts parks the batch. */
  async function breakOff(batch: string, state: BatchState, error: unknown): Promise<void> {
    deps.onTrouble({ batch, error })
    const { code, message } = error as { code?: unknown; message?: unknown }
    state.refusals = code === 'storage_error' ? state.refusals + 1 : 0
    if (state.refusals >= MOST_REFUSALS) {
      const reason = `the database refused ${state.refusals} times in a row: ${message}: mend it, then resume`
      state.refusals = 0
      return void (await park(batch, { reason, resumes_at: null }).catch(() => undefined))
    }
    await clock.sleep(REST_MS, stopping).catch(() => undefined)
  }

  async function pollOnce(poll: Poll): Promise<number | null> {
    const { batch, judge } = poll
    const plan = await batches.plan(batch)
    if (plan?.status === 'cancelling') {
      if (!(await pump.drain(poll))) return deps.poll_ms
      await end(plan)
      return null
    }
    if (plan?.status !== 'running') return null
    const { unasked } = stateOf(batch)
    const pending = await batches.countPending(batch, judge)
    const asks = pending > 0 && pending !== unasked.get(judge)
    unasked.set(judge, pending)
    const step = await pump.step(poll, !asks)
    if (step === 'waiting') return deps.poll_ms
    if (typeof step === 'object') {
      await park(batch, step)
      return null
    }
    await jobs.addChunks(await batches.chunks(batch))
    if (pending > 0 || step === 'returned') return POLL_SOON_MS
    await end(plan)
    return null
  }

  /** Ends the batch where no item is open any more; a cancelled batch, once nothing is in flight. */
  async function end(plan: RunPlan | null): Promise<void> {
    if (plan === null) return
    const { id, mode, status } = plan
    const at = clock.now().toISOString()
    if (status === 'cancelling') {
      const open = mode === 'provider' ? await provider.judges(id) : []
      for (const judge of open) await jobs.addPoll({ batch: id, judge }, 0)
      if (open.length > 0 || !(await batches.finishCancel(id, at))) return
    } else if (!(await batches.finish(id, at))) return
    await tell(id)
  }

  /** Tells the listeners of the new status of a batch. */
  const tell = (id: string): Promise<void> =>
    batches.get(id).then(
      (batch) => (batch === null ? undefined : deps.onStatus(batch)),
      (error: unknown) => deps.onTrouble({ batch: id, error }),
    )

  const handlers: JobHandlers = {
    async runChunk(chunk, signal) {
      const { batch } = chunk
      const plan = await batches.plan(batch)
      if (plan?.status !== 'running') return
      const state = stateOf(batch)
      if (state.leaving.signal.aborted) state.leaving = new AbortController()
      state.chunks += 1
      const onEnd = () => {
        state.refusals = 0
      }
      try {
        const leaving = AbortSignal.any([signal, state.leaving.signal])
        // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
        const parkRun: ChunkRun['park'] = async (...given) => leaving.aborted || park(batch, ...given)
        await runChunk(deps, { plan, chunk, signal: leaving, park: parkRun, onEnd })
      } catch (error) {
        await breakOff(batch, state, error)
        throw error
      } finally {
        state.chunks -= 1
      }
      if (plan.mode === 'provider') await jobs.addPoll({ batch, judge: chunk.judge }, 0)
      await end(await batches.plan(batch))
    },
    async poll(poll) {
      try {
        return await pollOnce(poll)
      } catch (error) {
        deps.onTrouble({ batch: poll.batch, error })
        return REST_MS
      }
    },
  }
  return {
    ...handlers,
    end,
    /** Lets the chunks of a batch, or of all batches, end here. */
    leaveBatch(id?: string): void {
      for (const [batch, { leaving }] of states) if (id === undefined || id === batch) leaving.abort()
    },
    /** Forgets the refusals of a batch that an operator resumes. */
    resumed(id: string, wasParked: boolean): void {
      const state = stateOf(id)
      if (wasParked) state.refusals = 0
      state.resumed_at = clock.now().getTime()
    },
    /** Ends the chunks of batches that another process has parked, cancelled or ended; forgets batches without a chunk here. */
    async leaveEnded(): Promise<void> {
      if (states.size === 0) return
      const running = await batches.listRunning([...states.keys()])
      for (const [id, state] of states) {
        if (running.has(id)) continue
        state.leaving.abort()
        if (state.chunks === 0) states.delete(id)
      }
    },
  }
}
