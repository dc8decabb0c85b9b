import type { Lane } from '../../asking/lane/lane.ts'
import type { OpenItem } from '../../ports/batch-ports.ts'
import { isLeaseLost } from '../../ports/lease-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import { ItemGrading } from './item-grading.ts'
import type { ItemSource } from './item-source.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import {
  endOf,
  LEFT,
  lackOf,
  type Parked,
  Patience,
  type Run,
  type RunEnd,
  type RunnerDeps,
  type RunOutcome,
} from './run.ts'

/** Between two looks at the record of the batch, which another process may have cancelled. */
const LOOK_MS = 500
/** Before an item runs again after its lease was lost. */
const LOST_LEASE_MS = 1000
const MOST_IN_FLIGHT = 512

/**
 * Runs one batch: keeps as many items in flight as its judges take, puts back items that may yet succeed, parks the batch when a judge is out, and
 * ends with the last item. The store has all state that matters: a run can be broken off anywhere.
 */
export class BatchRunner {
  /** Whether an item has ended in this run. */
  hasEnded = false
  private readonly deps: RunnerDeps
  private readonly given: Run
  private readonly batch: Run['batch']
  private readonly source: ItemSource
  private readonly grading: ItemGrading
  private readonly notifier: Notifier
  private readonly flying = new Set<OpenItem>()
  private readonly patience = new Patience()
  /** The lanes of the run, each with its judge and the function that stops listening. */
  private readonly lanes = new Map<Lane, { readonly judge: string; readonly stopListening: () => void }>()
  /** Most items in flight; falls where the reservations of calls in flight fill the budget. */
  private ceiling = MOST_IN_FLIGHT
  private parking: Parked | null = null
  /** The items in flight when an item parked the batch; null: no item did. */
  private atParking: ReadonlySet<OpenItem> | null = null
  private parked: Promise<void> = Promise.resolve()
  /** Aborted once the run is to end: calls that wait for a turn are given up. */
  private readonly leaving = new AbortController()
  private isStopping = false
  private isCancelling: boolean
  private looked = 0
  private broken: { readonly item: OpenItem; readonly error: unknown } | null = null

  constructor(deps: RunnerDeps, given: Run) {
    this.deps = deps
    this.given = given
    this.batch = given.batch
    this.source = given.source
    this.grading = new ItemGrading(deps, given, this.patience, this.leaving.signal)
    this.notifier = createNotifier(deps.clock)
    this.isCancelling = given.batch.status === 'cancelling'
  }

  get inFlight(): number {
    return this.flying.size
  }

  /** Names a judge that asked for a pause, and the end of the pause; null: no judge of the run rests. */
  get pause(): string | null {
    for (const [lane, { judge }] of this.lanes) {
      const { kind, failure, until } = lane.state()
      if (kind === 'paused' && failure !== null && until !== null)
        return `${judge}: ${failure.code}, waiting until ${until.toISOString()}`
    }
    return null
  }

  /** Whether the run begins nothing more, and ends as soon as nothing is in flight. */
  get isLeaving(): boolean {
    return this.leaving.signal.aborted
  }

  /**
   * Remembers the items in flight; the answer tells later whether one of them may have parked the batch. A failing judge turns waiting calls away
   * before the item whose call failed: a newer item may be the first to park the batch.
   */
  watchParking(): () => boolean {
    const asked = new Set(this.flying)
    const wasLeaving = this.isLeaving
    return () => wasLeaving || this.atParking === null || [...this.atParking].some((item) => asked.has(item))
  }

  /** The index of the first item at which the store refused a statement; null: no refusal. */
  get brokeAt(): number | null {
    return this.broken?.item.index ?? null
  }

  private get batches() {
    return this.deps.stores.batches
  }

  /** Looks for items now. */
  wake(): void {
    this.notifier.notify()
  }

  stop(): void {
    this.isStopping = true
    this.leaving.abort()
    this.notifier.notify()
  }

  cancel(): void {
    this.isCancelling = true
    this.leaving.abort()
    this.notifier.notify()
  }

  /** Runs the batch to the end of the run. Rejects where the store refuses: nothing is lost, and the batch can run again. */
  async run(): Promise<RunEnd> {
    try {
      return await this.loop()
    } finally {
      for (const [lane, { stopListening }] of this.lanes) {
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
      await this.rest()
    }
  }

  private async take(): Promise<OpenItem | null> {
    if (this.isStopping || this.isCancelling || this.parking !== null || this.broken !== null) return null
    if (this.flying.size >= Math.min(this.ceiling, this.wanted())) return null
    return this.source.next(this.deps.clock.now().getTime())
  }

  /** Counts the items to keep in flight; at least one: only a call shows whether a judge that was out is back. */
  private wanted(): number {
    let sum = 0
    for (const lane of this.lanes.keys()) sum += lane.wanted(this.batch.id)
    return Math.max(1, sum)
  }

  private start(item: OpenItem): void {
    const judge = item.request.judge ?? ''
    const lane = this.deps.laneOf(judge)
    if (!this.lanes.has(lane)) {
      const stopListening = lane.onChange(() => this.notifier.notify())
      this.lanes.set(lane, { judge, stopListening })
    }
    this.flying.add(item)
    void this.runItem(item)
      .catch((error: unknown) => {
        this.broken ??= { item, error }
        this.leaving.abort()
      })
      .finally(() => {
        this.flying.delete(item)
        this.notifier.notify()
        this.deps.onChange()
      })
  }

  private async runItem(item: OpenItem): Promise<void> {
    const leads = this.mayLead(item) && this.source.lead(item)
    try {
      await this.settle(item, await this.grading.grade(item))
    } catch (error) {
      if (!isLeaseLost(error)) throw error
      this.loseLease(item)
    } finally {
      if (leads) await this.source.gather(item)
    }
  }

  /** Whether the first item of a trajectory fills the provider’s prompt cache for the other items. */
  private mayLead(item: OpenItem): boolean {
    const judge = this.deps.judges.get(item.request.judge ?? '')
    return judge?.info.kind === 'model' && this.batch.mode === 'direct' && this.batch.kind !== 'recheck'
  }

  /** Leaves the item to the process that took its slice; an item that only lost the lease of its question runs again. */
  private loseLease(item: OpenItem): void {
    if (this.source.leaseOf(item).lost.aborted) this.source.release(item)
    else this.source.putBack(item, this.deps.clock.now().getTime() + LOST_LEASE_MS)
  }

  private async settle(item: OpenItem, outcome: RunOutcome): Promise<void> {
    if (outcome.kind === 'passed_over') return this.passOver(item, outcome.failure)
    const lack = lackOf(outcome)
    if (lack !== null) return this.leaveParked(lack, null)
    const end = endOf(outcome)
    if (end !== null) await this.batches.settle(this.grading.refOf(item), end)
    this.patience.forget(item.index)
    this.source.end(item)
    this.hasEnded = true
  }

  private passOver(item: OpenItem, failure: Failure): void {
    const lane = this.deps.laneOf(item.request.judge ?? '').state()
    if (failure.code === 'cancelled') this.source.release(item)
    else if (failure.code === 'budget_exceeded') this.waitForBudget(item)
    else if (failure.code === 'quota_exhausted' || failure.code === 'authentication') this.park(item, failure, null)
    else if (lane.kind === 'out') this.park(item, failure, lane.until)
    else this.delay(item, failure)
  }

  private delay(item: OpenItem, failure: Failure): void {
    const { at, park } = this.patience.next(item.index, failure, this.deps.clock.now().getTime())
    if (park) this.park(item, failure, new Date(at))
    else this.source.putBack(item, at)
  }

  private waitForBudget(item: OpenItem): void {
    if (this.batch.mode === 'provider') {
      this.source.release(item)
      this.source.skipRest()
      return
    }
    const alone = this.flying.size === 1
    this.ceiling = Math.max(1, this.flying.size - 1)
    this.source.putBack(item, this.deps.clock.now().getTime() + (alone ? LOOK_MS : 0))
  }

  private park(item: OpenItem, failure: Failure, until: Date | null): void {
    const judge = item.request.judge ?? 'the judge'
    this.leaveParked(`${judge}: ${failure.code}: ${failure.message}`, until)
  }

  private leaveParked(reason: string, resumes_at: Date | null): void {
    if (this.parking !== null || this.isStopping) return
    this.parking = { kind: 'parked', reason, resumes_at }
    this.atParking = new Set(this.flying)
    this.leaving.abort()
    this.parked = this.given.onParking(this.parking)
    this.parked.catch(() => undefined)
  }

  /** Decides the next step while nothing is in flight. Null: wait; `again`: items may be pending again. */
  private async settleIdle(): Promise<RunEnd | 'again' | null> {
    if (this.broken !== null) throw this.broken.error
    if (this.isStopping) return LEFT
    if (this.isCancelling) return this.given.onCancelled()
    await this.parked
    return this.parking ?? (this.source.isEmpty() ? this.given.onEmpty() : null)
  }

  private async rest(): Promise<void> {
    const now = this.deps.clock.now().getTime()
    const due = this.source.nextDue(now)
    await this.notifier.wait(Math.min(LOOK_MS, due === null ? LOOK_MS : due - now))
    if (this.isCancelling || now - this.looked < LOOK_MS) return
    this.looked = now
    const record = await this.batches.get(this.batch.id)
    if (record?.status === 'cancelling') this.cancel()
    else if (!(await this.given.mayGoOn(record))) this.stop()
  }
}
