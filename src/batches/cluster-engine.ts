import type { BatchRecord } from '../ports/batch-ports.ts'
import type { Cluster } from '../ports/cluster.ts'
import { leasePrefix, type SliceJob, type SliceQueue } from '../ports/slice-ports.ts'
import type { BatchEngine, EngineDeps } from './engine.ts'
import { Planner } from './planner.ts'
import type { Load } from './shared/slice-source.ts'
import { SliceRuns } from './slice-runs.ts'
import { Supervisor } from './supervisor.ts'

/** What it takes to share batches with other processes. */
interface ClusterSettings {
  readonly project: string
  readonly cluster: Cluster
  readonly queue: SliceQueue
  readonly lease_s: number
  /** The trace that a batch is planned in, if there is one. */
  readonly traceparent: () => string | undefined
  /** There is room for more work. */
  readonly onCapacity: () => void
  /** There is more work. */
  readonly onWork: () => void
}

const LONGEST_LOOK_MS = 10_000
/** By then a process that fetched work has taken its lease. */
const OLD_S = 5

/** Batches are cut into slices, and each is run by whichever process holds its lease. */
export class ClusterEngine implements BatchEngine {
  readonly isShared = true
  private readonly deps: EngineDeps
  private readonly settings: ClusterSettings
  private readonly planner: Planner
  private readonly runs: SliceRuns
  private readonly supervisor: Supervisor
  /** Where this process runs nothing of others: its own, which others leave alone. */
  private readonly own = new Set<string>()
  private readonly stopping = new AbortController()
  private keeping: Promise<void> | null = null

  constructor(deps: EngineDeps, settings: ClusterSettings) {
    this.deps = deps
    this.settings = settings
    const common = { ...deps, ...settings, ...settings.cluster, batches: deps.stores.batches }
    this.planner = new Planner({ ...common, old_s: Math.min(settings.lease_s, OLD_S) })
    this.runs = new SliceRuns({ ...common, planner: this.planner })
    const every_ms = Math.min(LONGEST_LOOK_MS, (settings.lease_s * 1000) / 3)
    this.supervisor = new Supervisor({
      ...common,
      planner: this.planner,
      every_ms,
      isAlone: !deps.adopts,
      ids: async () => (deps.adopts ? deps.stores.batches.listUnclaimed() : [...this.own]),
    })
  }

  /** Work that was fetched. Never rejects. */
  accept(jobs: readonly SliceJob[]): Promise<void> {
    return this.runs.accept(jobs)
  }

  /** Nothing is to be fetched for it now. */
  get isResting(): boolean {
    return this.runs.isResting
  }

  /** What this process holds of a judge; of providers’ batches with null. */
  load(judge: string | null): Load {
    return this.runs.load(judge)
  }

  /** What cannot be planned now is planned by the supervisor. */
  async begin(id: string): Promise<void> {
    const { stores, onTrouble } = this.deps
    try {
      const record = (await this.isOurs(id)) ? await stores.batches.get(id) : null
      if (record?.status !== 'running' && record?.status !== 'cancelling') return
      await this.planner.plan(record)
      this.settings.onWork()
    } catch (error) {
      onTrouble({ batch: id, error })
    }
  }

  async cancel(id: string): Promise<void> {
    if (this.runs.cancel(id)) return
    const record = await this.deps.stores.batches.get(id)
    if (record?.mode === 'provider') return this.begin(id)
    await this.planner.endCancel(id)
  }

  async resume({ id, status }: BatchRecord): Promise<void> {
    if (status === 'parked') {
      this.deps.resumeLanes()
      await this.deps.stores.batches.resume(id)
    }
    await this.begin(id)
  }

  async inFlight({ id, mode, status }: BatchRecord): Promise<number> {
    if (status !== 'running' && status !== 'cancelling') return 0
    return this.settings.cluster.leases.inFlight(leasePrefix(id, mode))
  }

  async start(): Promise<void> {
    this.keeping ??= this.supervisor.keep(this.stopping.signal)
  }

  /** The supervisor does, and more often. */
  async look(): Promise<void> {}

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.runs.stop()
    await this.keeping
  }

  /** Whether no process has the batch for itself; one that runs nothing of others takes it for itself. */
  private async isOurs(id: string): Promise<boolean> {
    const { adopts, stores } = this.deps
    if (adopts) return (await stores.batches.listUnclaimed()).includes(id)
    if (await stores.batches.claim(id)) this.own.add(id)
    return this.own.has(id)
  }
}
