import type { BatchRecord } from '../ports/batch-ports.ts'
import type { Cluster } from '../ports/cluster.ts'
import type { Lease } from '../ports/lease-ports.ts'
import { type FreeSlice, judgeLease, leasePrefix, type Slice, type SliceEnd } from '../ports/slice-ports.ts'
import type { BatchEngine, EngineDeps } from './engine.ts'
import { createNotifier } from './run/notifier.ts'
import type { Load } from './shared/slice-source.ts'
import { SliceRuns } from './slice-runs.ts'

/** What it takes to share batches with other processes. */
interface ClusterSettings {
  readonly project: string
  readonly cluster: Cluster
  readonly lease_s: number
  /** The judges with which this process works on anybody’s batches. */
  readonly judges: ReadonlySet<string>
  /** The trace that a batch is begun in, if there is one. */
  readonly traceparent: () => string | undefined
  /** A slice is worked on here, on behalf of what `traceparent` names; the answer is told its end. */
  readonly onHeld: (slice: Slice, traceparent: string | undefined) => (end: SliceEnd) => void
  /** There is room for more work. */
  readonly onCapacity: () => void
  /** There may be more work. */
  readonly onWork: () => void
}

const LONGEST_LOOK_MS = 10_000
/** After the database has refused to say what there is to do. */
const REFUSED_MS = 2_000
/** A judge that nobody has had for so long, and for twice a lease, is missing. */
const MISSING_MS = 5_000

/**
 * Batches are cut into slices, and each is run by whichever process holds its lease. What there is to do is read from the items and the
 * leases: by whoever has room for more, when a notice comes, and now and then, for what nobody told.
 */
export class ClusterEngine implements BatchEngine {
  private readonly deps: EngineDeps
  private readonly settings: ClusterSettings
  private readonly runs: SliceRuns
  private readonly notifier
  /** Batches that had not ended at the last look. */
  private open: readonly string[] = []
  /** Where this process runs nothing of others: its own, which others leave alone. */
  private readonly own = new Set<string>()
  /** On behalf of what batches were begun, as far as it was heard of. */
  private readonly traces = new Map<string, string>()
  /** Held for as long as this process has the judges. */
  private judges: readonly Lease[] = []
  /** Since when judges that are wanted are nobody’s; milliseconds since the epoch. */
  private missing = new Map<string, number>()
  private readonly stopping = new AbortController()
  private looking: Promise<void> | null = null
  private hasFailed = false

  constructor(deps: EngineDeps, settings: ClusterSettings) {
    this.deps = deps
    this.settings = settings
    this.notifier = createNotifier(deps.clock)
    this.runs = new SliceRuns({
      ...deps,
      leases: settings.cluster.leases,
      onHeld: (slice) => settings.onHeld(slice, this.traces.get(slice.batch)),
      onFreed: (id) => this.tell(id),
      endBatch: (id, status) => this.end(id, status),
      onCapacity: settings.onCapacity,
    })
  }

  /** Slices of the judge (null: batches at providers) that nobody holds. Never rejects. */
  async free(judge: string | null, most: number): Promise<readonly FreeSlice[]> {
    const { slices } = this.settings.cluster
    if (this.open.length === 0 || this.now() < this.runs.restsUntil) return []
    try {
      return judge === null ? await slices.freeWhole(this.open, most) : await slices.free(this.open, judge, most)
    } catch (error) {
      this.runs.rest(REFUSED_MS)
      this.fail(error)
      return []
    }
  }

  /** Takes those that nobody else has taken meanwhile; answers how many. Never rejects. */
  accept(slices: readonly Slice[]): Promise<number> {
    return this.runs.accept(slices)
  }

  /** What this process holds of a judge; of providers’ batches with null. */
  load(judge: string | null): Load {
    return this.runs.load(judge)
  }

  /** There may be work. */
  hear(batch?: string, traceparent?: string): void {
    if (batch !== undefined && traceparent !== undefined) this.traces.set(batch, traceparent)
    this.notifier.notify()
  }

  /** It is stored already: what goes wrong here is not its end. */
  async begin(id: string): Promise<void> {
    const { adopts, stores, onTrouble } = this.deps
    try {
      if (!adopts && (await stores.batches.claim(id))) this.own.add(id)
      await this.tell(id, this.settings.traceparent())
    } catch (error) {
      onTrouble({ batch: id, error })
    }
  }

  async cancel(id: string): Promise<void> {
    if (this.runs.cancel(id)) return
    const record = await this.deps.stores.batches.get(id)
    if (record?.mode === 'provider') await this.begin(id)
    else await this.end(id, 'cancelling')
  }

  async resume({ id, status }: BatchRecord): Promise<void> {
    if (status === 'parked') {
      this.deps.resumeLanes()
      await this.deps.stores.batches.resume(id)
    }
    await this.begin(id)
  }

  async inFlight({ id, mode, status }: BatchRecord): Promise<number> {
    if (status !== 'running' && status !== 'cancelling') return 0
    return this.settings.cluster.leases.inFlight(leasePrefix(id, mode))
  }

  async start(): Promise<void> {
    this.looking ??= this.keepLooking()
  }

  /** It does by itself, and more often. */
  async look(): Promise<void> {}

  async stop(): Promise<void> {
    this.stopping.abort()
    this.notifier.notify()
    await this.runs.stop()
    await this.looking
    await Promise.all(this.judges.map((lease) => this.settings.cluster.leases.release(lease)))
  }

  /** Others hear of it where they may take it. */
  private async tell(batch: string, traceparent?: string): Promise<void> {
    this.hear(batch, traceparent)
    const { project, cluster } = this.settings
    if (this.deps.adopts)
      await cluster.notices.send({ project, batch, ...(traceparent !== undefined && { traceparent }) })
  }

  private async keepLooking(): Promise<void> {
    const every_ms = Math.min(LONGEST_LOOK_MS, (this.settings.lease_s * 1000) / 3)
    while (!this.stopping.signal.aborted) {
      let next = this.now() + every_ms
      try {
        next = Math.min(next, await this.lookOnce())
        this.hasFailed = false
      } catch (error) {
        this.fail(error)
        next = Math.min(next, this.now() + REFUSED_MS)
      }
      const { restsUntil } = this.runs
      if (restsUntil > this.now()) next = Math.min(next, restsUntil)
      await this.notifier.wait(Math.max(1, next - this.now()))
    }
  }

  /** Answers when the next batch wakes; milliseconds since the epoch. */
  private async lookOnce(): Promise<number> {
    const { adopts, stores } = this.deps
    const { slices } = this.settings.cluster
    const traced = [...this.traces.keys()]
    const open = await slices.open(adopts ? await stores.batches.listUnclaimed() : [...this.own])
    let next = Number.POSITIVE_INFINITY
    for (const batch of open) {
      const wakes = batch.resumes_at === null ? null : new Date(batch.resumes_at).getTime()
      if (wakes !== null && wakes > this.now()) next = Math.min(next, wakes)
      else
        await this.see(batch, wakes !== null).catch((error: unknown) => this.deps.onTrouble({ batch: batch.id, error }))
    }
    this.open = open.map(({ id }) => id)
    // What was heard of meanwhile may not have been open yet.
    for (const id of traced) if (!this.open.includes(id)) this.traces.delete(id)
    this.settings.onWork()
    if (this.settings.judges.size > 0) await this.seeJudges()
    return next
  }

  /** Wakes what sleeps, and ends what nobody has told the end of. */
  private async see({ id, mode, status, is_over }: OpenBatch, wakes: boolean): Promise<void> {
    const { batches } = this.deps.stores
    if (wakes && (await batches.resume(id))) this.deps.notify(id)
    if (mode === 'direct' && (is_over || status === 'cancelling')) await this.end(id, status)
  }

  /**
   * Each judge of this process is said to be there, by a lease that one of those has that have it. Slices of one that is nobody’s are taken
   * here: their batch is parked, with the reason.
   */
  private async seeJudges(): Promise<void> {
    const { leases, slices } = this.settings.cluster
    const { judges, lease_s } = this.settings
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

  /** Where every item has ended, the batch has; one that is cancelled, once nobody holds anything of it. */
  private async end(id: string, status: BatchRecord['status']): Promise<void> {
    const at = this.deps.clock.now().toISOString()
    const { batches } = this.deps.stores
    const isEnd =
      status === 'cancelling' ? await this.settings.cluster.slices.cancel(id, at) : await batches.finish(id, at)
    if (isEnd) this.deps.notify(id)
  }

  /** Told once, for as long as it lasts. */
  private fail(error: unknown): void {
    if (!this.hasFailed) this.deps.onTrouble({ batch: '', error })
    this.hasFailed = true
    // Nobody was seen, this process included: how long a judge is missing counts from when the database is back.
    this.missing.clear()
  }

  private now(): number {
    return this.deps.clock.now().getTime()
  }
}

type OpenBatch = Awaited<ReturnType<Cluster['slices']['open']>>[number]
