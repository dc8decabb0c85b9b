import type { Batch, BatchEstimate } from '../../schemas/batch.ts'
import type { RegradeRequest } from '../../schemas/regrade.ts'
import type { BatchQuery, BatchRecord, ItemRecord } from '../batch-ports.ts'
import type { GradeStore } from '../grade-ports.ts'
import type { Payer } from '../ledger-ports.ts'
import type { Stores } from '../ports.ts'
import { estimateBatch } from './estimate.ts'
import { type BatchPlan, type Incoming, type IntakeRefusal, type Taken, takeBatch } from './intake.ts'
import { findRegradeFault, planRegrade, selectGrades } from './regrade.ts'
import { BatchRunner, type RunnerDeps } from './runner.ts'

export type Estimated = { readonly ok: true; readonly estimate: BatchEstimate } | IntakeRefusal

/** Batches: taken in, run, looked at, told to stop and to go on. */
export interface BatchService {
  create(plan: BatchPlan, items: AsyncIterable<Incoming>): Promise<Taken>
  estimate(plan: BatchPlan, items: AsyncIterable<Incoming>): Promise<Estimated>
  regrade(request: RegradeRequest, payer?: Payer | null): Promise<Taken>
  estimateRegrade(request: RegradeRequest): Promise<Estimated>
  get(id: string): Promise<Batch | null>
  list(query: BatchQuery): Promise<readonly Batch[]>
  results(id: string, after: number, limit: number): Promise<readonly ItemRecord[]>
  /** What is in flight ends, the rest is cancelled. Null: there is no such batch; false: it has ended. */
  cancel(id: string): Promise<boolean | null>
  /** A parked batch, or one that nobody runs, goes on. Null: there is no such batch; false: it has ended. */
  resume(id: string): Promise<boolean | null>
  /** Calls the listener whenever the batch may have changed. Answers what ends it. */
  watch(id: string, listener: () => void): () => void
  /** Goes on with what earlier processes left, and from then on with what others leave. */
  start(): Promise<void>
  /** Begins nothing more, waits for what is in flight, and leaves the rest to whoever comes next. */
  stop(): Promise<void>
}

export interface BatchServiceDeps extends Omit<RunnerDeps, 'onChange' | 'onError' | 'stores'> {
  readonly stores: Stores
  readonly grades: GradeStore
  readonly newId: (prefix: string) => string
  readonly most_items: number
  /** Every lane there is: somebody says that whatever was wrong is mended. */
  readonly resumeLanes: () => void
  /** Whether batches that other processes left are taken over. */
  readonly adopts: boolean
  /** What went wrong behind the scenes, for the log. */
  readonly onTrouble: (trouble: Trouble) => void
}

export interface Trouble {
  readonly batch: string
  readonly item?: string
  readonly error: unknown
}

const BEAT_MS = 15_000
/** After the database refused. */
const AGAIN_MS = 10_000

export function createBatchService(deps: BatchServiceDeps): BatchService {
  return new Batches(deps)
}

class Batches implements BatchService {
  private readonly deps: BatchServiceDeps
  private readonly running = new Map<string, { readonly runner: BatchRunner; readonly ended: Promise<void> }>()
  private readonly sleeping = new Map<string, AbortController>()
  /** Told to go on while they ran: by the end of that run it may have become a word to those that sleep. */
  private readonly told = new Set<string>()
  private readonly watchers = new Map<string, Set<() => void>>()
  private readonly stopping = new AbortController()

  constructor(deps: BatchServiceDeps) {
    this.deps = deps
  }

  private get store() {
    return this.deps.stores.batches
  }

  private get intake() {
    return { ...this.deps, batches: this.store }
  }

  async create(plan: BatchPlan, items: AsyncIterable<Incoming>): Promise<Taken> {
    const taken = await takeBatch(this.intake, plan, items)
    if (taken.ok) await this.goOn(taken.batch.id, null)
    return taken
  }

  estimate(plan: BatchPlan, items: AsyncIterable<Incoming>): Promise<Estimated> {
    return estimateBatch(this.intake, plan, items)
  }

  async regrade(request: RegradeRequest, payer: Payer | null = null): Promise<Taken> {
    return refuseRegrade(request) ?? this.create(planRegrade(request, payer), selectGrades(this.deps.grades, request))
  }

  async estimateRegrade(request: RegradeRequest): Promise<Estimated> {
    return refuseRegrade(request) ?? this.estimate(planRegrade(request, null), selectGrades(this.deps.grades, request))
  }

  async get(id: string): Promise<Batch | null> {
    const record = await this.store.get(id)
    return record === null ? null : this.view(record)
  }

  async list(query: BatchQuery): Promise<readonly Batch[]> {
    return (await this.store.list(query)).map((record) => this.view(record))
  }

  results(id: string, after: number, limit: number): Promise<readonly ItemRecord[]> {
    return this.store.results(id, after, limit)
  }

  /** What is being graded right now is known here alone. */
  private view(record: BatchRecord): Batch {
    const inFlight = Math.min(this.running.get(record.id)?.runner.inFlight ?? 0, record.counts.pending)
    const { pending, running } = record.counts
    return { ...record, counts: { ...record.counts, pending: pending - inFlight, running: running + inFlight } }
  }

  async cancel(id: string): Promise<boolean | null> {
    const record = await this.store.get(id)
    if (record === null) return null
    if (record.status === 'cancelling') return true
    if (!(await this.store.requestCancel(id))) return false
    this.rouse(id)
    const running = this.running.get(id)
    if (running !== undefined) running.runner.cancel()
    else await this.launch(id)
    this.notify(id)
    return true
  }

  async resume(id: string): Promise<boolean | null> {
    const record = await this.store.get(id)
    if (record === null) return null
    if (record.status === 'done' || record.status === 'cancelled') return false
    this.rouse(id)
    if (this.running.has(id)) this.told.add(id)
    if (record.status === 'parked') {
      this.deps.resumeLanes()
      await this.store.resume(id)
    }
    await this.launch(id)
    this.notify(id)
    return true
  }

  watch(id: string, listener: () => void): () => void {
    const listeners = this.watchers.get(id) ?? new Set()
    this.watchers.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.watchers.delete(id)
    }
  }

  async start(): Promise<void> {
    await this.store.discardAbandoned()
    if (this.deps.adopts) await this.adopt()
    void this.beat()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const { runner } of this.running.values()) runner.stop()
    await Promise.all([...this.running.values()].map((one) => one.ended))
  }

  /** Says that this process lives, and takes over from those that do not. */
  private async beat(): Promise<void> {
    const { clock, stores, adopts, onTrouble } = this.deps
    for (;;) {
      await clock.sleep(BEAT_MS, this.stopping.signal).catch(() => undefined)
      if (this.stopping.signal.aborted) return
      try {
        await stores.processes.beat()
        await stores.attempts.markInterrupted()
        for (const id of [...this.sleeping.keys()]) await this.rouseIfTold(id)
        if (adopts) await this.adopt()
      } catch (error) {
        onTrouble({ batch: '', error })
      }
    }
  }

  private async adopt(): Promise<void> {
    for (const id of await this.store.listUnclaimed()) await this.launch(id)
  }

  /** Runs the batch here, if nobody else does. */
  private async launch(id: string): Promise<void> {
    if (this.running.has(id) || this.sleeping.has(id) || this.stopping.signal.aborted) return
    if (!(await this.store.claim(id))) return
    const [record, payer] = await Promise.all([this.store.get(id), this.store.payer(id)])
    if (record === null || this.running.has(id)) return
    if (this.stopping.signal.aborted) return this.store.release(id)
    if (record.status === 'parked') {
      if (record.resumes_at !== null) this.sleepUntil(id, new Date(record.resumes_at))
      return
    }
    const runner = new BatchRunner(
      {
        ...this.deps,
        onChange: () => this.notify(id),
        onError: (error, item) => this.deps.onTrouble({ batch: id, item: item.item_id, error }),
      },
      record,
      payer,
    )
    const ended = this.see(id, runner)
    this.running.set(id, { runner, ended })
  }

  /** Waits for the end of a run and does what it asks for. Never rejects. */
  private async see(id: string, runner: BatchRunner): Promise<void> {
    let again: Date | null = null
    try {
      const end = await runner.run()
      if (end.kind === 'parked') again = end.resumes_at
      // Whoever is told to go on with it may be another process.
      if (end.kind === 'stopped' || (end.kind === 'parked' && again === null)) await this.store.release(id)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      again = new Date(this.deps.clock.now().getTime() + AGAIN_MS)
    }
    this.running.delete(id)
    await this.goOn(id, again)
    this.notify(id)
  }

  /** Somebody may have told it to go on while it was being parked. */
  private async goOn(id: string, again: Date | null): Promise<void> {
    try {
      const isTold = this.told.delete(id)
      if (isTold) await this.store.resume(id)
      const status = (await this.store.get(id))?.status
      const goesOn = status === 'running' && (again === null || isTold)
      if (status === 'cancelling' || goesOn) return await this.launch(id)
      if (again !== null) this.sleepUntil(id, again)
    } catch (error) {
      this.deps.onTrouble({ batch: id, error })
      this.sleepUntil(id, new Date(this.deps.clock.now().getTime() + AGAIN_MS))
    }
  }

  private sleepUntil(id: string, at: Date): void {
    if (this.stopping.signal.aborted) return
    const { clock, onTrouble } = this.deps
    const waking = new AbortController()
    this.sleeping.set(id, waking)
    const signal = AbortSignal.any([waking.signal, this.stopping.signal])
    const wake = async () => {
      await clock.sleep(Math.max(0, at.getTime() - clock.now().getTime()), signal).catch(() => undefined)
      if (this.sleeping.get(id) === waking) this.sleeping.delete(id)
      if (signal.aborted) return
      await this.store.resume(id)
      await this.launch(id)
    }
    wake().catch((error: unknown) => {
      onTrouble({ batch: id, error })
      this.sleepUntil(id, new Date(clock.now().getTime() + AGAIN_MS))
    })
  }

  /** Its time is not waited for any more; `launch` may follow at once. */
  private rouse(id: string): void {
    this.sleeping.get(id)?.abort()
    this.sleeping.delete(id)
  }

  /** Whoever told it to go on, or to stop, may be another process: that one cannot run what this one has. */
  private async rouseIfTold(id: string): Promise<void> {
    const status = (await this.store.get(id))?.status
    if (status === 'parked') return
    this.rouse(id)
    await this.launch(id)
  }

  private notify(id: string): void {
    for (const listener of this.watchers.get(id) ?? []) listener()
  }
}

function refuseRegrade(request: RegradeRequest): IntakeRefusal | null {
  const fault = findRegradeFault(request)
  if (fault === null) return null
  return { ok: false, refusal: { code: 'invalid_request', detail: 'this re-grade makes no sense', errors: [fault] } }
}
