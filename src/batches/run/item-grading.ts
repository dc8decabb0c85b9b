import { isTransient } from '../../asking/retry.ts'
import type { GradingJob } from '../../grading/service.ts'
import type { ItemRef, OpenItem } from '../../ports/batch-ports.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import type { Failure } from '../../schemas/grade.ts'
import type { Patience, Run, RunnerDeps, RunOutcome } from './run.ts'

/** Grades the items of one run, each under its lease. */
export class ItemGrading {
  private readonly deps: RunnerDeps
  private readonly given: Run
  private readonly patience: Patience
  private readonly leaving: AbortSignal
  private readonly signals = new WeakMap<Lease, AbortSignal>()

  constructor(deps: RunnerDeps, given: Run, patience: Patience, leaving: AbortSignal) {
    this.deps = deps
    this.given = given
    this.patience = patience
    this.leaving = leaving
  }

  /** Rejects where the store refuses. */
  async grade(item: OpenItem): Promise<RunOutcome> {
    try {
      const request = { ...item.request, trajectory: { id: item.trajectory } }
      return await this.deps.service.gradeItem(request, this.jobFor(item))
    } catch (error) {
      if ((error as { name?: unknown } | null)?.name === 'StorageError') throw error
      this.deps.onError(error, item)
      return { kind: 'broken' }
    }
  }

  refOf(item: OpenItem): ItemRef {
    const { token } = this.given.source.leaseOf(item)
    return { batch: this.given.batch.id, index: item.index, ...(token !== '' && { lease: token }) }
  }

  private jobFor(item: OpenItem): GradingJob {
    const { batch, payer } = this.given
    const signal = this.signalFor(this.given.source.leaseOf(item))
    const common = {
      item: this.refOf(item),
      payer,
      signal,
      cap_usd: batch.max_cost_usd,
      isPassing: (failure: Failure) => this.isPassing(item, failure, signal),
    }
    if (batch.kind === 'recheck') return { ...common, way: 'stored', grade_id: item.base_grade ?? '' }
    return { ...common, way: batch.mode === 'provider' ? 'provider' : 'call' }
  }

  /** One signal for all items of a lease: a lane keeps waiting calls by their signal. */
  private signalFor(lease: Lease): AbortSignal {
    const signal = this.signals.get(lease) ?? AbortSignal.any([this.leaving, lease.lost])
    this.signals.set(lease, signal)
    return signal
  }

  /** Whether the item may yet succeed: then the failure is no grade, and the item runs again. */
  private isPassing(item: OpenItem, failure: Failure, signal: AbortSignal): boolean {
    const isProvider = this.given.batch.mode === 'provider'
    if (failure.code === 'quota_exhausted' || failure.code === 'authentication') return !isProvider
    if (failure.code === 'cancelled') return signal.aborted
    // Money that other calls reserved and do not use comes back.
    if (failure.code === 'budget_exceeded') return failure.retryable
    // A provider’s batch has made its retries in rounds.
    if (!isTransient(failure) || isProvider) return false
    const lane = this.deps.laneOf(item.request.judge ?? '').state()
    return lane.kind === 'out' || this.patience.hasMore(item.index, failure)
  }
}
