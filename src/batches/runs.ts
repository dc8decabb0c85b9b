import type { BatchRecord, OpenItem } from '../ports/batch-ports.ts'
import type { Lease } from '../ports/lease-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import { leaseName, SLICE_ITEMS, type Slice, wholeOf } from '../ports/slice-ports.ts'
import type { EngineDeps } from './engine-deps.ts'
import { ItemQueue } from './run/item-source.ts'
import { LEFT, OVER, type Parked, type Run, type RunEnd } from './run/run.ts'
import { BatchRunner } from './run/runner.ts'
import { addLoads, type HeldSlice, type Load, NO_LOAD, SliceSource } from './run/slice-source.ts'

interface BatchRunsDeps extends EngineDeps {
  /** A slice is held here from now on; the answer is told its end. */
  /** Slices of the batch that were held here are free for all, and have not ended. */
  readonly onFreed: (batch: string) => Promise<void>
  /** Ends the batch, if every item of it has ended, or is cancelled and held by no process. */
  readonly endBatch: (batch: string, status: BatchRecord['status']) => Promise<void>
}

/** What of a batch runs here. */
interface Running {
  readonly runner: BatchRunner
  /** Null: the whole batch. */
  readonly slices: SliceSource | null
  /** All that it holds, which is free from then on. */
  readonly drain: () => readonly HeldSlice[]
  /** The runner has ended: what it held is being given back, and nothing can be added. */
  isOver: boolean
  /** It was told to go on: once the run has ended, whether the batch is taken again. Null: it was not told. */
  goesOn: (() => boolean) | null
  /** Resolves once it holds nothing. */
  ended: Promise<void>
}

/** After the database refused. */
const AGAIN_MS = 10_000
/** In a row; then the batch is parked. */
const MOST_BREAKS = 3
const WHOLE_LOAD: Load = { ready: 1, held: 1, wanted: 0 }

/** What this process holds of batches, with a runner for each of them. */
export class BatchRuns {
  private readonly deps: BatchRunsDeps
  private readonly runs = new Map<string, Running>()
  private readonly busy = new Set<Promise<unknown>>()
  /** Until when batches were parked here, in milliseconds since the epoch: a batch that runs before that time was resumed by an operator. */
  private readonly parked = new Map<string, number>()
  /** Batches of whose open items this process can run none: it lacks their judges. */
  readonly lacksJudge = new Set<string>()
  /** How often in a row the store refused what they need, and at which item. */
  private readonly breaks = new Map<string, { readonly times: number; readonly item: number | null }>()
  private isStopping = false
  /** After the store refused: until then nothing is to be taken. Milliseconds since the epoch. */
  restsUntil = 0

  constructor(deps: BatchRunsDeps) {
    this.deps = deps
  }

  /** Takes what is free; answers how much that was. Never rejects. */
  async accept(slices: readonly Slice[]): Promise<number> {
    let taken: readonly Lease[] = []
    await this.track('', async () => {
      taken = await this.deps.cluster.leases.takeMany(slices.map(leaseName)).catch((error: unknown) => {
        this.rest()
        throw error
      })
      const leases = new Map(taken.map((lease) => [lease.name, lease]))
      const taking = slices.map(async (slice) => {
        const lease = leases.get(leaseName(slice))
        if (lease !== undefined) await this.track(slice.batch, () => this.take({ slice, lease }))
      })
      await Promise.all(taking)
    })
    return taken.length
  }

  /**
   * Takes the whole batch. A run of it that is on its way to its end here is waited for in the background. `isTold`: so is any other, which may
   * be parked by what was wrong before somebody said that it is mended: by what was asked before. What fails later parks it for good.
   */
  async begin(id: string, isTold: boolean): Promise<void> {
    const run = this.runs.get(id)
    if (run === undefined) return void (await this.accept([wholeOf(id)]))
    if (!isTold && !run.runner.isLeaving) return
    const isFirst = run.goesOn === null
    // The last word counts.
    run.goesOn = run.runner.watchParking()
    if (!isFirst) return
    void this.track(id, async () => {
      await run.ended
      if (this.isStopping || run.goesOn?.() !== true) return
      await this.deps.stores.batches.resume(id)
      await this.accept([wholeOf(id)])
    })
  }

  /** Items in flight of a batch that is held as a whole; null: it is not held here. */
  inFlight(id: string): number | null {
    const run = this.runs.get(id)
    return run === undefined || run.slices !== null ? null : run.runner.inFlight
  }

  /** `judge` null: batches that are held as a whole. */
  load(judge: string | null): Load {
    let sum = NO_LOAD
    for (const [id, { slices }] of this.runs) {
      if (slices === null || judge === null) {
        if (slices === null && judge === null) sum = addLoads(sum, WHOLE_LOAD)
        continue
      }
      const load = slices.load(judge)
      if (load.held > 0) sum = addLoads(sum, { ...load, wanted: this.deps.laneOf(judge).wanted(id) })
    }
    return sum
  }

  /** What runs here of the batch begins nothing more; false where nothing does. */
  cancel(id: string): boolean {
    const run = this.runs.get(id)
    run?.runner.cancel()
    return run !== undefined
  }

  /** Gives back what has not begun; resolves once nothing is in flight. */
  async stop(): Promise<void> {
    this.isStopping = true
    for (const { runner } of this.runs.values()) runner.stop()
    while (this.busy.size > 0) await Promise.all(this.busy)
  }

  private async take(held: HeldSlice): Promise<void> {
    const { batch, judge } = held.slice
    const { batches } = this.deps.stores
    try {
      // Read under the lease: a cancel or a park from now on finds the batch held.
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
      // Others have parts of it: told only at the end, it could undo a resume that came meanwhile.
      onParking: (parking) => this.park(batch.id, parking),
      // The end of the batch is told when no process holds a part of it.
      onCancelled: async () => LEFT,
      onEmpty: async () => LEFT,
    }
    this.run(given, () => source.drain(), source)
  }

  /** No other process has a part of it: all that its end takes is done by its run. */
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
        if (step?.kind !== 'returned' && (await stores.batches.finish(id, at()))) {
          await onStatus(id)
          return OVER
        }
        if (step?.kind === 'lacks_judge' || source.hasLeft) {
          this.lacksJudge.add(id)
          return LEFT
        }
        // Others hold the money, or an item is being given back: it is looked for again after a while.
        source.rescan()
        return step?.kind === 'returned' ? 'again' : null
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
      if (end === OVER) await Promise.all(rest.map((held) => this.letGo(held)))
      else await this.giveBack(rest)
    } finally {
      // A whole batch that was lost may have been taken again before its old run had ended.
      if (this.runs.get(id) === running) this.runs.delete(id)
    }
    // What no process holds any more: the last one to leave tells the end.
    if (running.slices !== null) await this.deps.endBatch(id, 'cancelling')
    this.deps.notify(id)
  }

  /** Null: the database refused something. */
  private async endOf(id: string, { runner, slices }: Running): Promise<RunEnd | null> {
    try {
      const end = await runner.run()
      if (end.kind === 'parked' && slices === null) await this.park(id, end)
      this.breaks.delete(id)
      return end
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      this.rest()
      await this.countBreak(id, runner, error)
      return null
    }
  }

  private async park(id: string, { reason, resumes_at }: Pick<Parked, 'reason' | 'resumes_at'>): Promise<void> {
    const { stores, onStatus } = this.deps
    if (await stores.batches.park(id, reason, resumes_at?.toISOString() ?? null)) await onStatus(id)
  }

  /**
   * What is damaged or missing stays so until an operator sees to it: then the batch says what it is, and takes no more time. In a row is what
   * breaks at the same item again, or before any item has ended.
   */
  private async countBreak(id: string, { brokeAt, hasEnded }: BatchRunner, error: unknown): Promise<void> {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code !== 'storage_error') return
    const last = this.breaks.get(id)
    const times = last !== undefined && (!hasEnded || last.item === brokeAt) ? last.times + 1 : 1
    this.breaks.set(id, { times, item: brokeAt })
    if (times < MOST_BREAKS) return
    this.breaks.delete(id)
    const reason = `the database refused ${times} times in a row: ${message}: mend it, then resume`
    await this.park(id, { reason, resumes_at: null }).catch(() => undefined)
  }

  /** There is nothing left to do of it. */
  private async putAway(held: HeldSlice, status: BatchRecord['status'] = 'running'): Promise<void> {
    await this.letGo(held)
    await this.deps.endBatch(held.slice.batch, status)
  }

  /** Any process may go on with it at once. */
  private async giveBack(slices: readonly HeldSlice[]): Promise<void> {
    await Promise.all(slices.map((held) => this.letGo(held)))
    for (const batch of new Set(slices.map(({ slice }) => slice.batch))) await this.deps.onFreed(batch)
  }

  private async letGo({ lease }: HeldSlice): Promise<void> {
    await this.deps.cluster.leases.release(lease)
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
