import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isProjectName } from '../access/access.ts'
import type { BatchListener } from '../batches/engine-deps.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { type LoadedRubric, loadConfiguredRubrics } from '../config/rubrics.ts'
import { textSize } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { buildModelJudges } from '../judges/build-judges.ts'
import { createLexicalJudge } from '../judges/lexical/lexical-judge.ts'
import { createIdMaker } from '../ports/id.ts'
import type { Clock, Judge } from '../ports/ports.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import { systemClock } from './clock.ts'
import { openLanes, perJudge } from './lanes.ts'
import type { Shared } from './project.ts'
import { createStorePool } from './store-pool.ts'
import { openWork } from './workers.ts'

export interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock?: Clock
  /** For tests: judges that stand beside, or instead of, the configured ones. */
  readonly judges?: readonly Judge[]
  /** For tests: the folder of rubrics in place of those that come with the product. */
  readonly rubrics?: string
  /** Rubrics that are loaded already: no others are. */
  readonly loaded?: readonly LoadedRubric[]
  /** Whether batches that other processes left are gone on with; true by default. */
  readonly adopts_batches?: boolean
  /** Whether this process works on batches where several share a database; what the configuration says of a service by default. */
  readonly works?: boolean
  /** None by default. The caller that opened it closes it, after the context. */
  readonly tracing?: Tracing
}

/** Trajectories that were read lately. */
const RECENT_CHARS = 6 * 1024 * 1024

/** What all projects share. */
export async function gatherShared(options: ContextOptions, told: Required<BatchListener>): Promise<Shared> {
  const { config, secrets, clock = systemClock, tracing = NO_TRACING } = options
  if (!isProjectName(config.project)) throw new Error(`VERIDICT_PROJECT: "${config.project}" is no name of a project`)
  const loaded = options.loaded ?? loadConfiguredRubrics(config.rubrics, options.rubrics)
  const { judges, unready } = await gatherJudges(options)
  if (!judges.has(config.default_judge) && !unready.has(config.default_judge)) {
    throw new Error(
      `the default judge "${config.default_judge}" is not configured; there are: ${[...judges.keys()].join(', ')}`,
    )
  }
  const pool = await createStorePool(config, secrets)
  const lanes = openLanes(config, judges, clock)
  const adopts = options.adopts_batches ?? true
  return {
    config,
    pool,
    judges,
    unready,
    loaded,
    rubrics: new Map(loaded.map(({ rubric }) => [rubric.name, rubric])),
    lanes,
    work: openWork({
      config,
      adopts,
      works: options.works ?? (!adopts || config.workers.in_service),
      judges: [...judges.keys()],
      laneOf: lanes.of,
      clock,
      onError: (error) => told.onTrouble({ project: '', batch: '', error }),
    }),
    budgetOf: perJudge(),
    recent: new LRUCache<string, Trajectory>({ maxSize: RECENT_CHARS, sizeCalculation: textSize }),
    clock,
    newId: createIdMaker(
      () => clock.now().getTime(),
      () => randomBytes(10),
    ),
    adopts,
    tracing,
    ...told,
  }
}

async function gatherJudges(options: ContextOptions): Promise<Pick<Shared, 'judges' | 'unready'>> {
  const { config, secrets, tracing = NO_TRACING, judges: beside = [] } = options
  const models = await buildModelJudges(config.judges, secrets)
  const all = [createLexicalJudge(), ...models.judges.values(), ...beside]
  const judges = new Map(all.map((judge) => [judge.info.name, tracing.judge(judge)]))
  return { judges, unready: new Map([...models.unready].filter(([name]) => !judges.has(name))) }
}
