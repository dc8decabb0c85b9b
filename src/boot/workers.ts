import type { Lane } from '../asking/lane/lane.ts'
import { addLoads, NO_LOAD } from '../batches/run/slice-source.ts'
import type { BatchService } from '../batches/service.ts'
import { SliceWorker } from '../batches/slice-worker.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Stores } from '../ports/ports.ts'
import type { WorkNotice } from '../ports/slice-ports.ts'

export type Work = NonNullable<ReturnType<typeof openWork>>

/** What this part needs of a project. */
interface WorkedProject {
  readonly batches: Pick<BatchService, 'engine'>
  readonly stores: Pick<Stores, 'cluster'>
}

interface WorkedProjects {
  readonly main: WorkedProject
  open(name: string): Promise<WorkedProject>
  /** Those that are open. */
  readonly opened: () => Iterable<WorkedProject>
}

interface WorkOptions {
  readonly config: Config
  /** False: only for batches that are begun here, by this process alone. */
  readonly adopts: boolean
  readonly works: boolean
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** This process’s part in the work on batches that processes of one database share. Null where no other process works on it: SQLite. */
export function openWork(options: WorkOptions) {
  const { config, adopts, works, onError } = options
  if (config.postgres === null) return null
  let worker: SliceWorker | null = null
  return {
    /** Those with which it works on the batches of all. */
    judges: new Set(works && adopts ? options.judges : []),
    /** There may be room for more. */
    notifyCapacity: () => worker?.notifyCapacity(),
    /** There may be more to do. */
    notifyWork: () => worker?.notifyWork(),
    /** Works for all projects; does nothing where this process does not work. */
    start(projects: WorkedProjects): void {
      if (!works || worker !== null) return
      worker = new SliceWorker({ ...options, ...dispatcherOf(projects) })
      worker.start()
      if (adopts) projects.main.stores.cluster?.notices.onNotice(hearNotices(projects, onError))
    },
    /** Takes nothing more. */
    stop: async () => worker?.stop(),
  }
}

/** A project that was made elsewhere is opened here by its first notice. */
const hearNotices = ({ open, opened }: WorkedProjects, onError: (error: unknown) => void) => {
  return (notice: WorkNotice | null): void => {
    if (notice === null) for (const { batches } of opened()) batches.engine.hear()
    else open(notice.project).then(({ batches }) => batches.engine.hear(), onError)
  }
}

/** Divides what this process takes among its projects. */
function dispatcherOf({ opened }: WorkedProjects) {
  const engines = () => [...opened()].map(({ batches }) => batches.engine)
  return {
    load(judge: string | null) {
      let sum = NO_LOAD
      for (const engine of engines()) sum = addLoads(sum, engine.load(judge))
      return sum
    },
    async take(judge: string | null, most: number): Promise<number | null> {
      const free = await Promise.all(
        engines().map(async (engine) => (await engine.free(judge, most)).map((slice) => ({ engine, slice }))),
      )
      const first = free
        .flat()
        .sort(({ slice: one }, { slice: other }) => one.rank - other.rank || one.from - other.from)
        .slice(0, most)
      const byEngine = Map.groupBy(first, ({ engine }) => engine)
      const taking = [...byEngine].map(([engine, some]) => engine.accept(some.map(({ slice }) => slice)))
      const taken = (await Promise.all(taking)).reduce((sum, count) => sum + count, 0)
      return first.length === 0 ? null : taken
    },
  }
}
