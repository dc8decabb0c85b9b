import type { Lane } from '../asking/lane/lane.ts'
import type { BatchService } from '../batches/service.ts'
import { SliceWorker } from '../batches/slice-worker.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Stores } from '../ports/ports.ts'

interface WorkOptions {
  readonly config: Config
  /** False: only for batches that are begun here, by this process alone. */
  readonly adopts: boolean
  readonly works: boolean
  readonly judges: Iterable<string>
  readonly laneOf: (judge: string) => Lane
  readonly clock: Clock
}

/** Opens the part of this process in the work on batches that the processes of a database share. Null on SQLite, where no process shares. */
export function openWork(options: WorkOptions) {
  const { config, adopts, works } = options
  if (config.postgres === null) return null
  let worker: SliceWorker | null = null
  return {
    /** The judges with which this process works on the batches of all processes. */
    judges: new Set(works && adopts ? options.judges : []),
    notifyCapacity: () => worker?.notifyCapacity(),
    notifyWork: () => worker?.notifyWork(),
    /** Begins the work; does nothing where this process does not work. */
    start({ engine }: Pick<BatchService, 'engine'>, { cluster }: Pick<Stores, 'cluster'>): void {
      if (!works || worker !== null) return
      const take = async (judge: string | null, most: number): Promise<number | null> => {
        const free = await engine.free(judge, most)
        return free.length === 0 ? null : await engine.accept(free)
      }
      worker = new SliceWorker({ ...options, load: (judge) => engine.load(judge), take })
      worker.start()
      if (adopts) cluster?.notices.onNotice(() => engine.hear())
    },
    stop: async () => worker?.stop(),
  }
}
