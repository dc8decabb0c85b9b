import type { Payer } from '../db/attempts.ts'
import type { BatchQuery, BatchRecord } from '../db/batches.ts'
import type { ItemRecord } from '../db/items.ts'
import type { Batch, BatchEstimate } from '../schemas/batch.ts'
import type { RegradeRequest } from '../schemas/regrade.ts'
import { COMMAND_STOPPED } from '../schemas/vocabulary.ts'
import { type BatchPlan, type IntakeItem, takeBatch } from './intake.ts'
import { planRegrade, selectGrades } from './regrade.ts'
import type { BatchDeps } from './run-chunk.ts'
import { createWaiting } from './waiting.ts'
import { BatchWork } from './work.ts'

type Items = AsyncIterable<IntakeItem>

/** A draft whose items arrive for longer belongs to a process that has died. */
const LONGEST_DRAFT_MS = 24 * 3_600_000
/** Within this time both providers answer a batch or give the batch up. */
const PROVIDER_WINDOW_MS = 24 * 3_600_000

/** Between two looks at an SQLite file: no process tells another of a new batch. */
const FILE_SWEEP_MS = 1000
/** Between two looks at a PostgreSQL, where jobs tell of work. */
const SERVER_SWEEP_MS = 15_000
/** Between two looks at the status of batches that run here, which another process may have parked or cancelled. */
const STATUS_MS = 500
const ANNOUNCE_MS = 10_000
const MARK_LOST_MS = 15_000
/**
 * Creates, runs, reads, cancels and resumes batches. Rejects with a RequestError where a batch or a re-grade is refused.
 *
 * On PostgreSQL every worker takes chunks from shared queues; on SQLite the holder of the run lock runs all of them. A sweep puts the chunks of each
 * open batch into the queues, wakes batches, and ends batches: adding a chunk twice is harmless.
 */
export class BatchService {
  readonly work: BatchWork
  private readonly deps: BatchDeps
  private readonly waiting: ReturnType<typeof createWaiting>
  private readonly watchers = new Map<string, Set<() => void>>()
  /** The batches of a command, and whether the command made them. */
  private readonly own = new Map<string, { readonly isNew: boolean }>()
  /** On SQLite, an id of the time at which this process took the run lock; null without the lock. */
  private leadsSince: string | null = null
  private readonly stopping = new AbortController()
  private readonly loops: Promise<void>[] = []
  private readonly batches: BatchDeps['stores']['batches']
  /** Whether this process shares the batches of a PostgreSQL with others. */
  private readonly isShared: boolean

  constructor(deps: BatchDeps) {
    this.deps = deps
    this.batches = deps.stores.batches
    this.isShared = deps.stores.run_lock === null
    this.work = new BatchWork({ ...deps, notify: (id) => this.notify(id) }, this.stopping.signal)
    this.waiting = createWaiting(deps, () => this.runsHere)
  }

  async create(plan: BatchPlan, items: Items): Promise<Batch> {
    const batch = await takeBatch(this.deps, plan, items)
    this.deps.onStatus(batch)
    await this.begin(batch.id)
    return batch
  }

  async estimate(plan: BatchPlan, items: Items): Promise<BatchEstimate> {
    return (await import('./estimate.ts')).estimateBatch(this.deps, plan, items)
  }

  async regrade(request: RegradeRequest, payer: Payer | null = null): Promise<Batch> {
    const { stores } = this.deps
    return this.create(await planRegrade(stores, request, payer), selectGrades(stores, request))
  }

  async estimateRegrade(request: RegradeRequest): Promise<BatchEstimate> {
    const { stores } = this.deps
    return this.estimate(await planRegrade(stores, request, null), selectGrades(stores, request))
  }

  async get(id: string): Promise<Batch | null> {
    const record = await this.batches.get(id)
    return record && this.view(record)
  }

  async list(query: BatchQuery): Promise<readonly Batch[]> {
    return Promise.all((await this.batches.list(query)).map((record) => this.view(record)))
  }

  results(id: string, after: number, limit: number): Promise<readonly ItemRecord[]> {
    return this.batches.results(id, after, limit)
  }

  /** Adds to a stored batch what the store does not know: the items in flight, and the reason for which the batch waits. */
  private async view(record: BatchRecord): Promise<Batch> {
    const { pending, running } = record.counts
    const { in_flight, waiting } = await this.waiting.view(record)
    const moved = Math.min(in_flight, pending)
    const counts = { ...record.counts, pending: pending - moved, running: running + moved }
    const wait = waiting === null ? {} : { parked_reason: waiting.reason, waiting_for: waiting.for }
    const isOver = record.status === 'done' || record.status === 'cancelled'
    const round = record.mode !== 'provider' || isOver ? null : await this.deps.stores.provider.round(record.id)
    const ends_by = new Date(Date.parse(round?.begun_at ?? '') + PROVIDER_WINDOW_MS)
    return { ...record, counts, ...wait, ...(round && { round: { ...round, ends_by: ends_by.toISOString() } }) }
  }

  /** Cancels all items but those in flight. Null: no such batch; false: the batch has ended. */
  async cancel(id: string): Promise<boolean | null> {
    const record = await this.batches.get(id)
    if (record === null) return null
    if (record.status === 'cancelling') return true
    if (!(await this.batches.requestCancel(id))) return false
    this.work.leaveBatch(id)
    // Calls in flight end first, and the last chunk or the sweep ends the batch.
    await this.enqueue(id).catch(this.onTrouble(id))
    this.notify(id)
    return true
  }

  /** Goes on with a parked batch, or with a batch that no process runs. Null: no such batch; false: the batch has ended. */
  async resume(id: string): Promise<boolean | null> {
    const record = await this.batches.get(id)
    if (record === null) return null
    if (record.status === 'done' || record.status === 'cancelled') return false
    // An operator has mended its judges.
    const isParked = record.status === 'parked'
    if (isParked) {
      const judges = [...this.deps.judges.keys()]
      await this.deps.stores.judges.resume(judges)
      for (const judge of judges) this.deps.laneOf(judge).restsUntil = 0
      await this.batches.resume(id)
    }
    this.work.resumed(id, isParked)
    await this.begin(id, false)
    this.notify(id)
    return true
  }

  /** Calls the listener whenever this process may have changed the batch. Answers the function that removes the listener. */
  watch(id: string, listener: () => void): () => void {
    const listeners = this.watchers.get(id) ?? new Set()
    this.watchers.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.watchers.delete(id)
    }
  }

  /** Starts the loops of a service, which goes on with the batches of earlier processes. */
  async start(): Promise<void> {
    await this.batches.discardAbandoned(new Date(this.now() - LONGEST_DRAFT_MS).toISOString())
    if (this.isShared && this.runsHere) {
      await this.deps.jobs.start([...this.deps.judges.keys()], this.work)
      await this.announce()
    }
    // The service answers already: the next sweep repeats work that the database refused.
    await this.sweep().catch(this.onTrouble(''))
    this.startLoops()
  }

  /** Whether this process runs batches. */
  private get runsHere(): boolean {
    return this.isShared ? this.deps.works : this.leadsSince !== null
  }

  private startLoops(): void {
    if (this.loops.length > 0) return
    this.loops.push(
      this.repeat(this.isShared ? SERVER_SWEEP_MS : FILE_SWEEP_MS, () => this.sweep()),
      this.repeat(ANNOUNCE_MS, () => this.announce()),
      this.repeat(MARK_LOST_MS, () => this.markLost()),
      this.repeat(STATUS_MS, () => this.work.leaveEnded()),
    )
  }

  /** Repeats work until the service stops; tells of trouble once, until the work succeeds again. */
  private async repeat(ms: number, work: () => Promise<unknown>): Promise<void> {
    for (let isTold = false; ; ) {
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
    this.work.leaveBatch()
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
    if (record === null || (await this.waiting.lacksJudge(record))) return
    // A parked batch with a time would go on at that time.
    if (record.resumes_at !== null) await this.batches.resume(id)
    await this.batches.park(id, COMMAND_STOPPED, null)
  }

  /** Begins a stored batch. A command learns of an unusable run lock; every other failure is tried again by the next sweep. */
  private async begin(id: string, isNew = true): Promise<void> {
    if (!this.deps.adopts && !this.isShared) {
      // A command that cannot use the run lock parks its new batch as it stops.
      this.own.set(id, { isNew: isNew || this.own.get(id)?.isNew === true })
      this.deps.stores.run_lock?.take()
    }
    try {
      if (this.isShared || (await this.lead())) await this.enqueue(id)
      if (!this.isShared) this.startLoops()
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
    }
  }

  /** Looks at the batches: puts the chunks of batches without a job into the queues, wakes parked batches, and ends batches. */
  private async sweep(): Promise<void> {
    const { adopts, jobs } = this.deps
    if (this.isShared ? !adopts : !(await this.lead())) return
    const due = await this.batches.listDue(new Date(this.now()).toISOString())
    const busy = await jobs.busy()
    for (const { id, status, is_open } of due) {
      if (this.stopping.signal.aborted) return
      // The jobs of a batch may wait for a worker that does not come: other batches than those that run their items need none.
      if (status === 'running' && is_open && busy.has(id)) continue
      // A command does not pay for batches that earlier processes left behind.
      if (!adopts && !this.own.has(id) && id <= (this.leadsSince ?? id)) continue
      try {
        if (status === 'parked' && (await this.batches.resume(id))) this.notify(id)
        await this.enqueue(id)
      } catch (error) {
        this.deps.onTrouble({ batch: id, error })
      }
    }
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
    if (chunks.length === 0 && judges.length === 0) await this.work.end(plan)
  }

  /**
   * Takes the run lock of the SQLite file; tells whether this process runs the batches. The calls in flight of the holder before are settled
   * first. A command without a batch leaves the lock alone.
   */
  private async lead(): Promise<boolean> {
    const { stores, adopts, judges, jobs, newId } = this.deps
    if (this.leadsSince !== null) return true
    if (this.stopping.signal.aborted || (!adopts && this.own.size === 0)) return false
    if (stores.run_lock?.take() !== true) return false
    await this.markLost(true)
    await stores.provider.sent(null)
    await jobs.start([...judges.keys()], this.work)
    this.leadsSince ??= newId('bat')
    await this.announce()
    return true
  }

  private async announce(): Promise<void> {
    if (this.runsHere) await this.deps.stores.judges.announce([...this.deps.judges.keys()])
  }

  private markLost(isRunner = false): Promise<number> {
    return this.deps.stores.attempts.markLost(new Date(this.now() - this.deps.lost_ms).toISOString(), isRunner)
  }

  private onTrouble(batch: string): (error: unknown) => void {
    return (error) => this.deps.onTrouble({ batch, error })
  }

  private now(): number {
    return this.deps.clock.now().getTime()
  }

  private notify(id: string): void {
    for (const listener of this.watchers.get(id) ?? []) listener()
  }
}
