import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { sessionSecret } from '../access/session-secret.ts'
import { createAccess } from '../access/stored-access.ts'
import type { BatchListener } from '../batches/engine.ts'
import { type Jobs, LocalJobs } from '../batches/jobs.ts'
import { openPlaces } from '../batches/run-chunk.ts'
import { BatchService } from '../batches/service.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { type LoadedRubric, loadConfiguredRubrics } from '../config/rubrics.ts'
import { DATABASE_URL } from '../config/settings.ts'
import { CHUNK_ITEMS } from '../db/items.ts'
import type { Stores } from '../db/stores.ts'
import { textSize } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { createGradingService } from '../grading/grade.ts'
import { Lane, type LaneSettings } from '../grading/lane.ts'
import { createRetryBudget, lostMs, type RetryBudget } from '../grading/retry.ts'
import type { GradingService } from '../grading/service.ts'
import type { Context } from '../http/context.ts'
import { buildModelJudges } from '../judges/build-judges.ts'
import { createLexicalJudge } from '../judges/lexical/lexical-judge.ts'
import { readDocument, readStoredRun } from '../offload/large-body.ts'
import type { Clock } from '../ports/clock.ts'
import { createIdMaker } from '../ports/id.ts'
import type { Judge } from '../ports/judge.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import { answerConfig, DEFAULT_RUBRIC } from './answer-config.ts'
import { systemClock } from './clock.ts'
import { storeOf } from './open-store.ts'

export interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock?: Clock
  /** For tests: judges that stand beside, or instead of, the configured judges. */
  readonly judges?: readonly Judge[]
  /** For tests: the folder of rubrics in place of the shipped rubrics. */
  readonly rubrics?: string
  /** Rubrics that are loaded already: no others are. */
  readonly loaded?: readonly LoadedRubric[]
  /** Whether this process goes on with batches of other processes; true by default. */
  readonly adopts_batches?: boolean
  /** Whether this process works on batches of a shared database; the configuration of a service decides by default. */
  readonly works?: boolean
  /** None by default. The caller that opened it closes it, after the context. */
  readonly tracing?: Tracing
}

/** Characters of the runs that are kept in memory. */
const RECENT_CHARS = 6 * 1024 * 1024

/** Builds the service: the one composition root. Rejects with the reason and the next step; never starts half. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const parts = await gatherParts(options)
  const stores = await storeOf(options.config, options.secrets).open()
  try {
    return await compose(parts, stores)
  } catch (error) {
    await stores.close()
    throw error
  }
}

type Parts = Awaited<ReturnType<typeof gatherParts>>

/** Gathers the parts of the service that need no database. */
async function gatherParts(options: ContextOptions) {
  const { config, clock = systemClock, tracing = NO_TRACING, adopts_batches: adopts = true } = options
  const listeners = new Set<BatchListener>()
  const news: Required<BatchListener> = {
    onTrouble: (trouble) => listeners.forEach((one) => void one.onTrouble?.(trouble)),
    onStatus: (batch) => listeners.forEach((one) => void one.onStatus?.(batch)),
    onItem: (outcome) => listeners.forEach((one) => void one.onItem?.(outcome)),
  }
  const loaded = options.loaded ?? loadConfiguredRubrics(config.rubrics, options.rubrics)
  const { judges, unready } = await gatherJudges(options, tracing)
  const laneOf = openLanes(config, judges)
  const works = options.works ?? (adopts && config.workers.in_service)
  const newId = createIdMaker(
    () => clock.now().getTime(),
    () => randomBytes(10),
  )
  const rubrics = new Map(loaded.map(({ rubric }) => [rubric.name, rubric]))
  const database = {
    url: options.secrets.key(DATABASE_URL),
    file: config.access.required && config.database !== ':memory:' ? config.database : null,
  }
  return {
    ...{ config, clock, tracing, adopts, listeners, news, loaded, rubrics, judges, unready, laneOf, works, newId },
    database,
    url: database.url,
  }
}

async function gatherJudges({ config, secrets, judges: beside = [] }: ContextOptions, tracing: Tracing) {
  const models = await buildModelJudges(config.judges, secrets)
  const all = [createLexicalJudge(), ...models.judges.values(), ...beside]
  const judges: ReadonlyMap<string, Judge> = new Map(all.map((judge) => [judge.info.name, tracing.judge(judge)]))
  const unready: ReadonlyMap<string, string> = new Map([...models.unready].filter(([name]) => !judges.has(name)))
  return { judges, unready }
}

async function compose(parts: Parts, stores: Context['stores']): Promise<Context> {
  const { config, judges, unready, rubrics, clock, laneOf, newId, tracing, listeners } = parts
  await registerRubrics(parts, stores)
  await stores.attempts.markLost(lostBefore(parts))
  const secret = await stores.settings.renderingSecret(() => randomBytes(32))
  const service = createService(parts, stores, secret)
  const batches = await createBatches(parts, stores, service)
  return {
    ...{ config, judges, unready, rubrics, clock, newId, tracing, stores, service, batches },
    answer_config: answerConfig(config, judges, rubrics),
    default_rubric: DEFAULT_RUBRIC,
    access: createAccess({
      store: stores.access,
      required: config.access.required,
      session_secret: sessionSecret(secret, parts.database),
      now: () => clock.now(),
    }),
    start: () => batches.start(),
    stop: () => batches.stop(),
    listen: (listener) => void listeners.add(listener),
    laneOf,
    close: () => stores.close(),
  }
}

/** A rubric whose content changed under the same name would make old and new grades look alike: refused. */
async function registerRubrics({ loaded }: Parts, stores: Stores): Promise<void> {
  for (const { rubric, content } of loaded) {
    const known = await stores.settings.registerRubric(rubric.name, rubric.digest, content)
    if (known === rubric.digest) continue
    throw new Error(
      `rubric ${rubric.name} was changed, but not its version: grades are stored under the old text. ` +
        `Restore it, or copy the folder to a new version and change that.`,
    )
  }
}

function createService(parts: Parts, stores: Stores, secret: Uint8Array): GradingService {
  const { config, judges, unready, rubrics, clock, newId, laneOf, news } = parts
  const service = createGradingService({
    ...{ stores, judges, unready, rubrics, secret, clock, newId },
    default_judge: config.default_judge,
    default_rubric: DEFAULT_RUBRIC,
    read: (document) => readDocument(document, config.limits),
    readStored: (packed) => readStoredRun(packed, config.limits),
    recent: new LRUCache<string, Trajectory>({ maxSize: RECENT_CHARS, sizeCalculation: textSize }),
    retry: config.retry,
    laneOf,
    budgetOf: perJudge(),
    day_cap_usd: config.budget.max_cost_usd_per_day,
    denied_acts: config.evidence.denied_acts,
    random: Math.random,
  })
  return parts.tracing.service({
    ...service,
    async gradeItem(request, job) {
      const outcome = await service.gradeItem(request, job)
      if (job.way !== 'stored') news.onItem(outcome)
      return outcome
    },
  })
}

async function createBatches(parts: Parts, stores: Stores, service: GradingService): Promise<BatchService> {
  const { config, judges, clock, newId, laneOf, adopts, works, news } = parts
  return new BatchService({
    ...{ stores, service, judges, clock, newId, adopts, works, laneOf },
    placeOf: openPlaces(config.workers.most_in_flight),
    jobs: await jobsOf(parts, stores),
    poll_ms: config.batches.poll_seconds * 1000,
    lost_ms: lostMs(config.retry),
    most_items: config.batches.most_items,
    onTrouble: news.onTrouble,
    onStatus: news.onStatus,
  })
}

/** Opens the jobs of this process on SQLite, and those of all processes on PostgreSQL. */
async function jobsOf({ config, clock, laneOf, news, url }: Parts, stores: Stores): Promise<Jobs> {
  const { most_in_flight } = config.workers
  const chunksAtOnce = (judge: string): number => {
    const most = Math.min(laneOf(judge).settings.max, most_in_flight ?? Number.POSITIVE_INFINITY)
    return Math.max(1, Math.ceil((most * ITEMS_PER_CALL) / CHUNK_ITEMS))
  }
  if (stores.run_lock !== null || url === undefined) return new LocalJobs(chunksAtOnce, clock)
  const { BossJobs } = await import('../batches/boss.ts')
  return new BossJobs({
    url,
    chunksAtOnce: (judge) => chunksAtOnce(judge) + WAITING_CHUNKS,
    onError: (error) => news.onTrouble({ batch: '', error }),
  })
}

/** Chunks of a worker that may wait for calls of dead processes. */
const WAITING_CHUNKS = 1
/** Items in work for each call in flight: the others are stored, read or repaired meanwhile. */
const ITEMS_PER_CALL = 1.5

const lostBefore = ({ clock, config }: Parts): string =>
  new Date(clock.now().getTime() - lostMs(config.retry)).toISOString()

/** Grading without a model is work of this process; more at once share the commits of the store. */
const LEXICAL_LANE: LaneSettings = { initial: 32, min: 1, max: 32 }

/** Calls of a judge for whose turns a process asks a PostgreSQL at once: the first waits for the row of the judge, the second has a connection ready. */
const MOST_ASKING = 2

/** Opens a lane for each judge. */
function openLanes(config: Config, judges: ReadonlyMap<string, Judge>): (judge: string) => Lane {
  const lanes = new Map<string, Lane>()
  const asking = config.postgres === null ? Number.POSITIVE_INFINITY : MOST_ASKING
  for (const [name, { info }] of judges)
    lanes.set(
      name,
      new Lane(
        info.kind === 'lexical' ? LEXICAL_LANE : (config.judges[name]?.concurrency ?? config.concurrency),
        asking,
      ),
    )
  // A judge that is no longer configured is refused before its lane is asked for a turn.
  const unknown = new Lane(LEXICAL_LANE)
  return (judge) => lanes.get(judge) ?? unknown
}

/** Opens a budget of retries for each judge when it is first asked for. */
function perJudge(): (judge: string) => RetryBudget {
  const budgets = new Map<string, RetryBudget>()
  return (judge) => {
    const budget = budgets.get(judge) ?? createRetryBudget()
    budgets.set(judge, budget)
    return budget
  }
}
