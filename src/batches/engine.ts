import type { BatchRecord } from '../ports/batch-ports.ts'
import type { Lease } from '../ports/lease-ports.ts'
import type { Cluster } from '../ports/slice-ports.ts'
import { type FreeSlice, judgeLease, leasePrefix, type Slice } from '../ports/slice-ports.ts'
import type { EngineDeps } from './engine-deps.ts'
import { createNotifier } from './run/notifier.ts'
import type { Load } from './run/slice-source.ts'
import { BatchRuns } from './runs.ts'

const LONGEST_LOOK_MS = 10_000
/** After the database has refused to say what there is to do. */
const REFUSED_MS = 2_000
/** A judge that no process has had for so long, and for twice a lease, is missing. */
const MISSING_MS = 5_000

const COMMAND_STOPPED = 'the command that ran it was stopped'

/**
 * Batches are cut into slices, and each is run by whichever process holds it: by its lease; on SQLite all of the batch, by its claim. What
 * there is to do is read from the items and the leases: by a process that has room for more, when a notice comes, and now and then, for what nobody
 * told.
 */
export class BatchEngine {
  private readonly deps: EngineDeps
  private readonly runs: BatchRuns
  private readonly notifier
  /** Batches that at the last look had not ended, nor rested. */
  private open: readonly string[] = []
  /** Where this process runs nothing of others: its own, which others leave alone. */
  private readonly own = new Set<string>()
  /** Held for as long as this process has the judges. */
  private judges: readonly Lease[] = []
  /** Since when judges that are wanted are missing; milliseconds since the epoch. */
  private missing = new Map<string, number>()
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

  /** Slices of the judge (null: whole batches) that are free. Never rejects. */
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

  /** Takes those that no other process has taken meanwhile; answers how many. Never rejects. */
  accept(slices: readonly Slice[]): Promise<number> {
    return this.runs.accept(slices)
  }

  /** What this process holds of a judge; of whole batches with null. */
  load(judge: string | null): Load {
    return this.runs.load(judge)
  }

  /** There may be work. */
  hear(): void {
    this.notifier.notify()
    this.looking ??= this.keepLooking(0)
  }

  /** There is a new batch. It is stored already: what goes wrong here is not its end. */
  async begin(id: string, isTold = false): Promise<void> {
    const { adopts, stores, company, onTrouble } = this.deps
    try {
      if (!adopts && (await stores.batches.claim(id))) this.own.add(id)
      await this.tell(id)
      if (company === null) await this.runs.begin(id, isTold)
    } catch (error) {
      // The next look tries again.
      if (!adopts) this.own.add(id)
      onTrouble({ batch: id, error })
    }
  }

  /** It was told to stop. */
  async cancel(id: string): Promise<void> {
    if (this.runs.cancel(id) && this.deps.company !== null) return
    const record = await this.deps.stores.batches.get(id)
    if (record !== null && this.isWhole(record)) await this.begin(id)
    else await this.end(id, 'cancelling')
  }

  /** It was told to go on. */
  async resume({ id, status }: BatchRecord): Promise<void> {
    if (status === 'parked') {
      this.deps.resumeLanes()
      await this.deps.stores.batches.resume(id)
    }
    await this.begin(id, true)
  }

  /** Items in flight, wherever. */
  async inFlight({ id, mode, status }: BatchRecord): Promise<number> {
    const here = this.runs.inFlight(id)
    if (here !== null) return here
    if (status !== 'running' && status !== 'cancelling') return 0
    return this.deps.cluster.leases.inFlight(leasePrefix(id, mode))
  }

  /** Goes on with what earlier processes left, and from then on with what others leave. */
  async start(): Promise<void> {
    const next = await this.look()
    this.looking ??= this.keepLooking(next)
  }

  /** Begins nothing more; resolves once nothing is in flight. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.notifier.notify()
    await this.runs.stop()
    await this.looking
    const { cluster, company } = this.deps
    await Promise.all(this.judges.map((lease) => cluster.leases.release(lease)))
    if (company === null) for (const id of this.own) await this.parkOwn(id).catch(this.onTrouble(id))
  }

  /**
   * A person has stopped it, who does not want a service on the same database to go on with it, and to pay. One that a service has by now, as this
   * process was taken for dead, is the service’s.
   */
  private async parkOwn(id: string): Promise<void> {
    const { batches } = this.deps.stores
    if (!(await batches.claim(id))) return
    // One that rests would be taken at the end of its rest.
    if ((await batches.get(id))?.resumes_at != null) await batches.resume(id)
    await batches.park(id, COMMAND_STOPPED, null)
  }

  /** Others hear of it where they may take it. */
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

  /** Answers when to look again; milliseconds since the epoch. Never rejects. */
  private async look(): Promise<number> {
    let next = this.now() + Math.min(LONGEST_LOOK_MS, (this.deps.lease_s * 1000) / 3)
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
    const { adopts, stores, cluster, company } = this.deps
    const ids = adopts ? await stores.batches.listUnclaimed() : [...this.own]
    // What those who left them had under way is known before it is asked again.
    if (company === null && adopts && ids.length > 0) await stores.attempts.markInterrupted()
    const open = await cluster.slices.open(ids)
    let next = Number.POSITIVE_INFINITY
    const awake: string[] = []
    for (const { resumes_at, ...batch } of open) {
      const isAsleep = batch.status === 'parked'
      const wakes = resumes_at === null ? Number.POSITIVE_INFINITY : new Date(resumes_at).getTime()
      if (isAsleep && wakes > this.now()) {
        next = Math.min(next, wakes)
        continue
      }
      awake.push(batch.id)
      await this.see(batch, isAsleep).catch(this.onTrouble(batch.id))
    }
    this.open = awake
    if (company === null) await this.accept(await this.free(null, awake.length))
    else company.onWork()
    if (company !== null && company.judges.size > 0) await this.seeJudges(company.judges)
    return next
  }

  /** Wakes what sleeps, and ends what has ended untold. */
  private async see({ id, mode, status, is_over }: Omit<OpenBatch, 'resumes_at'>, isAsleep: boolean): Promise<void> {
    if (isAsleep && (await this.deps.stores.batches.resume(id))) this.deps.notify(id)
    if (!this.isWhole({ mode }) && (is_over || status === 'cancelling')) await this.end(id, status)
  }

  /**
   * Each judge of this process is said to be there, by a lease that one of those has that have it. Slices of one that no process has are taken
   * here: their batch is parked, with the reason.
   */
  private async seeJudges(judges: ReadonlySet<string>): Promise<void> {
    const { cluster, lease_s } = this.deps
    const { leases, slices } = cluster
    this.judges = this.judges.filter(({ lost }) => !lost.aborted)
    const held = this.judges.map(({ name }) => name)
    const names = [...judges].map(judgeLease).filter((name) => !held.includes(name))
    this.judges = [...this.judges, ...(await leases.takeMany(names))]
    if (this.now() < this.runs.restsUntil) return
    const foreign = (await slices.free(this.open, null, this.open.length)).filter(
      ({ judge }) => !judges.has(judge ?? ''),
    )
    const nobodys = await leases.takeMany([...new Set(foreign.map(({ judge }) => judgeLease(judge ?? '')))])
    await Promise.all(nobodys.map((lease) => leases.release(lease)))
    const now = this.now()
    this.missing = new Map(nobodys.map(({ name }) => [name, this.missing.get(name) ?? now]))
    const before = now - Math.max(MISSING_MS, 2000 * lease_s)
    await this.accept(foreign.filter(({ judge }) => (this.missing.get(judgeLease(judge ?? '')) ?? now) <= before))
  }

  /** Where every item has ended, the batch has; one that is cancelled, once no process holds a part of it. */
  private async end(id: string, status: BatchRecord['status']): Promise<void> {
    const at = this.deps.clock.now().toISOString()
    const { batches } = this.deps.stores
    const isEnd = status === 'cancelling' ? await this.deps.cluster.slices.cancel(id, at) : await batches.finish(id, at)
    if (!isEnd) return
    await this.deps.onStatus(id)
    this.deps.notify(id)
  }

  /** Whether one process holds all of it, whose run ends it. */
  private isWhole({ mode }: Pick<BatchRecord, 'mode'>): boolean {
    return mode === 'provider' || this.deps.company === null
  }

  private onTrouble(batch: string): (error: unknown) => void {
    return (error) => this.deps.onTrouble({ batch, error })
  }

  /** Told once, for as long as it lasts. */
  private fail(error: unknown): void {
    if (!this.hasFailed) this.deps.onTrouble({ batch: '', error })
    this.hasFailed = true
    // No process was seen, this one included: how long a judge is missing counts from when the database is back.
    this.missing.clear()
  }

  private now(): number {
    return this.deps.clock.now().getTime()
  }
}

type OpenBatch = Awaited<ReturnType<Cluster['slices']['open']>>[number]
