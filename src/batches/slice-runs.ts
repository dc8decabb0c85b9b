import type { BatchRecord, OpenItem } from '../ports/batch-ports.ts'
import type { Lease, LeaseStore } from '../ports/lease-ports.ts'
import type { Payer } from '../ports/ledger-ports.ts'
import { leaseName, SLICE_ITEMS, type Slice, type SliceEnd } from '../ports/slice-ports.ts'
import { AGAIN_MS, type EngineDeps } from './engine.ts'
import type { ProviderPump } from './provider-pump.ts'
import { ItemQueue } from './run/item-queue.ts'
import type { Run, RunEnd } from './run/run.ts'
import { BatchRunner } from './run/runner.ts'
import { addLoads, type HeldSlice, type Load, NO_LOAD, SliceSource } from './shared/slice-source.ts'

interface SliceRunsDeps extends EngineDeps {
  readonly leases: LeaseStore
  /** A slice is held here from now on; the answer is told its end. */
  readonly onHeld: (slice: Slice) => (end: SliceEnd) => void
  /** Slices of the batch that were held here are free for all, and have not ended. */
  readonly onFreed: (batch: string) => Promise<void>
  /** Ends the batch, if every item of it has ended, or is cancelled and held by nobody. */
  readonly endBatch: (batch: string, status: BatchRecord['status']) => Promise<void>
  /** There is room for more work. */
  readonly onCapacity: () => void
}

/** What of a batch runs here. */
interface Running {
  readonly runner: BatchRunner
  /** Null: the whole batch. */
  readonly slices: SliceSource | null
}

/** The slices of one project that this process holds, with a runner for each of their batches. */
export class SliceRuns {
  private readonly deps: SliceRunsDeps
  private readonly runs = new Map<string, Running>()
  private readonly busy = new Set<Promise<unknown>>()
  /** Left, parked until somebody mends what is wrong: when they run again, somebody has. */
  private readonly parked = new Set<string>()
  /** How often in a row the store refused what they need, as it will refuse it again. */
  private readonly breaks = new Map<string, number>()
  private isStopping = false
  #restsUntil = 0

  constructor(deps: SliceRunsDeps) {
    this.deps = deps
  }

  /** Takes what nobody else holds; answers how much that was. Never rejects. */
  async accept(slices: readonly Slice[]): Promise<number> {
    let taken: readonly Lease[] = []
    await this.track('', async () => {
      taken = await this.deps.leases.takeMany(slices.map(leaseName)).catch((error: unknown) => {
        this.rest()
        throw error
      })
      const leases = new Map(taken.map((lease) => [lease.name, lease]))
      const taking = slices.map(async (slice) => {
        const lease = leases.get(leaseName(slice))
        if (lease !== undefined)
          await this.track(slice.batch, () => this.take({ slice, lease, end: this.deps.onHeld(slice) }))
      })
      await Promise.all(taking)
    })
    return taken.length
  }

  /** After the store refused: until then nothing is to be taken. Milliseconds since the epoch. */
  get restsUntil(): number {
    return this.#restsUntil
  }

  /** `judge` null: batches of providers. */
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
    try {
      // Read under the lease: a cancel or a park from now on finds the batch held.
      const record = await this.deps.stores.batches.get(batch)
      const isOn = record?.status === 'running' || (judge === null && record?.status === 'cancelling')
      const items = record !== null && isOn ? await this.itemsOf(held.slice) : []
      if (record === null || items?.length === 0) return await this.putAway(held, record?.status)
      const payer = await this.deps.stores.batches.payer(batch)
      if (this.isStopping) return await this.giveBack([held])
      if (items === null) this.runWhole(record, payer, held)
      else this.runSlice(record, payer, held, items)
    } catch (error) {
      this.rest()
      await this.giveBack([held])
      throw error
    }
  }

  rest(ms = AGAIN_MS): void {
    this.#restsUntil = this.deps.clock.now().getTime() + ms
  }

  /** What is pending of the slice; null: it is a whole batch, whose items may all be with the provider. */
  private async itemsOf({ batch, from, judge }: Slice): Promise<readonly OpenItem[] | null> {
    if (judge === null) return null
    const items = await this.deps.stores.batches.pending(batch, from - 1, SLICE_ITEMS)
    return items.filter(({ index }) => index < from + SLICE_ITEMS)
  }

  private runSlice(batch: BatchRecord, payer: Payer | null, held: HeldSlice, items: readonly OpenItem[]): void {
    const known = this.runs.get(batch.id)
    if (known?.slices != null) {
      known.slices.add(held, items)
      known.runner.wake()
      return
    }
    const source = new SliceSource({
      note: (lease, inFlight) => this.deps.leases.note(lease, inFlight),
      onDone: (slice) => void this.track(batch.id, () => this.putAway(slice)),
    })
    source.add(held, items)
    const mayGoOn = async (record: BatchRecord | null) => {
      if (record === null) return false
      const { id, status, resumes_at } = record
      if (status === 'parked' && resumes_at === null) this.parked.add(id)
      return status === 'running'
    }
    this.run({ batch, payer, source, isShared: true, mayGoOn }, source, () => source.drain())
  }

  private runWhole(batch: BatchRecord, payer: Payer | null, held: HeldSlice): void {
    const { lease } = held
    const source = new ItemQueue(this.deps.stores.batches, batch.id, lease)
    const mayGoOn = async (record: BatchRecord | null) => record?.status === 'running' && !lease.lost.aborted
    const { pump } = this.deps
    const ours: ProviderPump = { step: (id) => pump.step(id, () => !lease.lost.aborted), drain: (id) => pump.drain(id) }
    const runner = this.run({ batch, payer, source, isShared: false, mayGoOn }, null, () => [held], ours)
    lease.lost.addEventListener('abort', () => runner.stop(), { once: true })
  }

  private run(
    given: Run,
    slices: SliceSource | null,
    drain: () => readonly HeldSlice[],
    pump = this.deps.pump,
  ): BatchRunner {
    const { id } = given.batch
    const { notify, onCapacity, onTrouble, resumeLanes } = this.deps
    if (this.parked.delete(id)) resumeLanes()
    const onChange = () => {
      notify(id)
      onCapacity()
    }
    const onError = (error: unknown, item: OpenItem) => onTrouble({ batch: id, item: item.item_id, error })
    const runner = new BatchRunner({ ...this.deps, pump, onChange, onError }, given)
    const running = { runner, slices }
    this.runs.set(id, running)
    void this.track(id, () => this.see(id, running, drain))
    return runner
  }

  private async see(id: string, running: Running, drain: () => readonly HeldSlice[]): Promise<void> {
    const { runner, slices } = running
    const end = await runner.run().catch(async (error: unknown) => {
      this.deps.onTrouble({ batch: id, error })
      this.rest()
      await this.countBreak(id, error)
      return null
    })
    if (end !== null) this.breaks.delete(id)
    // A whole batch that was lost may have been taken again before its old run had ended.
    if (this.runs.get(id) === running) this.runs.delete(id)
    if (end?.kind === 'parked' && end.resumes_at === null) this.parked.add(id)
    const rest = drain()
    if (isOver(end)) await Promise.all(rest.map((held) => this.putAway(held)))
    else await this.giveBack(rest)
    // What nobody holds any more: the last one out tells the end.
    if (slices !== null) await this.deps.endBatch(id, 'cancelling')
    this.deps.notify(id)
  }

  /** What is damaged or missing stays so until somebody sees to it: then the batch says what it is, and takes no more of anybody’s time. */
  private async countBreak(id: string, error: unknown): Promise<void> {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code !== 'storage_error') return
    const breaks = (this.breaks.get(id) ?? 0) + 1
    this.breaks.set(id, breaks)
    if (breaks < MOST_BREAKS) return
    this.breaks.delete(id)
    const reason = `the database refused ${breaks} times in a row: ${message}: mend it, then resume`
    await this.deps.stores.batches.park(id, reason, null).catch(() => undefined)
  }

  /** There is nothing left to do of it. */
  private async putAway({ slice, lease, end }: HeldSlice, status: BatchRecord['status'] = 'running'): Promise<void> {
    end('done')
    await this.deps.leases.release(lease)
    this.deps.onCapacity()
    await this.deps.endBatch(slice.batch, status)
  }

  /** Somebody may go on with it at once. */
  private async giveBack(slices: readonly HeldSlice[]): Promise<void> {
    const released = slices.map(async ({ slice, lease, end }) => {
      end(lease.lost.aborted ? 'lost' : 'given_back')
      await this.deps.leases.release(lease)
      return slice.batch
    })
    for (const batch of new Set(await Promise.all(released))) await this.deps.onFreed(batch)
  }

  private track(batch: string, work: () => Promise<void>): Promise<void> {
    const done = work()
      .catch((error: unknown) => this.deps.onTrouble({ batch, error }))
      .finally(() => this.busy.delete(done))
    this.busy.add(done)
    return done
  }
}

const MOST_BREAKS = 3
const WHOLE_LOAD: Load = { ready: 1, held: 1, wanted: 0 }

/** Whether a whole batch needs nobody any more; a broken or stopped run goes on elsewhere. */
const isOver = (end: RunEnd | null): boolean => end !== null && end.kind !== 'stopped' && end.kind !== 'parked'
