import type { BatchStore } from '../ports/batch-ports.ts'
import type { Lease, LeaseStore } from '../ports/lease-ports.ts'
import type { Clock } from '../ports/ports.ts'
import type { Planner } from './planner.ts'

interface SupervisorDeps {
  readonly batches: BatchStore
  readonly leases: LeaseStore
  readonly planner: Planner
  readonly clock: Clock
  readonly every_ms: number
  /** What there is to look after. */
  readonly ids: () => Promise<readonly string[]>
  /** Nobody else looks after it. */
  readonly isAlone: boolean
  readonly notify: (id: string) => void
  readonly onTrouble: (trouble: { batch: string; error: unknown }) => void
}

/** Makes sure that every batch that should run is worked on, and wakes those that sleep: one process of a project at a time. */
export class Supervisor {
  private readonly deps: SupervisorDeps
  private lease: Lease | null = null
  private hasFailed = false
  /** It could not do its work: another may be able to. */
  private isUnfit = false

  constructor(deps: SupervisorDeps) {
    this.deps = deps
  }

  /** Until the signal; never rejects. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = await this.lookAgain()
      if (this.isUnfit) await this.leave(signal)
      await this.deps.clock.sleep(next, signal).catch(() => undefined)
    }
    if (this.lease !== null) await this.deps.leases.release(this.lease)
  }

  /** For long enough that another process gets it. */
  private async leave(signal: AbortSignal): Promise<void> {
    const { clock, every_ms, isAlone, leases } = this.deps
    this.isUnfit = false
    if (isAlone || this.lease === null) return
    await leases.release(this.lease)
    this.lease = null
    await clock.sleep(every_ms, signal).catch(() => undefined)
  }

  private async lookAgain(): Promise<number> {
    try {
      const next = await this.look()
      this.hasFailed = false
      return next
    } catch (error) {
      // Once, for as long as it lasts.
      if (!this.hasFailed) this.deps.onTrouble({ batch: '', error })
      this.hasFailed = true
      this.isUnfit = true
      return this.deps.every_ms
    }
  }

  /** Answers when to look again, in milliseconds. */
  private async look(): Promise<number> {
    const { ids, isAlone, leases, clock, every_ms } = this.deps
    if (!isAlone && this.lease?.lost.aborted !== false) this.lease = await leases.take('supervisor')
    if (!isAlone && this.lease === null) return every_ms
    let next = every_ms
    for (const id of await ids()) next = Math.min(next, await this.see(id, clock.now().getTime()))
    return Math.max(0, next)
  }

  private async see(id: string, now: number): Promise<number> {
    const { batches, planner, every_ms, notify, onTrouble } = this.deps
    try {
      const record = await batches.get(id)
      if (record === null) return every_ms
      if (record.status === 'running' || record.status === 'cancelling') await planner.mend(record)
      if (record.status !== 'parked') return every_ms
      const sleeps = record.resumes_at === null ? every_ms : new Date(record.resumes_at).getTime() - now
      if (sleeps > 0) return Math.max(sleeps, 1)
      if (await batches.resume(id)) await planner.plan({ ...record, status: 'running' })
      notify(id)
    } catch (error) {
      // Its trouble is not that of the others.
      this.isUnfit = true
      onTrouble({ batch: id, error })
    }
    return every_ms
  }
}
