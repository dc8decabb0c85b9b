import type { RunPlan } from '../db/batches.ts'
import type { Chunk } from '../db/items.ts'
import type { JobHandlers, Poll } from './jobs.ts'
import { createProviderPump, type ProviderPump } from './provider.ts'
import { type BatchDeps, BudgetLine, type ChunkRun, type Parking, runChunk } from './run-chunk.ts'

/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Refusals of the database in a row, without an ended item in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000

interface BatchState {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  leaving: AbortController
  /** Aborted where an operator resumes the batch: its rest after a refusal of the database ends. */
  resting: AbortController
  readonly budget: BudgetLine
  chunks: number
  /** Refusals of the database since an item has ended. */
  refusals: number
  /** The time at which an operator last resumed the batch: a call that began before says nothing any more. */
  resumed_at: number
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

interface WorkDeps extends BatchDeps {
  readonly notify: (id: string) => void
}

/** Does the jobs of batches, parks batches and ends batches. */
export class BatchWork implements JobHandlers {
  private readonly deps: WorkDeps
  private readonly pump: ProviderPump
  private readonly states = new Map<string, BatchState>()
  /** Aborted where this process stops. */
  private readonly stopping: AbortSignal

  constructor(deps: WorkDeps, stopping: AbortSignal) {
    this.deps = deps
    this.stopping = stopping
    this.pump = createProviderPump(deps)
  }

  private get batches() {
    return this.deps.stores.batches
  }

  /** Lets the chunks of a batch, or of all batches, end here. */
  leaveBatch(id?: string): void {
    for (const [batch, { leaving }] of this.states) if (id === undefined || id === batch) leaving.abort()
  }

  /** Forgets the refusals of a batch that an operator resumes. */
  resumed(id: string, wasParked: boolean): void {
    const state = this.stateOf(id)
    if (wasParked) state.refusals = 0
    state.resting.abort()
    state.resumed_at = this.deps.clock.now().getTime()
  }

  /** Ends the chunks of batches that another process has parked, cancelled or ended; forgets batches without a chunk here. */
  async leaveEnded(): Promise<void> {
    if (this.states.size === 0) return
    const running = await this.batches.listRunning([...this.states.keys()])
    for (const [id, state] of this.states) {
      if (running.has(id)) continue
      state.leaving.abort()
      if (state.chunks === 0) this.states.delete(id)
    }
  }

  private stateOf(id: string): BatchState {
    const known = this.states.get(id)
    if (known !== undefined) return known
    const signals = { leaving: new AbortController(), resting: new AbortController() }
    const state = { ...signals, budget: new BudgetLine(), chunks: 0, refusals: 0, resumed_at: 0, unasked: new Map() }
    this.states.set(id, state)
    return state
  }

  async runChunk(chunk: Chunk, signal: AbortSignal): Promise<void> {
    const { batch } = chunk
    const plan = await this.batches.plan(batch)
    if (plan?.status !== 'running') return
    const state = this.stateOf(batch)
    if (state.leaving.signal.aborted) state.leaving = new AbortController()
    state.chunks += 1
    const onEnd = () => {
      state.refusals = 0
      this.deps.notify(batch)
    }
    try {
      const leaving = AbortSignal.any([signal, state.leaving.signal])
      // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
      const park: ChunkRun['park'] = async (...given) => leaving.aborted || this.park(batch, ...given)
      await runChunk(this.deps, { plan, chunk, signal: leaving, budget: state.budget, park, onEnd })
    } catch (error) {
      await this.breakOff(batch, state, error)
      throw error
    } finally {
      state.chunks -= 1
      this.deps.notify(batch)
    }
    if (plan.mode === 'provider') await this.deps.jobs.addPoll({ batch, judge: chunk.judge }, 0)
    await this.end(await this.batches.plan(batch))
  }

  /** Parks a batch; false where an operator has resumed the batch since the failed call began. */
  private async park(id: string, { reason, resumes_at }: Parking, since = Number.POSITIVE_INFINITY): Promise<boolean> {
    const state = this.states.get(id)
    if (since <= (state?.resumed_at ?? 0)) return false
    state?.leaving.abort()
    if (await this.batches.park(id, reason, resumes_at?.toISOString() ?? null)) await this.tell(id)
    this.deps.notify(id)
    return true
  }

  /** Rests after a refusal of the database, until an operator resumes the batch; a damage that lasts parks the batch. */
  private async breakOff(batch: string, state: BatchState, error: unknown): Promise<void> {
    this.deps.onTrouble({ batch, error })
    const { code, message } = error as { code?: unknown; message?: unknown }
    state.refusals = code === 'storage_error' ? state.refusals + 1 : 0
    if (state.refusals >= MOST_REFUSALS) {
      const reason = `the database refused ${state.refusals} times in a row: ${message}: mend it, then resume`
      state.refusals = 0
      return void (await this.park(batch, { reason, resumes_at: null }).catch(() => undefined))
    }
    if (state.resting.signal.aborted) state.resting = new AbortController()
    const signal = AbortSignal.any([this.stopping, state.resting.signal])
    await this.deps.clock.sleep(REST_MS, signal).catch(() => undefined)
  }

  async poll(poll: Poll): Promise<number | null> {
    try {
      return await this.pollOnce(poll)
    } catch (error) {
      this.deps.onTrouble({ batch: poll.batch, error })
      return REST_MS
    }
  }

  private async pollOnce(poll: Poll): Promise<number | null> {
    const { batch, judge } = poll
    const plan = await this.batches.plan(batch)
    if (plan?.status === 'cancelling') {
      if (!(await this.pump.drain(poll))) return this.deps.poll_ms
      await this.end(plan)
      return null
    }
    if (plan?.status !== 'running') return null
    const { unasked } = this.stateOf(batch)
    const pending = await this.batches.countPending(batch, judge)
    const asks = pending > 0 && pending !== unasked.get(judge)
    unasked.set(judge, pending)
    const step = await this.pump.step(poll, !asks)
    if (step.kind === 'waiting') return this.deps.poll_ms
    if (step.kind === 'parked') {
      await this.park(batch, step)
      return null
    }
    await this.deps.jobs.addChunks(await this.batches.chunks(batch))
    if (pending > 0 || step.kind === 'returned') return POLL_SOON_MS
    await this.end(plan)
    return null
  }

  /** Ends the batch where no item is open any more; a cancelled batch, once nothing is in flight. */
  async end(plan: RunPlan | null): Promise<void> {
    if (plan === null) return
    const { id, mode, status } = plan
    const at = this.deps.clock.now().toISOString()
    if (status === 'cancelling') {
      const open = mode === 'provider' ? await this.deps.stores.provider.judges(id) : []
      for (const judge of open) await this.deps.jobs.addPoll({ batch: id, judge }, 0)
      if (open.length > 0 || !(await this.batches.finishCancel(id, at))) return
    } else if (!(await this.batches.finish(id, at))) return
    await this.tell(id)
    this.deps.notify(id)
  }

  /** Tells the listeners of the new status of a batch. */
  private async tell(id: string): Promise<void> {
    try {
      const batch = await this.batches.get(id)
      if (batch !== null) this.deps.onStatus(batch)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
    }
  }
}
