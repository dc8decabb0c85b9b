import { createLocalJobs, type Jobs } from '../batches/jobs.ts'
import type { BatchListener } from '../batches/run-chunk.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import { CHUNK_ITEMS } from '../db/batches.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../domain/clock.ts'
import { ITEMS_PER_CALL, Lane, type LaneSettings } from '../grading/lane.ts'
import type { Judge } from '../judges/judge.ts'

/** Grading without a model is work of this process; more at once share the commits of the store. */
const LEXICAL_LANE: LaneSettings = { initial: 32, min: 1, max: 32 }

/** Calls of a judge for whose turns a process asks a PostgreSQL at once: the first waits for the row of the judge, the second has a connection ready. */
const MOST_ASKING = 2

export function openLanes(config: Config, judges: ReadonlyMap<string, Judge>): (judge: string) => Lane {
  const asking = config.postgres === null ? Number.POSITIVE_INFINITY : MOST_ASKING
  const settingsOf = ({ info: { kind, name } }: Judge) =>
    kind === 'lexical' ? LEXICAL_LANE : (config.judges[name]?.concurrency ?? config.concurrency)
  const lanes = new Map([...judges].map(([name, judge]) => [name, new Lane(settingsOf(judge), asking)]))
  // A judge that is no longer configured is refused before its lane is asked for a turn.
  const unknown = new Lane(LEXICAL_LANE)
  return (judge) => lanes.get(judge) ?? unknown
}

/** Chunks of a worker that may wait for calls of dead processes. */
const WAITING_CHUNKS = 1

/** Opens the jobs of this process, or those of all processes of the PostgreSQL at `url`. */
export async function openJobs(
  { workers: { most_in_flight } }: Config,
  laneOf: (judge: string) => Lane,
  clock: Clock,
  url: string | undefined,
  onTrouble: Required<BatchListener>['onTrouble'],
): Promise<Jobs> {
  const chunksAtOnce = (judge: string): number => {
    const most = Math.min(laneOf(judge).settings.max, most_in_flight ?? Number.POSITIVE_INFINITY)
    return Math.max(1, Math.ceil((most * ITEMS_PER_CALL) / CHUNK_ITEMS))
  }
  if (url === undefined) return createLocalJobs(chunksAtOnce, clock)
  const { createBossJobs } = await import('../batches/boss.ts')
  return createBossJobs({
    url,
    chunksAtOnce: (judge) => chunksAtOnce(judge) + WAITING_CHUNKS,
    onError: (error) => onTrouble({ batch: '', error }),
  })
}

/** Opens, makes or migrates the configured database. Rejects with a StorageError; with `keeps` also where a migration is due. */
export async function openStores({ database, postgres }: Config, secrets: Secrets, keeps = false): Promise<Stores> {
  // The modules of the databases load with the first use.
  const { openPostgresStores, openSqliteStores } = await import('../db/stores.ts')
  const url = secrets.key(DATABASE_URL)
  if (postgres === null || url === undefined) return openSqliteStores({ path: database, keeps })
  const { shown: _, ...settings } = postgres
  return openPostgresStores({ url, ...settings, keeps })
}
