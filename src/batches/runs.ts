import type { BatchRecord, OpenItem } from '../ports/batch-ports.ts'
import type { Lease } from '../ports/lease-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import { leaseName, SLICE_ITEMS, type Slice, wholeOf } from '../ports/slice-ports.ts'
import type { BatchRunsDeps } from './engine-deps.ts'
import { ItemQueue } from './run/item-source.ts'
import { Breaks, LEFT, OVER, type Parked, type Run, type RunEnd } from './run/run.ts'
import { BatchRunner } from './run/runner.ts'
import { addLoads, type HeldSlice, type Load, NO_LOAD, SliceSource } from './run/slice-source.ts'

/** A batch that runs in this process, as a whole or in slices. */
interface Running {
  readonly runner: BatchRunner
  /** Null: the whole batch. */
  readonly slices: SliceSource | null
  /** Forgets the held slices, and returns them. */
  readonly drain: () => readonly HeldSlice[]
  /** The runner has ended and takes no more slices. */
  isOver: boolean
  /** Tells, once the run has ended, whether a resume takes the batch again. Null: nobody resumed the batch. */
  goesOn: (() => boolean) | null
  /** Resolves once no slice is held. */
  ended: Promise<void>
}

/** Rest after a refusal of the database. */
const AGAIN_MS = 10_000

/** Holds the batches and slices of this process, with a runner for each batch. */
export class BatchRuns {
  private readonly deps: BatchRunsDeps
  private readonly runs = new Map<string, Running>()
  private readonly busy = new Set<Promise<unknown>>()
  /** Until when batches were parked here, in milliseconds since the epoch: a batch that runs before that time was resumed by an operator. */
  private readonly parked = new Map<string, number>()
  /** Batches of whose open items this process can run none: it lacks their judges. */
  readonly lacksJudge = new Set<string>()
  private readonly breaks = new Breaks()
  private isStopping = false
  /** The end of the rest after a refusal of the store; milliseconds since the epoch. */
  restsUntil = 0

  constructor(deps: BatchRunsDeps) {
    this.deps = deps
  }

  /** Takes the free slices; answers their number. Never rejects. */
  async accept(slices: readonly Slice[]): Promise<number> {
    let taken: readonly Lease[] = []
    await this.track('', async () => {
      taken = await this.deps.cluster.leases.takeMany(slices.map(leaseName)).catch((error: unknown) => {
        this.rest()
        throw error
      })
      const leases = new Map(taken.map((lease) => [lease.name, lease]))
      const takeSlice = async (slice: Slice) => {
        const lease = leases.get(leaseName(slice))
        if (lease !== undefined) await this.track(slice.batch, () => this.take({ slice, lease }))
      }
      await Promise.all(slices.map(takeSlice))
    })
    return taken.length
  }

  /**
   * Takes the whole batch; after a run that is about to end, in the background. A resume (`isTold`) also waits for any other run: a call that was
   * made before the resume may park the batch, and does not count; a later failure parks the batch for good.
   */
  async begin(id: string, isTold: boolean): Promise<void> {
    const run = this.runs.get(id)
    if (run === undefined) return void (await this.accept([wholeOf(id)]))
    if (!isTold && !run.runner.isLeaving) return
    const { goesOn } = run
    run.goesOn = run.runner.watchParking()
    if (goesOn !== null) return
    void this.track(id, async () => {
      await run.ended
      if (this.isStopping || run.goesOn?.() !== true) return
      await this.deps.stores.batches.resume(id)
      await this.accept([wholeOf(id)])
    })
  }

  /** Names a judge that the batch waits for in this process; null: the batch does not run here, or no judge rests. */
  pauseOf(id: string): string | null {
    return this.runs.get(id)?.runner.pause ?? null
  }

  /** Counts the items in flight of a whole batch; null: the batch is not held here. */
  inFlight(id: string): number | null {
    const run = this.runs.get(id)
    return run === undefined || run.slices !== null ? null : run.runner.inFlight
  }

  /** Sums the load of a judge; null: of whole batches. */
  load(judge: string | null): Load {
    const loads = [...this.runs].map(([id, { slices }]): Load => {
      if (judge === null || slices === null)
        return judge === null && slices === null ? { ready: 1, held: 1, wanted: 0 } : NO_LOAD
      const load = slices.load(judge)
      return load.held > 0 ? { ...load, wanted: this.deps.laneOf(judge).wanted(id) } : NO_LOAD
    })
    return loads.reduce(addLoads, NO_LOAD)
  }

  /** Lets the run of the batch begin nothing more; false where none runs here. */
  cancel(id: string): boolean {
    const run = this.runs.get(id)
    run?.runner.cancel()
    return run !== undefined
  }

  /** Gives back items that have not begun; resolves once nothing is in flight. */
  async stop(): Promise<void> {
    this.isStopping = true
    for (const { runner } of this.runs.values()) runner.stop()
    while (this.busy.size > 0) await Promise.all(this.busy)
  }

  private async take(held: HeldSlice): Promise<void> {
    const { batch, judge } = held.slice
    const { batches } = this.deps.stores
    try {
      // The record is read under the lease: a later cancel or park finds the batch held.
      const record = await batches.get(batch)
      if (record === null) return await this.putAway(held)
      const isOn = record.status === 'running' || (judge === null && record.status === 'cancelling')
      const items = isOn ? await this.itemsOf(held.slice) : []
      if (items?.length === 0) return await this.putAway(held, record.status)
      const payer = await batches.payer(batch)
      if (this.isStopping) return await this.giveBack([held])
      if (items === null) this.runWhole(record, payer, held, new ItemQueue(batches, batch, held.lease, this.isRunnable))
      else this.runSlice(record, payer, held, items)
    } catch (error) {
      this.rest()
      await this.giveBack([held])
      throw error
    }
  }

  rest(ms = AGAIN_MS): void {
    this.restsUntil = this.deps.clock.now().getTime() + ms
  }

  /** Reads the pending items of the slice whose judges are here; null: a whole batch, whose items may all be with the provider. */
  private async itemsOf({ batch, from, judge }: Slice): Promise<readonly OpenItem[] | null> {
    if (judge === null) return null
    const items = await this.deps.stores.batches.pending(batch, from - 1, SLICE_ITEMS)
    return items.filter((item) => item.index < from + SLICE_ITEMS && this.isRunnable(item))
  }

  private readonly isRunnable = ({ request: { judge } }: OpenItem): boolean =>
    judge === undefined || this.deps.judges.has(judge)

  private runSlice(batch: Run['batch'], payer: Payer | null, held: HeldSlice, items: readonly OpenItem[]): void {
    const known = this.runs.get(batch.id)
    if (known?.slices != null && !known.isOver) {
      known.slices.add(held, items)
      known.runner.wake()
      return
    }
    const source = new SliceSource({
      note: (lease, inFlight) => this.deps.cluster.leases.note(lease, inFlight),
      onDone: (slice) => void this.track(batch.id, () => this.putAway(slice)),
    })
    source.add(held, items)
    const given: Run = {
      ...{ batch, payer, source },
      mayGoOn: async (record) => {
        if (record?.status === 'parked') this.parked.set(record.id, timeOf(record.resumes_at))
        return record?.status === 'running'
      },
      // Other processes have slices: parking only at the end could undo a resume that came meanwhile.
      onParking: (parking) => this.park(batch.id, parking),
      // The end of the batch is told when no process holds a part of it.
      onCancelled: async () => LEFT,
      onEmpty: async () => LEFT,
    }
    this.run(given, () => source.drain(), source)
  }

  /** Runs a whole batch, which its run ends. */
  private runWhole(batch: Run['batch'], payer: Payer | null, held: HeldSlice, source: ItemQueue): Running {
    const { pump, cluster, clock, stores, onStatus } = this.deps
    const { id, mode } = batch
    const { lease } = held
    const at = () => clock.now().toISOString()
    const given: Run = {
      ...{ batch, payer, source },
      mayGoOn: async (record) => record?.status === 'running' && (await cluster.leases.holds(lease)),
      onParking: async () => undefined,
      onCancelled: async () => {
        if (mode === 'provider' && !(await pump.drain(id))) return null
        await stores.batches.finishCancel(id, at())
        await onStatus(id)
        return OVER
      },
      onEmpty: async () => {
        const step = mode === 'provider' ? await pump.step(id, () => !lease.lost.aborted) : null
        if (step?.kind === 'parked') return step
        if (step?.kind === 'waiting') return null
        if (step?.kind === 'returned') {
          source.rescan()
          return 'again'
        }
        if (await stores.batches.finish(id, at())) {
          await onStatus(id)
          return OVER
        }
        if (step?.kind === 'lacks_judge' || source.hasOnlyLeft()) {
          this.lacksJudge.add(id)
          return LEFT
        }
        // Other calls hold the money, or an item is being given back: the next look finds such items.
        source.rescan()
        return null
      },
    }
    const running = this.run(given, () => [held])
    lease.lost.addEventListener('abort', () => running.runner.stop(), { once: true })
    return running
  }

  private run(given: Run, drain: Running['drain'], slices: SliceSource | null = null): Running {
    const { id } = given.batch
    const { notify, company, onTrouble, resumeLanes } = this.deps
    if ((this.parked.get(id) ?? 0) > this.deps.clock.now().getTime()) resumeLanes()
    this.parked.delete(id)
    const onChange = () => {
      notify(id)
      company?.onCapacity()
    }
    const onError = (error: unknown, item: OpenItem) => onTrouble({ batch: id, item: item.item_id, error })
    const runner = new BatchRunner({ ...this.deps, onChange, onError }, given)
    const running: Running = { runner, slices, drain, isOver: false, goesOn: null, ended: Promise.resolve() }
    this.runs.set(id, running)
    running.ended = this.track(id, () => this.see(id, running))
    return running
  }

  private async see(id: string, running: Running): Promise<void> {
    const end = await this.endOf(id, running)
    running.isOver = true
    if (end?.kind === 'parked') this.parked.set(id, timeOf(end.resumes_at))
    try {
      const rest = running.drain()
      if (end === OVER) await this.letGo(...rest)
      else await this.giveBack(rest)
    } finally {
      // The whole batch may have been taken again before its old run had ended.
      if (this.runs.get(id) === running) this.runs.delete(id)
    }
    // The last process that gives slices back ends a cancelled batch.
    if (running.slices !== null) await this.deps.endBatch(id, 'cancelling')
    this.deps.notify(id)
  }

  /** Null: the database refused something. */
  private async endOf(id: string, { runner, slices }: Running): Promise<RunEnd | null> {
    try {
      const end = await runner.run()
      if (end.kind === 'parked' && slices === null) await this.park(id, end)
      this.breaks.forget(id)
      return end
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      this.rest()
      // Damage stays until an operator mends it.
      const reason = this.breaks.add(id, runner, error)
      if (reason !== null) await this.park(id, { reason, resumes_at: null }).catch(() => undefined)
      return null
    }
  }

  private async park(id: string, { reason, resumes_at }: Pick<Parked, 'reason' | 'resumes_at'>): Promise<void> {
    const { stores, onStatus } = this.deps
    if (await stores.batches.park(id, reason, resumes_at?.toISOString() ?? null)) await onStatus(id)
  }

  /** Releases a slice without open items. */
  private async putAway(held: HeldSlice, status: BatchRecord['status'] = 'running'): Promise<void> {
    await this.letGo(held)
    await this.deps.endBatch(held.slice.batch, status)
  }

  /** Releases slices with open items: any process may take them at once. */
  private async giveBack(slices: readonly HeldSlice[]): Promise<void> {
    await this.letGo(...slices)
    for (const batch of new Set(slices.map(({ slice }) => slice.batch))) await this.deps.onFreed(batch)
  }

  private async letGo(...slices: readonly HeldSlice[]): Promise<void> {
    await Promise.all(slices.map(({ lease }) => this.deps.cluster.leases.release(lease)))
    this.deps.company?.onCapacity()
  }

  private track(batch: string, work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error: unknown) => this.deps.onTrouble({ batch, error }))
      .finally(() => this.busy.delete(done))
    this.busy.add(done)
    return done
  }
}

const timeOf = (at: string | Date | null): number => (at === null ? Number.POSITIVE_INFINITY : new Date(at).getTime())
