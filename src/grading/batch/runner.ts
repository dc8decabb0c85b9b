import type { Failure } from '../../schemas/grade.ts'
import type { BatchRecord, OpenItem } from '../batch-ports.ts'
import type { Errand } from '../errand.ts'
import type { Lane } from '../lane/lane.ts'
import type { Payer } from '../ledger-ports.ts'
import type { Clock, Judge, Stores } from '../ports.ts'
import { isTransient } from '../retry.ts'
import type { GradingService } from '../service.ts'
import { endOf, type RunOutcome } from './item-end.ts'
import { ItemQueue } from './item-queue.ts'
import { createLatch, type Latch } from './latch.ts'
import { Patience } from './patience.ts'
import type { ProviderPump } from './provider-pump.ts'

export interface RunnerDeps {
  readonly stores: Pick<Stores, 'batches'>
  readonly service: GradingService
  readonly judges: ReadonlyMap<string, Judge>
  readonly laneOf: (judge: string) => Lane
  readonly clock: Clock
  readonly pump: ProviderPump
  /** Something has changed that somebody may be looking at. */
  readonly onChange: () => void
  /** What was thrown and settles an item as `internal`. */
  readonly onError: (error: unknown, item: OpenItem) => void
}

/** How a run ends. `stopped`: told to, with everything kept; whoever claims the batch goes on. */
export type RunEnd =
  | { readonly kind: 'done' | 'cancelled' | 'stopped' }
  | { readonly kind: 'parked'; readonly reason: string; readonly resumes_at: Date | null }

/** Somebody else may have asked for a cancel in the database. */
const LOOK_MS = 500
const MOST_IN_FLIGHT = 512

/**
 * Runs one batch: keeps as many items in flight as its judges take, puts back what may yet succeed, parks when a judge is out, and
 * ends when every item has ended. All state that matters is in the store: a run can be broken off anywhere.
 */
export class BatchRunner {
  private readonly deps: RunnerDeps
  private readonly batch: BatchRecord
  private readonly payer: Payer | null
  private readonly queue: ItemQueue
  private readonly latch: Latch
  private readonly flying = new Map<number, OpenItem>()
  private readonly patience = new Patience()
  private readonly lanes = new Map<Lane, () => void>()
  /** Items in flight at the most: falls where the reservations of calls in flight fill the budget. */
  private ceiling = MOST_IN_FLIGHT
  private parking: Extract<RunEnd, { kind: 'parked' }> | null = null
  /** Aborted once the run is to end: nobody waits for a turn any more. */
  private readonly leaving = new AbortController()
  private isStopping = false
  private isCancelling: boolean
  private looked = 0
  private broken: { readonly error: unknown } | null = null

  constructor(deps: RunnerDeps, batch: BatchRecord, payer: Payer | null) {
    this.deps = deps
    this.batch = batch
    this.payer = payer
    this.queue = new ItemQueue(deps.stores.batches, batch.id)
    this.latch = createLatch(deps.clock)
    this.isCancelling = batch.status === 'cancelling'
  }

  get inFlight(): number {
    return this.flying.size
  }

  stop(): void {
    this.isStopping = true
    this.leaving.abort()
    this.latch.ring()
  }

  cancel(): void {
    this.isCancelling = true
    this.leaving.abort()
    this.latch.ring()
  }

  /** Rejects where the store refuses: nothing is lost, and the batch can be run again. */
  async run(): Promise<RunEnd> {
    try {
      return await this.loop()
    } finally {
      for (const [lane, stopListening] of this.lanes) {
        stopListening()
        lane.forget(this.batch.id)
      }
    }
  }

  private async loop(): Promise<RunEnd> {
    for (;;) {
      const item = await this.take()
      if (item !== null) {
        this.start(item)
        continue
      }
      const end = this.flying.size === 0 ? await this.settleIdle() : null
      if (end === 'again') continue
      if (end !== null) return end
      await this.pause()
    }
  }

  private async take(): Promise<OpenItem | null> {
    if (this.isStopping || this.isCancelling || this.parking !== null || this.broken !== null) return null
    if (this.flying.size >= Math.min(this.ceiling, this.wanted())) return null
    return this.queue.next(this.deps.clock.now().getTime())
  }

  /** One at least: only asking shows whether a judge that was out is there again. */
  private wanted(): number {
    let sum = 0
    for (const lane of this.lanes.keys()) sum += lane.wanted(this.batch.id)
    return Math.max(1, sum)
  }

  private start(item: OpenItem): void {
    const lane = this.deps.laneOf(item.request.judge ?? '')
    if (!this.lanes.has(lane))
      this.lanes.set(
        lane,
        lane.onChange(() => this.latch.ring()),
      )
    this.flying.set(item.index, item)
    void this.runItem(item)
      .catch((error: unknown) => {
        this.broken = { error }
        this.leaving.abort()
      })
      .finally(() => {
        this.flying.delete(item.index)
        this.latch.ring()
        this.deps.onChange()
      })
  }

  private async runItem(item: OpenItem): Promise<void> {
    const leads = this.mayLead(item) && this.queue.lead(item)
    try {
      await this.settle(item, await this.grade(item))
    } finally {
      if (leads) await this.queue.gather(item)
    }
  }

  /** The first of a trajectory’s items fills the provider’s prompt cache for the others. */
  private mayLead(item: OpenItem): boolean {
    const judge = this.deps.judges.get(item.request.judge ?? '')
    return judge?.info.kind === 'model' && this.batch.mode === 'direct' && this.batch.kind !== 'recheck'
  }

  private async grade(item: OpenItem): Promise<RunOutcome> {
    try {
      const request = { ...item.request, trajectory: { id: item.trajectory } }
      return await this.deps.service.gradeItem(request, this.errandFor(item))
    } catch (error) {
      if (isStorageError(error)) throw error
      this.deps.onError(error, item)
      return { kind: 'broken' }
    }
  }

  private errandFor(item: OpenItem): Errand {
    const common = {
      item: { batch: this.batch.id, index: item.index },
      payer: this.payer,
      signal: this.leaving.signal,
      cap_usd: this.batch.max_cost_usd,
      isPassing: (failure: Failure) => this.isPassing(item, failure),
    }
    if (this.batch.kind === 'recheck') return { ...common, way: 'stored', grade_id: item.base_grade ?? '' }
    return { ...common, way: this.batch.mode === 'provider' ? 'provider' : 'call' }
  }

  /** Whether the item may yet succeed: it then ends in no grade now and is run again. */
  private isPassing(item: OpenItem, failure: Failure): boolean {
    if (failure.code === 'quota_exhausted' || failure.code === 'authentication') return this.batch.mode !== 'provider'
    if (failure.code === 'cancelled') return this.leaving.signal.aborted
    // What others have reserved and do not use comes back.
    if (failure.code === 'budget_exceeded') return failure.retryable
    // The provider’s way has made its retries in rounds of its own.
    if (!isTransient(failure) || this.batch.mode === 'provider') return false
    return this.isOut(item) || this.patience.hasMore(item.index, failure)
  }

  private isOut(item: OpenItem): boolean {
    return this.deps.laneOf(item.request.judge ?? '').state().kind === 'out'
  }

  private async settle(item: OpenItem, outcome: RunOutcome): Promise<void> {
    if (outcome.kind === 'passed_over') {
      this.passOver(item, outcome.failure)
      return
    }
    if (outcome.kind === 'refused' && UNCONFIGURED.includes(outcome.refusal.code)) {
      const { detail, errors } = outcome.refusal
      const reason = `${detail} as an item names (${errors[0]?.message ?? ''}): configure it as before, then resume`
      this.parking ??= { kind: 'parked', reason, resumes_at: null }
      this.leaving.abort()
      return
    }
    const end = endOf(outcome)
    if (end !== null) await this.deps.stores.batches.settle({ batch: this.batch.id, index: item.index }, end)
    this.patience.forget(item.index)
    this.queue.release(item)
  }

  private passOver(item: OpenItem, failure: Failure): void {
    const lane = this.deps.laneOf(item.request.judge ?? '').state()
    if (failure.code === 'cancelled') this.queue.release(item)
    else if (failure.code === 'budget_exceeded') this.waitForBudget(item)
    else if (failure.code === 'quota_exhausted' || failure.code === 'authentication') this.park(item, failure, null)
    else if (lane.kind === 'out') this.park(item, failure, lane.until)
    else this.delay(item, failure)
  }

  private delay(item: OpenItem, failure: Failure): void {
    const { at, park } = this.patience.next(item.index, failure, this.deps.clock.now().getTime())
    if (park) this.park(item, failure, new Date(at))
    else this.queue.putBack(item, at)
  }

  private waitForBudget(item: OpenItem): void {
    if (this.batch.mode === 'provider') {
      this.queue.release(item)
      this.queue.skipRest()
      return
    }
    const alone = this.flying.size === 1
    this.ceiling = Math.max(1, this.flying.size - 1)
    this.queue.putBack(item, this.deps.clock.now().getTime() + (alone ? LOOK_MS : 0))
  }

  private park(item: OpenItem, failure: Failure, until: Date | null): void {
    const judge = item.request.judge ?? 'the judge'
    this.parking ??= { kind: 'parked', reason: `${judge}: ${failure.code}: ${failure.message}`, resumes_at: until }
    this.leaving.abort()
  }

  /** Nothing is in flight: what comes next? Null: wait; `again`: items may be pending again. */
  private async settleIdle(): Promise<RunEnd | 'again' | null> {
    if (this.broken !== null) throw this.broken.error
    if (this.isStopping) return { kind: 'stopped' }
    const { batches } = this.deps.stores
    const { id, mode } = this.batch
    const now = this.deps.clock.now()
    if (this.isCancelling) {
      if (mode === 'provider' && !(await this.deps.pump.drain(id))) return null
      await batches.finishCancel(id, now.toISOString())
      return { kind: 'cancelled' }
    }
    if (this.parking !== null) return this.endParked()
    if (!this.queue.isEmpty()) return null
    if (mode === 'provider') {
      const step = await this.deps.pump.step(id)
      if (step.kind === 'parked') {
        this.parking = step
        return this.endParked()
      }
      if (step.kind === 'waiting') return null
      if (step.kind === 'returned') return this.rescan()
    }
    if (await batches.finish(id, now.toISOString())) return { kind: 'done' }
    // Others hold the money, or an item is being given back: it is looked for again after a while.
    this.queue.rescan()
    return null
  }

  private rescan(): 'again' {
    this.queue.rescan()
    return 'again'
  }

  private async endParked(): Promise<RunEnd> {
    const parked = this.parking
    if (parked === null) throw new Error('nothing is parked')
    await this.deps.stores.batches.park(this.batch.id, parked.reason, parked.resumes_at?.toISOString() ?? null)
    return parked
  }

  private async pause(): Promise<void> {
    const now = this.deps.clock.now().getTime()
    const due = this.queue.nextDue(now)
    await this.latch.wait(Math.min(LOOK_MS, due === null ? LOOK_MS : due - now))
    if (this.isCancelling || now - this.looked < LOOK_MS) return
    this.looked = now
    const record = await this.deps.stores.batches.get(this.batch.id)
    if (record?.status === 'cancelling') this.cancel()
    // Taken for dead, and taken over: two would pay twice.
    if (!(await this.deps.stores.batches.claim(this.batch.id))) this.stop()
  }
}

/** What a configuration lacks can be given back: no item ends by it. */
const UNCONFIGURED: readonly string[] = ['unknown_judge', 'unknown_rubric']

const isStorageError = (error: unknown): boolean => (error as { name?: unknown } | null)?.name === 'StorageError'
