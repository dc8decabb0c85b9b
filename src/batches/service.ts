import type { Payer } from '../db/attempts.ts'
import type { BatchQuery, BatchRecord } from '../db/batches.ts'
import type { ItemRecord } from '../db/items.ts'
import type { Batch, BatchEstimate } from '../schemas/batch.ts'
import { RequestError } from '../schemas/problem.ts'
import type { RegradeRequest } from '../schemas/regrade.ts'
import { BatchEngine, type EngineDeps } from './engine.ts'
import { type BatchPlan, type IntakeItem, takeBatch } from './intake.ts'
import { findRegradeFault, planRegrade, selectGrades } from './regrade.ts'

interface BatchServiceDeps extends Omit<EngineDeps, 'notify' | 'onStatus'> {
  /** Receives a batch that has begun, is parked, done or cancelled. */
  readonly onStatus: (batch: BatchRecord) => void
  readonly most_items: number
}

/** A draft whose items arrive for longer belongs to a process that has died. */
const LONGEST_DRAFT_MS = 24 * 3_600_000
/** Within a day both providers answer a batch or give up. */
const PROVIDER_WINDOW_MS = 24 * 3_600_000

/** Creates, runs, reads, cancels and resumes batches. */
export class BatchService {
  /** Runs the batches. */
  readonly engine: BatchEngine
  private readonly deps: BatchServiceDeps
  private readonly watchers = new Map<string, Set<() => void>>()

  constructor(deps: BatchServiceDeps) {
    this.deps = deps
    this.engine = new BatchEngine({
      ...deps,
      notify: (id) => this.notify(id),
      onStatus: (id) => this.tellStatus(id),
    })
  }

  private get store() {
    return this.deps.stores.batches
  }

  private get intake() {
    const { stores } = this.deps
    return { ...this.deps, batches: stores.batches, grades: stores.grades }
  }

  /** Throws a RequestError with the place of the first fault; then nothing is kept. */
  async create(plan: BatchPlan, items: AsyncIterable<IntakeItem>): Promise<Batch> {
    const batch = await takeBatch(this.intake, plan, items, (id) => this.engine.addDraft(id))
    this.deps.onStatus(batch)
    await this.engine.begin(batch.id)
    return batch
  }

  async estimate(plan: BatchPlan, items: AsyncIterable<IntakeItem>): Promise<BatchEstimate> {
    return (await import('./estimate.ts')).estimateBatch(this.intake, plan, items)
  }

  async regrade(request: RegradeRequest, payer: Payer | null = null): Promise<Batch> {
    return this.create(...(await this.regrading(request, payer)))
  }

  async estimateRegrade(request: RegradeRequest): Promise<BatchEstimate> {
    return this.estimate(...(await this.regrading(request, null)))
  }

  private async regrading(
    request: RegradeRequest,
    payer: Payer | null,
  ): Promise<[plan: BatchPlan, items: AsyncIterable<IntakeItem>]> {
    const fault = findRegradeFault(request)
    if (fault !== null) throw new RequestError('invalid_request', 'this re-grade makes no sense', { errors: [fault] })
    const { batches, grades } = this.intake
    return [await planRegrade(batches, request, payer), selectGrades({ batches, grades }, request)]
  }

  async get(id: string): Promise<Batch | null> {
    const record = await this.store.get(id)
    return record === null ? null : this.view(record)
  }

  async list(query: BatchQuery): Promise<readonly Batch[]> {
    return Promise.all((await this.store.list(query)).map((record) => this.view(record)))
  }

  results(id: string, after: number, limit: number): Promise<readonly ItemRecord[]> {
    return this.store.results(id, after, limit)
  }

  /** Adds to a stored batch what the store does not know: the items in flight, and the reason for which the batch waits. */
  private async view(record: BatchRecord): Promise<Batch> {
    const { pending, running } = record.counts
    const { in_flight, waiting } = await this.engine.view(record)
    const moved = Math.min(in_flight, pending)
    const counts = { ...record.counts, pending: pending - moved, running: running + moved }
    const wait = waiting === null ? {} : { parked_reason: waiting.reason, waiting_for: waiting.for }
    return { ...record, counts, ...wait, ...(await this.roundOf(record)) }
  }

  private async roundOf({ id, mode, status }: BatchRecord): Promise<Pick<Batch, 'round'>> {
    if (mode !== 'provider' || status === 'done' || status === 'cancelled') return {}
    const round = await this.deps.stores.provider.round(id)
    if (round === null) return {}
    return { round: { ...round, ends_by: new Date(Date.parse(round.begun_at) + PROVIDER_WINDOW_MS).toISOString() } }
  }

  /** Cancels all items but those in flight. Null: no such batch; false: the batch has ended. */
  async cancel(id: string): Promise<boolean | null> {
    const record = await this.store.get(id)
    if (record === null) return null
    if (record.status === 'cancelling') return true
    if (!(await this.store.requestCancel(id))) return false
    await this.engine.cancel(id)
    this.notify(id)
    return true
  }

  /** Goes on with a parked batch, or with a batch that no process runs. Null: no such batch; false: the batch has ended. */
  async resume(id: string): Promise<boolean | null> {
    const record = await this.store.get(id)
    if (record === null) return null
    if (record.status === 'done' || record.status === 'cancelled') return false
    await this.engine.resume(record)
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

  /** Goes on with the batches of earlier processes, and later with the batches that other processes leave. */
  async start(): Promise<void> {
    const before = this.deps.clock.now().getTime() - LONGEST_DRAFT_MS
    await this.store.discardAbandoned(new Date(before).toISOString())
    await this.engine.start()
  }

  /** Begins nothing more, waits for the items in flight, and leaves the rest to the next process. */
  stop(): Promise<void> {
    return this.engine.stop()
  }

  private async tellStatus(id: string): Promise<void> {
    try {
      const batch = await this.store.get(id)
      if (batch !== null) this.deps.onStatus(batch)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
    }
  }

  private notify(id: string): void {
    for (const listener of this.watchers.get(id) ?? []) listener()
  }
}
