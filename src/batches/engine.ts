import { type BatchRecord, COMMAND_STOPPED, type OpenBatch, type RunPlan } from '../db/batches.ts'
import type { Sql } from '../db/db.ts'
import type { Chunk, OpenItem } from '../db/items.ts'
import type { ItemOutcome } from '../grading/service.ts'
import type { JobHandlers, Jobs, Poll } from './jobs.ts'
import { createNotifier } from './notifier.ts'
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
/** Between two looks at the status of a running batch, which another process may have cancelled. */
const STATUS_MS = 500
const ANNOUNCE_MS = 10_000
const MARK_LOST_MS = 15_000
/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Refusals of the database in a row, without an ended item in between, that park a batch. */
const MOST_BREAKS = 3
const BREAK_MS = 10_000

/** A batch with chunks that run in this process. */
interface Running {
  readonly leaving: AbortController
  readonly budget: BudgetLine
  chunks: number
}

/**
 * Runs the chunks of batches. On PostgreSQL every worker takes chunks from shared queues; on SQLite the holder of the run lock runs all of them. A
 * sweep puts the chunks of each open batch into the queues, wakes batches, and ends batches: adding a chunk twice is harmless.
 */
export class BatchEngine implements JobHandlers {
  private readonly deps: EngineDeps
  private readonly pump: ProviderPump
  private readonly notifier
  private readonly running = new Map<string, Running>()
  /** The batches of a command, and those of them that the command made. */
  private readonly own = new Set<string>()
  private readonly made = new Set<string>()
  private readonly breaks = new Map<string, number>()
  /** The rests of batches after a refusal of the database. */
  private readonly rests = new Map<string, AbortController>()
  /** The time at which an operator last resumed a batch: a call that began before says nothing any more. */
  private readonly resumedAt = new Map<string, number>()
  /** The pending items of a poll at its last step: an item that lacks money goes on asking, and holds back no submission. */
  private readonly unasked = new Map<string, number>()
  /** On SQLite, an id of the time at which this process took the run lock; null without the lock. */
  private leadsSince: string | null = null
  private readonly stopping = new AbortController()
  private readonly loops: Promise<void>[] = []

  constructor(deps: EngineDeps) {
    this.deps = deps
    this.notifier = createNotifier(deps.clock)
    this.pump = createProviderPump({ ...deps, queue: deps.stores.provider })
  }

  private get batches() {
    return this.deps.stores.batches
  }

  /** Whether this process shares the batches of a PostgreSQL with others. */
  private get isShared(): boolean {
    return this.deps.stores.run_lock === null
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
    if (this.loops.length > 0 || this.stopping.signal.aborted) return
    const sweep_ms = this.isShared ? SERVER_SWEEP_MS : FILE_SWEEP_MS
    this.loops.push(
      this.repeat(
        () => this.notifier.wait(sweep_ms),
        () => this.sweep(),
      ),
      this.repeat(
        () => this.sleep(ANNOUNCE_MS),
        () => this.announce(),
      ),
      this.repeat(
        () => this.sleep(MARK_LOST_MS),
        () => this.markLost(),
      ),
    )
  }

  private sleep(ms: number): Promise<void> {
    return this.deps.clock.sleep(ms, this.stopping.signal).catch(() => undefined)
  }

  /** Repeats work until the engine stops; tells of trouble once, until the work succeeds again. */
  private async repeat(wait: () => Promise<void>, work: () => Promise<unknown>): Promise<void> {
    let isTold = false
    for (;;) {
      await wait()
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
    this.notifier.notify()
    for (const { leaving } of this.running.values()) leaving.abort()
    await this.deps.jobs.stop()
    await Promise.all(this.loops)
    if (this.isShared) return
    // A batch that the command resumed goes on where another process runs it.
    for (const id of this.leadsSince === null ? this.made : this.own) await this.parkOwn(id).catch(this.onTrouble(id))
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
    const { adopts, onTrouble } = this.deps
    if (!adopts && !this.isShared) {
      // A command that cannot use the run lock parks its new batch as it stops.
      if (isNew) this.made.add(id)
      this.own.add(id)
      this.deps.stores.run_lock?.take()
    }
    try {
      if (this.isShared || (await this.lead())) await this.enqueue({ id, ...(await this.modeOf(id)) })
      if (!this.isShared) this.startLoops()
    } catch (error) {
      onTrouble({ batch: id, error })
    }
  }

  private async modeOf(id: string): Promise<Pick<RunPlan, 'mode' | 'status'>> {
    const plan = await this.batches.plan(id)
    return { mode: plan?.mode ?? 'direct', status: plan?.status ?? 'done' }
  }

  /** Goes on with a parked batch, or with a batch that no process runs: an operator has mended its judges. */
  async resume({ id, status }: BatchRecord): Promise<void> {
    if (status === 'parked') {
      await this.deps.stores.judges.resume([...this.deps.judges.keys()])
      for (const judge of this.deps.judges.keys()) this.deps.laneOf(judge).restsUntil = 0
      await this.batches.resume(id)
      this.breaks.delete(id)
    }
    this.rests.get(id)?.abort()
    this.rests.delete(id)
    this.resumedAt.set(id, this.now())
    await this.begin(id, false)
  }

  /** Ends a batch whose status says `cancelling` already: calls in flight end first. */
  async cancel(id: string): Promise<void> {
    this.running.get(id)?.leaving.abort()
    await this.end({ id, ...(await this.modeOf(id)) }).catch(this.onTrouble(id))
    void this.keepCancelling(id).catch(this.onTrouble(id))
  }

  /** Tries to end a cancelled batch until the calls in flight have ended. */
  private async keepCancelling(id: string): Promise<void> {
    for (;;) {
      await this.sleep(STATUS_MS)
      const batch = { id, ...(await this.modeOf(id)) }
      if (batch.status !== 'cancelling' || this.stopping.signal.aborted) return
      await this.end(batch)
    }
  }

  /** Counts the items in flight, in all processes. */
  async inFlight({ id, status }: BatchRecord): Promise<number> {
    return status === 'running' || status === 'cancelling' ? this.deps.stores.attempts.inFlight(id) : 0
  }

  /** Explains that a running batch waits: no worker has the judge of its next item, or the judge asked for a pause; null: the batch runs. */
  async waitingFor(record: BatchRecord): Promise<string | null> {
    if (record.status !== 'running') return null
    const judge = await this.nextJudge(record)
    if (judge === null) return null
    if (await this.isMissing(judge)) return `waiting: no worker for ${judge}`
    const { paused_until, failure } = await this.deps.stores.judges.get(judge)
    if (failure === null || paused_until <= this.now()) return null
    return `${judge}: ${failure.code}, waiting until ${new Date(paused_until).toISOString()}`
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
  private async nextJudge({ id, mode }: Pick<BatchRecord, 'id' | 'mode'>): Promise<string | null> {
    const [item] = await this.batches.pending(id, -1, 1)
    if (item !== undefined) return item.request.judge ?? ''
    return mode === 'provider' ? ((await this.deps.stores.provider.judges(id))[0] ?? null) : null
  }

  /** Looks at the open batches: puts their chunks into the queues, wakes parked batches, and ends batches. */
  private async sweep(): Promise<void> {
    if (this.isShared ? !this.deps.adopts : !(await this.lead())) return
    for (const batch of await this.batches.listOpen()) {
      if (this.stopping.signal.aborted) return
      if (this.isForeign(batch.id)) continue
      await this.see(batch).catch(this.onTrouble(batch.id))
    }
  }

  /** Whether a command leaves the batch alone: it does not pay for batches that earlier processes left behind. */
  private isForeign(id: string): boolean {
    return !this.deps.adopts && !this.own.has(id) && id <= (this.leadsSince ?? id)
  }

  private async see({ id, mode, status, resumes_at }: OpenBatch): Promise<void> {
    if (status === 'parked') {
      if (resumes_at === null || Date.parse(resumes_at) > this.now()) return
      if (await this.batches.resume(id)) this.deps.notify(id)
    }
    if (this.deps.jobs.isBusy(id)) return
    await this.enqueue({ id, mode, status: status === 'parked' ? 'running' : status })
  }

  /** Puts the open work of a batch into the queues; a batch without open work ends. */
  private async enqueue(batch: Pick<RunPlan, 'id' | 'mode' | 'status'>): Promise<void> {
    const { jobs, stores } = this.deps
    if (batch.status === 'cancelling') return this.end(batch)
    if (batch.status !== 'running') return
    const chunks = await this.batches.chunks(batch.id)
    await jobs.addChunks(chunks)
    const judges = batch.mode === 'provider' ? await stores.provider.judges(batch.id) : []
    for (const judge of judges) await jobs.addPoll({ batch: batch.id, judge }, 0)
    if (chunks.length === 0 && judges.length === 0) await this.end(batch)
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

  private markLost(): Promise<number> {
    return this.deps.stores.attempts.markLost(this.lostBefore())
  }

  /** Implements `JobHandlers.runChunk`. */
  async runChunk(chunk: Chunk, signal: AbortSignal): Promise<void> {
    const { batch } = chunk
    const plan = await this.batches.plan(batch)
    if (plan === null || plan.status !== 'running') return
    const run = this.runOf(batch)
    run.chunks += 1
    if (run.chunks === 1) void this.watch(batch, run)
    const deps: ChunkDeps = {
      ...this.deps,
      onEnd: (id) => {
        this.breaks.delete(id)
        this.deps.notify(id)
      },
      onError: (error: unknown, item: OpenItem) => this.deps.onTrouble({ batch, item: item.item_id, error }),
    }
    try {
      const leaving = AbortSignal.any([signal, run.leaving.signal])
      const park: ChunkRun['park'] = (...given) => this.park(batch, ...given)
      await runChunk(deps, { plan, chunk, signal: leaving, budget: run.budget, park })
    } catch (error) {
      await this.breakOff(batch, error)
      throw error
    } finally {
      run.chunks -= 1
      if (run.chunks === 0 && this.running.get(batch) === run) this.running.delete(batch)
      this.deps.notify(batch)
    }
    if (plan.mode === 'provider') await this.deps.jobs.addPoll({ batch, judge: chunk.judge }, 0)
    await this.end(plan)
  }

  /** Finds the run of a batch; a run that leaves takes no more chunks. */
  private runOf(batch: string): Running {
    const known = this.running.get(batch)
    if (known !== undefined && !known.leaving.signal.aborted) return known
    const run = { leaving: new AbortController(), budget: new BudgetLine(), chunks: 0 }
    this.running.set(batch, run)
    return run
  }

  /** Ends the run of a batch that another process has parked or cancelled. */
  private async watch(batch: string, run: Running): Promise<void> {
    while (run.chunks > 0 && !run.leaving.signal.aborted) {
      await this.sleep(STATUS_MS)
      const status = await this.batches.status(batch).catch(() => 'running' as const)
      if (status !== 'running') run.leaving.abort()
    }
  }

  /** Parks a batch; false where an operator has resumed the batch since the failed call began. */
  private async park(id: string, { reason, resumes_at }: Parking, since = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (since <= (this.resumedAt.get(id) ?? 0)) return false
    this.running.get(id)?.leaving.abort()
    if (!(await this.batches.park(id, reason, resumes_at?.toISOString() ?? null))) return true
    await this.deps.onStatus(id)
    this.deps.notify(id)
    return true
  }

  /** Rests after a refusal of the database; a damage that lasts parks the batch until an operator mends it. */
  private async breakOff(batch: string, error: unknown): Promise<void> {
    this.deps.onTrouble({ batch, error })
    const { code, message } = error as { code?: unknown; message?: unknown }
    const times = code === 'storage_error' ? (this.breaks.get(batch) ?? 0) + 1 : 0
    this.breaks.set(batch, times)
    if (times < MOST_BREAKS) return this.rest(batch)
    this.breaks.delete(batch)
    const reason = `the database refused ${times} times in a row: ${message}: mend it, then resume`
    await this.park(batch, { reason, resumes_at: null }).catch(() => undefined)
  }

  /** Rests until an operator resumes the batch, ten seconds at most. */
  private async rest(batch: string): Promise<void> {
    const ending = this.rests.get(batch) ?? new AbortController()
    this.rests.set(batch, ending)
    const signal = AbortSignal.any([this.stopping.signal, ending.signal])
    await this.deps.clock.sleep(BREAK_MS, signal).catch(() => undefined)
  }

  /** Implements `JobHandlers.poll`. */
  async poll(poll: Poll): Promise<number | null> {
    try {
      return await this.pollOnce(poll)
    } catch (error) {
      this.deps.onTrouble({ batch: poll.batch, error })
      return BREAK_MS
    }
  }

  private async pollOnce(poll: Poll): Promise<number | null> {
    const plan = await this.batches.plan(poll.batch)
    if (plan?.status === 'cancelling') {
      if (!(await this.pump.drain(poll))) return this.deps.poll_ms
      await this.end(plan)
      return null
    }
    if (plan?.status !== 'running') return null
    const place = `${poll.batch} ${poll.judge}`
    const pending = await this.batches.countPending(poll.batch, poll.judge)
    const asks = pending > 0 && pending !== this.unasked.get(place)
    this.unasked.set(place, pending)
    const step = await this.pump.step(poll, !asks)
    if (step.kind === 'parked') {
      await this.park(poll.batch, step)
      return null
    }
    if (step.kind === 'waiting') return this.deps.poll_ms
    await this.deps.jobs.addChunks(await this.batches.chunks(poll.batch))
    if (pending > 0 || step.kind === 'returned') return POLL_SOON_MS
    this.unasked.delete(place)
    await this.end(plan)
    return null
  }

  /** Ends the batch where no item is open any more; a cancelled batch, once nothing is in flight. */
  private async end({ id, mode, status }: Pick<RunPlan, 'id' | 'mode' | 'status'>): Promise<void> {
    const at = this.deps.clock.now().toISOString()
    if (status === 'cancelling') {
      const open = mode === 'provider' ? await this.deps.stores.provider.judges(id) : []
      for (const judge of open) await this.deps.jobs.addPoll({ batch: id, judge }, 0)
      if (open.length > 0 || !(await this.batches.finishCancel(id, at))) return
    } else if (!(await this.batches.finish(id, at))) return
    this.resumedAt.delete(id)
    this.rests.delete(id)
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
