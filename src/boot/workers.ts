import type { Lane } from '../asking/lane/lane.ts'
import type { ClusterEngine } from '../batches/cluster-engine.ts'
import { addLoads, NO_LOAD } from '../batches/shared/slice-source.ts'
import type { SliceWorker } from '../batches/shared/slice-worker.ts'
import type { Config } from '../config/config.ts'
import { DATABASE_URL } from '../config/postgres-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Clock } from '../ports/ports.ts'
import type { SliceJob, SliceQueue } from '../ports/slice-ports.ts'

/** The work on batches that processes of one database share, and this process’s part in it. */
export interface Work {
  readonly queue: SliceQueue
  readonly lease_s: number
  /** There may be room for more. */
  notifyCapacity(): void
  /** There may be more to do. */
  notifyWork(): void
  /** Works for all projects; does nothing where this process does not work. */
  start(projects: WorkedProjects): void
  /** Fetches nothing more. */
  stop(): Promise<void>
  close(): Promise<void>
}

/** What this part needs of a project. */
interface WorkedProject {
  readonly name: string
  readonly shared: ClusterEngine | null
}

interface WorkedProjects {
  open(name: string): Promise<WorkedProject>
  /** Those that are open. */
  readonly opened: () => Iterable<WorkedProject>
}

interface WorkOptions {
  readonly config: Config
  readonly secrets: Secrets
  /** False: only for batches that are begun here, with nobody’s help. */
  readonly adopts: boolean
  readonly works: boolean
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  readonly clock: Clock
  /** What the queue is watched by. */
  readonly watched: (queue: SliceQueue) => SliceQueue
  readonly onError: (error: unknown) => void
}

/** Null where nobody else works on the database: SQLite. */
export async function openWork(options: WorkOptions): Promise<Work | null> {
  const { config, secrets, adopts, works } = options
  const url = secrets.key(DATABASE_URL)
  if (config.postgres === null || url === undefined) return null
  const [{ createJobQueue }, { createMemoryQueue }, slices] = await Promise.all([
    import('../queue/job-queue.ts'),
    import('../batches/shared/memory-queue.ts'),
    import('../batches/shared/slice-worker.ts'),
  ])
  const { lease_seconds } = config.workers
  const { connect_timeout_ms, statement_timeout_ms } = config.postgres
  const { onError } = options
  const jobs = () =>
    createJobQueue({ url, connect_timeout_ms, statement_timeout_ms, silence_s: lease_seconds, onError })
  const queue = options.watched(adopts ? jobs() : createMemoryQueue())
  let worker: SliceWorker | null = null
  return {
    queue,
    lease_s: lease_seconds,
    notifyCapacity: () => worker?.notifyCapacity(),
    notifyWork: () => worker?.notifyWork(),
    start(projects) {
      if (!works || worker !== null) return
      worker = new slices.SliceWorker({
        ...options,
        queue,
        onTrouble: onError,
        ...dispatcherOf(projects, { ...options, queue }),
      })
      worker.start()
    },
    stop: async () => worker?.stop(),
    close: () => queue.close(),
  }
}

/** A project that could not be opened is tried again after that. */
const UNUSABLE_MS = 15_000

/** Deals work to its projects. */
function dispatcherOf(
  { open, opened }: WorkedProjects,
  { queue, clock, onError }: Pick<WorkOptions, 'clock' | 'onError'> & { readonly queue: SliceQueue },
) {
  /** Until when nothing is fetched for projects that cannot be opened here; milliseconds since the epoch. */
  const unusable = new Map<string, number>()
  const now = () => clock.now().getTime()
  return {
    resting(): string[] {
      for (const [name, until] of unusable) if (until <= now()) unusable.delete(name)
      return [...unusable.keys(), ...[...opened()].filter(({ shared }) => shared?.isResting).map(({ name }) => name)]
    },
    load(judge: string | null) {
      let sum = NO_LOAD
      for (const { shared } of opened()) sum = addLoads(sum, shared?.load(judge) ?? NO_LOAD)
      return sum
    },
    async deliver(jobs: readonly SliceJob[]) {
      const byProject = Map.groupBy(jobs, ({ project }) => project)
      await Promise.all(
        [...byProject].map(async ([name, some]) => {
          const project = await open(name).catch(onError)
          if (project?.shared != null) return project.shared.accept(some)
          // It cannot be opened here: another process that can open it gets it at once.
          unusable.set(name, now() + UNUSABLE_MS)
          await queue.giveBack(some)
        }),
      )
    },
  }
}
