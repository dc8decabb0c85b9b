import type { BatchRecord, RunPlan } from '../db/batches.ts'
import type { Sql } from '../db/db.ts'
import type { Chunk, OpenItem } from '../db/items.ts'
import { count } from '../domain/words.ts'
import type { ItemOutcome } from '../grading/grade.ts'
import { type BatchWait, COMMAND_STOPPED } from '../schemas/vocabulary.ts'
import type { JobHandlers, Jobs, Poll } from './jobs.ts'
import { createProviderPump, type ProviderPump } from './provider.ts'
import { BudgetLine, type ChunkDeps, type ChunkRun, type Parking, runChunk } from './run-chunk.ts'

export interface EngineDeps extends Omit<ChunkDeps, 'onEnd' | 'onError'> {
  readonly jobs: Jobs
  /** Milliseconds between two looks at a provider’s batch. */
  readonly poll_ms: number
  /** Milliseconds after which a call in flight is lost. */
  readonly lost_ms: number
  /** Whether this process takes over batches that other processes left: a service, not a command. */
  readonly adopts: boolean
  /** Whether this process works on the batches of a PostgreSQL. */
  readonly works: boolean
  readonly newId: (prefix: string) => string
  /** Receives errors of background work, for the log. */
  readonly onTrouble: (trouble: Trouble) => void
  /** The batch is parked, done or cancelled. Never rejects. */
  readonly onStatus: (id: string) => Promise<void>
  /** The batch may have changed. */
  readonly notify: (id: string) => void
}

export interface Trouble {
  readonly batch: string
  readonly item?: string
  readonly error: unknown
}

/** The subject for which a batch waits, and the sentence that says so. */
interface Waiting {
  readonly for: BatchWait
  readonly reason: string
}

/** Receives news of batches. */
export interface BatchListener {
  /** Work on a batch met an error. */
  readonly onTrouble?: (trouble: Trouble) => void
  /** A batch has begun, is parked, done or cancelled. */
  readonly onStatus?: (batch: BatchRecord) => void
  /** An item was graded or refused, by a call or by a stored grade. */
  readonly onItem?: (outcome: ItemOutcome) => void
}

/** Between two looks at an SQLite file: no process tells another of a new batch. */
const FILE_SWEEP_MS = 1000
/** Between two looks at a PostgreSQL, where jobs tell of work. */
const SERVER_SWEEP_MS = 15_000
/** Between two looks at the status of batches that run here, which another process may have parked or cancelled. */
const STATUS_MS = 500
const ANNOUNCE_MS = 10_000
const MARK_LOST_MS = 15_000
/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Refusals of the database in a row, without an ended item in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000
/** A call in flight for longer may be one of a process that has ended. */
const YOUNG_CALL_MS = 30_000

/** The state of a batch in this process. */
interface BatchState {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  leaving: AbortController
  /** Aborted where an operator resumes the batch: its rest after a refusal of the database ends. */
  resting: AbortController
  readonly budget: BudgetLine
  /** Chunks that run. */
  chunks: number
  /** Refusals of the database since an item has ended. */
  refusals: number
  /** The time at which an operator last resumed the batch: a call that began before says nothing any more. */
  resumed_at: number
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

/**
 * Runs the chunks of batches. On PostgreSQL every worker takes chunks from shared queues; on SQLite the holder of the run lock runs all of them. A
 * sweep puts the chunks of each open batch into the queues, wakes batches, and ends batches: adding a chunk twice is harmless.
 */
export class BatchEngine implements JobHandlers {
  private readonly deps: EngineDeps
  private readonly pump: ProviderPump
  private readonly states = new Map<string, BatchState>()
  /** The batches of a command, and whether the command made them. */
  private readonly own = new Map<string, { readonly isNew: boolean }>()
  /** On SQLite, an id of the time at which this process took the run lock; null without the lock. */
  private leadsSince: string | null = null
  private readonly stopping = new AbortController()
  private readonly loops: Promise<void>[] = []
  private readonly batches: EngineDeps['stores']['batches']
  /** Whether this process shares the batches of a PostgreSQL with others. */
  private readonly isShared: boolean

  constructor(deps: EngineDeps) {
    this.deps = deps
    this.batches = deps.stores.batches
    this.isShared = deps.stores.run_lock === null
    this.pump = createProviderPump({ ...deps, queue: deps.stores.provider })
  }

  /** Starts the loops of a service, which goes on with the batches of earlier processes. */
  async start(): Promise<void> {
    const { jobs, judges, works } = this.deps
    if (this.isShared && works) {
      await jobs.start([...judges.keys()], this)
      await this.announce()
    }
    // The service answers already: the next sweep repeats work that the database refused.
    await this.sweep().catch(this.onTrouble(''))
    this.startLoops()
  }

  private startLoops(): void {
    if (this.loops.length > 0) return
    this.loops.push(
      this.repeat(this.isShared ? SERVER_SWEEP_MS : FILE_SWEEP_MS, () => this.sweep()),
      this.repeat(ANNOUNCE_MS, () => this.announce()),
      this.repeat(MARK_LOST_MS, () => this.deps.stores.attempts.markLost(this.lostBefore())),
      this.repeat(STATUS_MS, () => this.leave()),
    )
  }

  /** Repeats work until the engine stops; tells of trouble once, until the work succeeds again. */
  private async repeat(ms: number, work: () => Promise<unknown>): Promise<void> {
    let isTold = false
    for (;;) {
      await this.deps.clock.sleep(ms, this.stopping.signal).catch(() => undefined)
      if (this.stopping.signal.aborted) return
      try {
        await work()
        isTold = false
      } catch (error) {
        if (!isTold) this.deps.onTrouble({ batch: '', error })
        isTold = true
      }
    }
  }

  /** Begins nothing more; resolves once nothing is in flight and other processes can take over. */
  async stop(): Promise<void> {
    this.stopping.abort()
    for (const { leaving } of this.states.values()) leaving.abort()
    await this.deps.jobs.stop()
    await Promise.all(this.loops)
    if (this.isShared) return
    // A batch that the command resumed goes on where another process runs it.
    for (const [id, { isNew }] of this.own)
      if (isNew || this.leadsSince !== null) await this.parkOwn(id).catch(this.onTrouble(id))
    this.deps.stores.run_lock?.release()
  }

  /** Parks the batch of a stopped command: no other process shall go on with the batch, and pay. */
  private async parkOwn(id: string): Promise<void> {
    const record = await this.batches.get(id)
    if (record === null) return
    const judge = record.status === 'running' ? await this.nextJudge(record) : null
    if (judge !== null && (await this.isMissing(judge))) return
    // A parked batch with a time would go on at that time.
    if (record.resumes_at !== null) await this.batches.resume(id)
    await this.batches.park(id, COMMAND_STOPPED, null)
  }

  /**
   * Prepares the jobs of a draft, for the unit of work that opens the batch: a unit reads by no second connection, since all connections may be busy
   * with such units. On SQLite the jobs begin afterwards.
   */
  async addDraft(id: string): Promise<(sql: Sql) => Promise<void>> {
    const chunks = this.isShared ? await this.batches.chunks(id) : []
    return (sql) => (chunks.length === 0 ? Promise.resolve() : this.deps.jobs.addChunks(chunks, sql))
  }

  /** Begins a stored batch. A command learns of an unusable run lock; every other failure is tried again by the next sweep. */
  async begin(id: string, isNew = true): Promise<void> {
    const { adopts, stores } = this.deps
    if (!adopts && !this.isShared) {
      // A command that cannot use the run lock parks its new batch as it stops.
      this.own.set(id, { isNew: isNew || this.own.get(id)?.isNew === true })
      stores.run_lock?.take()
    }
    try {
      if (this.isShared || (await this.lead())) await this.enqueue(id)
      if (!this.isShared) this.startLoops()
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
    }
  }

  /** Goes on with a parked batch, or with a batch that no process runs: an operator has mended its judges. */
  async resume({ id, status }: BatchRecord): Promise<void> {
    const state = this.stateOf(id)
    if (status === 'parked') {
      const judges = [...this.deps.judges.keys()]
      await this.deps.stores.judges.resume(judges)
      for (const judge of judges) this.deps.laneOf(judge).restsUntil = 0
      await this.batches.resume(id)
      state.refusals = 0
    }
    state.resting.abort()
    state.resumed_at = this.now()
    await this.begin(id, false)
  }

  /** Ends a batch whose status says `cancelling` already: calls in flight end first, and the last chunk or the sweep ends the batch. */
  async cancel(id: string): Promise<void> {
    this.states.get(id)?.leaving.abort()
    await this.enqueue(id).catch(this.onTrouble(id))
  }

  /**
   * Counts the items in flight, in all processes, and explains that the batch waits: no worker has the judge of its next item, the judge asked for a
   * pause, or the calls in flight are old; null: the batch runs.
   */
  async view(record: BatchRecord): Promise<{ readonly in_flight: number; readonly waiting: Waiting | null }> {
    const { id, status, counts } = record
    if (status !== 'running' && status !== 'cancelling') return { in_flight: 0, waiting: null }
    const { items, newest } = counts.pending === 0 ? NONE_IN_FLIGHT : await this.deps.stores.attempts.inFlight(id)
    if (newest !== null) return { in_flight: items, waiting: this.waitingSince(items, Date.parse(newest)) }
    return { in_flight: 0, waiting: await this.waitingFor(record) }
  }

  /** Explains that all calls in flight are old; null: a call is young. */
  private waitingSince(items: number, newest: number): Waiting | null {
    if (newest > this.now() - YOUNG_CALL_MS) return null
    const lost = new Date(newest + this.deps.lost_ms).toISOString()
    const late = `waiting: ${count(items, 'item')} without an answer for ${Math.round((this.now() - newest) / 1000)} s`
    const reason = `${late}: the judge is slow, or the process that called has ended; lost calls are made again after ${lost}`
    return { for: 'answers', reason }
  }

  private async waitingFor(record: BatchRecord): Promise<Waiting | null> {
    const judge = await this.nextJudge(record)
    if (judge === null) return null
    if (await this.isMissing(judge)) return { for: 'worker', reason: `waiting: no worker for ${judge}` }
    const { paused_until, failure } = await this.deps.stores.judges.get(judge)
    if (failure === null || paused_until <= this.now()) return null
    return { for: 'judge', reason: `${judge}: ${failure.code}, waiting until ${new Date(paused_until).toISOString()}` }
  }

  /** Tells whether no process that runs batches has the judge. */
  private async isMissing(judge: string): Promise<boolean> {
    const { stores, judges, works } = this.deps
    const isHere = this.isShared ? works : this.leadsSince !== null
    if (isHere && judges.has(judge)) return false
    // Without a holder of the run lock nothing is known: the next holder may have the judge.
    if (!this.isShared && this.leadsSince === null && stores.run_lock?.isTaken() === false) return false
    return !((this.isShared || !isHere) && (await stores.judges.hasWorker(judge)))
  }

  /** Finds the judge of the next item, or of an open submission. */
  private async nextJudge({ id, mode, status }: Pick<BatchRecord, 'id' | 'mode' | 'status'>): Promise<string | null> {
    const [item] = status === 'running' ? await this.batches.pending(id, -1, 1) : []
    if (item !== undefined) return item.request.judge ?? ''
    return mode === 'provider' ? ((await this.deps.stores.provider.judges(id))[0] ?? null) : null
  }

  /** Looks at the batches: puts the chunks of batches without a job into the queues, wakes parked batches, and ends batches. */
  private async sweep(): Promise<void> {
    if (this.isShared ? !this.deps.adopts : !(await this.lead())) return
    const due = await this.batches.listDue(new Date(this.now()).toISOString())
    const busy = await this.deps.jobs.busy()
    for (const { id, status, is_open } of due) {
      if (this.stopping.signal.aborted) return
      // The jobs of a batch may wait for a worker that does not come: other batches than those that run their items need none.
      const waits = status === 'running' && is_open && busy.has(id)
      if (!waits && !this.isForeign(id)) await this.see(id, status).catch(this.onTrouble(id))
    }
  }

  /** Tells whether a command leaves the batch alone: it does not pay for batches that earlier processes left behind. */
  private isForeign(id: string): boolean {
    return !this.deps.adopts && !this.own.has(id) && id <= (this.leadsSince ?? id)
  }

  private async see(id: string, status: RunPlan['status']): Promise<void> {
    if (status === 'parked' && (await this.batches.resume(id))) this.deps.notify(id)
    await this.enqueue(id)
  }

  /** Puts the open work of a batch into the queues; a batch without open work ends. */
  private async enqueue(id: string): Promise<void> {
    const { jobs, stores } = this.deps
    const plan = await this.batches.plan(id)
    if (plan === null || (plan.status !== 'running' && plan.status !== 'cancelling')) return
    const chunks = plan.status === 'running' ? await this.batches.chunks(id) : []
    await jobs.addChunks(chunks)
    const judges = plan.mode === 'provider' ? await stores.provider.judges(id) : []
    for (const judge of judges) await jobs.addPoll({ batch: id, judge }, 0)
    if (chunks.length === 0 && judges.length === 0) await this.end(plan)
  }

  /**
   * Takes the run lock of the SQLite file; tells whether this process runs the batches. The calls in flight of the holder before are settled
   * first. A command without a batch leaves the lock alone.
   */
  private async lead(): Promise<boolean> {
    const { stores, adopts, judges, jobs, newId } = this.deps
    if (this.leadsSince !== null) return true
    if (this.stopping.signal.aborted || (!adopts && this.own.size === 0) || stores.run_lock?.take() !== true)
      return false
    await stores.attempts.markLost(this.lostBefore(), true)
    await stores.provider.sent(null)
    await jobs.start([...judges.keys()], this)
    this.leadsSince ??= newId('bat')
    await this.announce()
    return true
  }

  private async announce(): Promise<void> {
    if (this.isShared ? this.deps.works : this.leadsSince !== null)
      await this.deps.stores.judges.announce([...this.deps.judges.keys()])
  }

  private lostBefore(): string {
    return new Date(this.now() - this.deps.lost_ms).toISOString()
  }

  /** Ends the chunks of batches that another process has parked, cancelled or ended; forgets batches without a chunk here. */
  private async leave(): Promise<void> {
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

  /** Implements `JobHandlers.runChunk`. */
  async runChunk(chunk: Chunk, signal: AbortSignal): Promise<void> {
    const { batch } = chunk
    const plan = await this.batches.plan(batch)
    if (plan?.status !== 'running') return
    const state = this.stateOf(batch)
    if (state.leaving.signal.aborted) state.leaving = new AbortController()
    state.chunks += 1
    const deps: ChunkDeps = {
      ...this.deps,
      onEnd: (id) => {
        state.refusals = 0
        this.deps.notify(id)
      },
      onError: (error: unknown, item: OpenItem) => this.deps.onTrouble({ batch, item: item.item_id, error }),
    }
    try {
      const leaving = AbortSignal.any([signal, state.leaving.signal])
      // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
      const park: ChunkRun['park'] = async (...given) => leaving.aborted || this.park(batch, ...given)
      await runChunk(deps, { plan, chunk, signal: leaving, budget: state.budget, park })
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
    if (await this.batches.park(id, reason, resumes_at?.toISOString() ?? null)) await this.deps.onStatus(id)
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
    const signal = AbortSignal.any([this.stopping.signal, state.resting.signal])
    await this.deps.clock.sleep(REST_MS, signal).catch(() => undefined)
  }

  /** Implements `JobHandlers.poll`. */
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
    if (step.kind === 'parked') {
      await this.park(batch, step)
      return null
    }
    if (step.kind === 'waiting') return this.deps.poll_ms
    await this.deps.jobs.addChunks(await this.batches.chunks(batch))
    if (pending > 0 || step.kind === 'returned') return POLL_SOON_MS
    await this.end(plan)
    return null
  }

  /** Ends the batch where no item is open any more; a cancelled batch, once nothing is in flight. */
  private async end(plan: RunPlan | null): Promise<void> {
    if (plan === null) return
    const { id, mode, status } = plan
    const at = this.deps.clock.now().toISOString()
    if (status === 'cancelling') {
      const open = mode === 'provider' ? await this.deps.stores.provider.judges(id) : []
      for (const judge of open) await this.deps.jobs.addPoll({ batch: id, judge }, 0)
      if (open.length > 0 || !(await this.batches.finishCancel(id, at))) return
    } else if (!(await this.batches.finish(id, at))) return
    await this.deps.onStatus(id)
    this.deps.notify(id)
  }

  private onTrouble(batch: string): (error: unknown) => void {
    return (error) => this.deps.onTrouble({ batch, error })
  }

  private now(): number {
    return this.deps.clock.now().getTime()
  }
}

const NONE_IN_FLIGHT = { items: 0, newest: null } as const
