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

/** Another process may have told the batch to stop, in the database. */
const LOOK_MS = 500
/** After a lease that another process may have. */
const GRIP_MS = 1000
const MOST_IN_FLIGHT = 512

/**
 * Runs one batch: keeps as many items in flight as its judges take, puts back what may yet succeed, parks when a judge is out, and
 * ends when every item has ended. All state that matters is in the store: a run can be broken off anywhere.
 */
export class BatchRunner {
  /** Whether any item has ended in this run. */
  hasEnded = false
  private readonly deps: RunnerDeps
  private readonly given: Run
  private readonly batch: Run['batch']
  private readonly source: ItemSource
  private readonly grading: ItemGrading
  private readonly notifier: Notifier
  private readonly flying = new Set<OpenItem>()
  private readonly patience = new Patience()
  /** Those that it calls through, with what ends that it hears of them. */
  private readonly lanes = new Map<Lane, () => void>()
  /** Items in flight at the most: falls where the reservations of calls in flight fill the budget. */
  private ceiling = MOST_IN_FLIGHT
  private parking: Parked | null = null
  /** The items in flight when one of them parked the batch; null: none did. */
  private atParking: ReadonlySet<OpenItem> | null = null
  private parked: Promise<void> = Promise.resolve()
  /** Aborted once the run is to end: waiting for a turn ends. */
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

  /** Nothing more is begun: it ends as soon as nothing is in flight. */
  get isLeaving(): boolean {
    return this.leaving.signal.aborted
  }

  /**
   * Answers later whether what is asked now, or waits for its turn, may have parked the batch, or none of its items. Where a judge fails, those
   * that wait for it are turned away before the item whose call has failed: one of these may be newer, and first to park it.
   */
  watchParking(): () => boolean {
    const asked = new Set(this.flying)
    const wasLeaving = this.isLeaving
    return () => wasLeaving || this.atParking === null || [...this.atParking].some((item) => asked.has(item))
  }

  /** The index of the first item at which the store refused something; null: it did at none. */
  get brokeAt(): number | null {
    return this.broken?.item.index ?? null
  }

  private get batches() {
    return this.deps.stores.batches
  }

  /** There are more items. */
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
    return this.source.next(this.deps.clock.now().getTime())
  }

  /** Items to keep in flight; one at least: only asking shows whether a judge that was out is there again. */
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
        lane.onChange(() => this.notifier.notify()),
      )
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
      this.loseGrip(item)
    } finally {
      if (leads) await this.source.gather(item)
    }
  }

  /** The first of a trajectory’s items fills the provider’s prompt cache for the others. */
  private mayLead(item: OpenItem): boolean {
    const judge = this.deps.judges.get(item.request.judge ?? '')
    return judge?.info.kind === 'model' && this.batch.mode === 'direct' && this.batch.kind !== 'recheck'
  }

  /** It is another process’s now; or only its question was, and then it is asked again. */
  private loseGrip(item: OpenItem): void {
    if (this.source.leaseOf(item).lost.aborted) this.source.release(item)
    else this.source.putBack(item, this.deps.clock.now().getTime() + GRIP_MS)
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

  /** Nothing is in flight: what comes next? Null: wait; `again`: items may be pending again. */
  private async settleIdle(): Promise<RunEnd | 'again' | null> {
    if (this.broken !== null) throw this.broken.error
    if (this.isStopping) return LEFT
    if (this.isCancelling) return this.given.onCancelled()
    await this.parked
    return this.parking ?? (this.source.isEmpty() ? this.given.onEmpty() : null)
  }

  private async pause(): Promise<void> {
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
