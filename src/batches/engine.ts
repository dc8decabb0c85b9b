import { type BatchRecord, COMMAND_STOPPED } from '../ports/batch-ports.ts'
import type { Lease } from '../ports/lease-ports.ts'
import { type Cluster, type FreeSlice, judgeLease, leasePrefix, type Slice } from '../ports/slice-ports.ts'
import type { EngineDeps } from './engine-deps.ts'
import { createNotifier } from './run/notifier.ts'
import type { Load } from './run/slice-source.ts'
import { BatchRuns } from './runs.ts'

const LONGEST_LOOK_MS = 10_000
/** Between two looks at an SQLite file: no process tells another of a new batch. */
const FILE_LOOK_MS = 1000
/** After a refusal of the database. */
const REFUSED_MS = 2_000

/**
 * Runs batches in slices. On PostgreSQL any process takes the lease of a slice; on SQLite the holder of the run lock runs whole batches. The
 * engine reads the open work from the items and the leases: when this process has room, when a notice comes, and at intervals.
 */
export class BatchEngine {
  private readonly deps: EngineDeps
  private readonly runs: BatchRuns
  private readonly notifier
  /** Batches that, at the last look, had not ended and did not rest. */
  private open: readonly string[] = []
  /** The batches of a command. */
  private readonly own = new Set<string>()
  /** Those of them that the command made. */
  private readonly made = new Set<string>()
  /** On SQLite, an id of the time at which this process took the run lock; null without the lock. */
  private leadsSince: string | null = null
  /** The leases by which this process announces its judges. */
  private judges: readonly Lease[] = []
  private readonly stopping = new AbortController()
  private looking: Promise<void> | null = null
  private hasFailed = false

  constructor(deps: EngineDeps) {
    this.deps = deps
    this.notifier = createNotifier(deps.clock)
    this.runs = new BatchRuns({
      ...deps,
      onFreed: (id) => this.tell(id),
      endBatch: (id, status) => this.end(id, status),
    })
  }

  /** Finds free slices of the judge (null: whole batches). Never rejects. */
  async free(judge: string | null, most: number): Promise<readonly FreeSlice[]> {
    const { slices } = this.deps.cluster
    if (this.now() < this.runs.restsUntil) return []
    if (this.open.length === 0) return []
    try {
      return judge === null ? await slices.freeWhole(this.open, most) : await slices.free(this.open, judge, most)
    } catch (error) {
      this.runs.rest(REFUSED_MS)
      this.fail(error)
      return []
    }
  }

  /** Takes the slices that no other process has taken meanwhile; answers their number. Never rejects. */
  accept(slices: readonly Slice[]): Promise<number> {
    return this.runs.accept(slices)
  }

  /** Sums the items of a judge in this process; of whole batches with null. */
  load(judge: string | null): Load {
    return this.runs.load(judge)
  }

  /** Looks for work now. */
  hear(): void {
    this.notifier.notify()
    this.looking ??= this.keepLooking(0)
  }

  /** Begins a stored batch. A command learns of an unusable run lock; every other failure is tried again by the next look. */
  async begin(id: string, isTold = false): Promise<void> {
    const { adopts, stores, company, onTrouble } = this.deps
    if (!adopts) {
      // A command that cannot use the run lock parks its new batch as it stops.
      if (!isTold) this.made.add(id)
      this.own.add(id)
      if (company === null) stores.run_lock?.take()
    }
    try {
      if (!adopts && company !== null && !(await stores.batches.claim(id))) this.own.delete(id)
      await this.tell(id)
      if (company === null && (await this.lead())) await this.runs.begin(id, isTold)
    } catch (error) {
      onTrouble({ batch: id, error })
    }
  }

  /** Cancels a batch whose status says so already. */
  async cancel(id: string): Promise<void> {
    if (this.runs.cancel(id) && this.deps.company !== null) return
    const record = await this.deps.stores.batches.get(id)
    if (record !== null && this.isWhole(record)) await this.begin(id)
    else await this.end(id, 'cancelling')
  }

  /** Goes on with a parked batch, or with a batch that no process runs. */
  async resume({ id, status }: BatchRecord): Promise<void> {
    if (status === 'parked') {
      this.deps.resumeLanes()
      await this.deps.stores.batches.resume(id)
    }
    await this.begin(id, true)
  }

  /** Counts the items in flight, in all processes. */
  async inFlight({ id, mode, status }: BatchRecord): Promise<number> {
    const here = this.runs.inFlight(id)
    if (here !== null) return here
    if (status !== 'running' && status !== 'cancelling') return 0
    const { company, cluster, stores } = this.deps
    return company === null ? stores.attempts.inFlight(id) : cluster.leases.inFlight(leasePrefix(id, mode))
  }

  /** Names a judge that asked this process to wait with a running batch, and until when; null: none did. */
  pauseOf({ id, status }: BatchRecord): string | null {
    return status === 'running' ? this.runs.pauseOf(id) : null
  }

  /** Names the judge that the next item of a running batch needs and that no worker has; null: the batch needs no other worker. */
  async missingJudge({ id, mode, status }: BatchRecord): Promise<string | null> {
    if (status !== 'running') return null
    const { batches, provider } = this.deps.stores
    const [item] = await batches.pending(id, -1, 1)
    const [submission] = item === undefined && mode === 'provider' ? await provider.listOpen(id) : []
    const judge = item?.request.judge ?? submission?.judge
    return judge === undefined || (await this.hasWorker(id, judge)) ? null : judge
  }

  /** Tells whether a process that may run the batch has the judge, as far as is known. */
  private async hasWorker(batch: string, judge: string): Promise<boolean> {
    const { company, judges, cluster, stores } = this.deps
    if (company !== null) {
      const isHere = company.judges.has(judge) || (this.own.has(batch) && judges.has(judge))
      return isHere || (await cluster.leases.isHeld(judgeLease(judge)))
    }
    const names = this.leadsSince === null ? await stores.runner_judges.get() : [...judges.keys()]
    return names === null || names.includes(judge)
  }

  /** Goes on with the batches of earlier processes, and later with the batches that other processes leave. */
  async start(): Promise<void> {
    const next = await this.look()
    this.looking ??= this.keepLooking(next)
  }

  /** Begins nothing more; resolves once nothing is in flight and other processes can take over. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.notifier.notify()
    await this.runs.stop()
    await this.looking
    const { cluster, company, stores } = this.deps
    await Promise.all(this.judges.map((lease) => cluster.leases.release(lease)))
    if (company !== null) return
    // A batch that the command resumed goes on where another process runs it.
    for (const id of this.leadsSince === null ? this.made : this.own) await this.parkOwn(id).catch(this.onTrouble(id))
    stores.run_lock?.release()
  }

  /** Parks the batch of a stopped command: no other process shall go on with the batch, and pay. */
  private async parkOwn(id: string): Promise<void> {
    const { batches } = this.deps.stores
    const record = await batches.get(id)
    if (record === null || (await this.missingJudge(record)) !== null) return
    // A parked batch with a time would go on at that time.
    if (record.resumes_at !== null) await batches.resume(id)
    await batches.park(id, COMMAND_STOPPED, null)
  }

  /** Looks for the batch, and tells other processes where they may take it. */
  private async tell(batch: string): Promise<void> {
    this.hear()
    if (this.deps.adopts) await this.deps.company?.send({ batch })
  }

  private async keepLooking(first: number): Promise<void> {
    for (let next = first; !this.stopping.signal.aborted; next = await this.look()) {
      await this.notifier.wait(Math.max(1, next - this.now()))
      if (this.stopping.signal.aborted) return
    }
  }

  /** Answers the time of the next look; milliseconds since the epoch. Never rejects. */
  private async look(): Promise<number> {
    const { company, lease_s } = this.deps
    const longest = company === null ? FILE_LOOK_MS : Math.min(LONGEST_LOOK_MS, (lease_s * 1000) / 3)
    let next = this.now() + longest
    try {
      next = Math.min(next, await this.lookOnce())
      this.hasFailed = false
    } catch (error) {
      this.fail(error)
      next = Math.min(next, this.now() + REFUSED_MS)
    }
    const { restsUntil } = this.runs
    return restsUntil > this.now() ? Math.min(next, restsUntil) : next
  }

  /** Answers when the next batch wakes; milliseconds since the epoch. */
  private async lookOnce(): Promise<number> {
    const { cluster, company } = this.deps
    const open = await cluster.slices.open(await this.candidates())
    let next = Number.POSITIVE_INFINITY
    const awake: string[] = []
    for (const { resumes_at, ...batch } of open) {
      const isAsleep = batch.status === 'parked'
      const wakes = resumes_at === null ? Number.POSITIVE_INFINITY : new Date(resumes_at).getTime()
      if (isAsleep && wakes > this.now()) {
        next = Math.min(next, wakes)
        continue
      }
      if (batch.status === 'cancelling' || !this.runs.lacksJudge.has(batch.id)) awake.push(batch.id)
      await this.see(batch, isAsleep).catch(this.onTrouble(batch.id))
    }
    this.open = awake
    if (company === null) await this.accept(await this.free(null, awake.length))
    else {
      company.onWork()
      await this.announceJudges(company.judges)
    }
    return next
  }

  /**
   * Lists the batches that this process may run. A command on SQLite runs its own batches, and those that were made while it holds the run lock:
   * it leaves, and does not pay for, what earlier processes left behind.
   */
  private async candidates(): Promise<readonly string[]> {
    const { adopts, stores, company } = this.deps
    if (company !== null) return adopts ? stores.batches.listUnclaimed() : [...this.own]
    if (!(await this.lead())) return []
    const ids = await stores.batches.listUnclaimed()
    return adopts ? ids : ids.filter((id) => this.own.has(id) || id > (this.leadsSince ?? id))
  }

  /**
   * Takes the run lock of the SQLite file; answers whether this process runs the batches. The calls in flight of the holder before are settled
   * first. A command without a batch leaves the lock alone.
   */
  private async lead(): Promise<boolean> {
    const { stores, adopts, judges, newId } = this.deps
    if (this.leadsSince !== null) return true
    if (this.stopping.signal.aborted || (!adopts && this.own.size === 0) || stores.run_lock?.take() !== true)
      return false
    await stores.attempts.markInterrupted(true)
    await stores.runner_judges.put([...judges.keys()])
    this.leadsSince ??= newId('bat')
    return true
  }

  /** Wakes a sleeping batch, and ends a batch whose end no process told. */
  private async see({ id, mode, status, is_over }: Omit<OpenBatch, 'resumes_at'>, isAsleep: boolean): Promise<void> {
    if (isAsleep && (await this.deps.stores.batches.resume(id))) this.deps.notify(id)
    if (!this.isWhole({ mode }) && (is_over || status === 'cancelling')) await this.end(id, status)
  }

  /** Holds a lease for each judge of this process that no other process announces. */
  private async announceJudges(judges: ReadonlySet<string>): Promise<void> {
    this.judges = this.judges.filter(({ lost }) => !lost.aborted)
    const held = this.judges.map(({ name }) => name)
    const names = [...judges].map(judgeLease).filter((name) => !held.includes(name))
    if (names.length > 0) this.judges = [...this.judges, ...(await this.deps.cluster.leases.takeMany(names))]
  }

  /** Ends the batch where every item has ended; a cancelled batch, once no process holds a slice. */
  private async end(id: string, status: BatchRecord['status']): Promise<void> {
    const at = this.deps.clock.now().toISOString()
    const { batches } = this.deps.stores
    const isEnd = status === 'cancelling' ? await this.deps.cluster.slices.cancel(id, at) : await batches.finish(id, at)
    if (!isEnd) return
    await this.deps.onStatus(id)
    this.deps.notify(id)
  }

  /** Whether one process runs the whole batch, and ends it. */
  private isWhole({ mode }: Pick<BatchRecord, 'mode'>): boolean {
    return mode === 'provider' || this.deps.company === null
  }

  private onTrouble(batch: string): (error: unknown) => void {
    return (error) => this.deps.onTrouble({ batch, error })
  }

  /** Tells of a lasting failure once. */
  private fail(error: unknown): void {
    if (!this.hasFailed) this.deps.onTrouble({ batch: '', error })
    this.hasFailed = true
  }

  private now(): number {
    return this.deps.clock.now().getTime()
  }
}

type OpenBatch = Awaited<ReturnType<Cluster['slices']['open']>>[number]
