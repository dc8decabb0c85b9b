import { createSecretKey, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { createAccess, sessionSecret } from '../access/access.ts'
import type { BatchListener } from '../batches/run-chunk.ts'
import { createBatchService } from '../batches/service.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/environment.ts'
import { type LoadedRubric, loadConfiguredRubrics } from '../config/rubrics.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../domain/clock.ts'
import { createIdMaker } from '../domain/digest.ts'
import { type Trajectory, textSize } from '../domain/trajectory/trajectory.ts'
import { lostMs } from '../grading/ask-by-call.ts'
import { createGradingService } from '../grading/grade.ts'
import { openQueues } from '../grading/lane.ts'
import type { Context } from '../http/context.ts'
import { buildModelJudges, describedJudges } from '../judges/build-judges.ts'
import type { Judge } from '../judges/judge.ts'
import { createLexicalJudge } from '../judges/lexical/lexical-judge.ts'
import { readDocument, readStoredRun } from '../offload/large-body.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { openJobs, openLanes, openStores } from './open.ts'

interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  /** For tests: judges that stand beside, or instead of, the configured judges. */
  readonly judges?: readonly Judge[]
  /** Rubrics that are loaded already: no others are. */
  readonly loaded?: readonly LoadedRubric[]
  /** Whether this process goes on with batches of other processes; true by default. */
  readonly adopts_batches?: boolean
  /** Whether no judge is asked: all providers’ judges are there, without a key. */
  readonly estimates?: boolean
  /** Refuses a database that would have to be migrated. */
  readonly keeps?: boolean
  /** Whether this process works on batches of a shared database; the configuration of a service decides by default. */
  readonly works?: boolean
  /** None by default. The caller that opened it closes it, after the context. */
  readonly tracing?: Tracing | null
}

const clock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
}

const DEFAULT_RUBRIC = 'tab-behavior@2'

/** Characters of the runs that are kept in memory: a batch of some hundred runs is graded by the reading of its intake. */
const RECENT_CHARS = 16 * 1024 * 1024

/** Builds the service: the one composition root. Rejects with the reason and the next step; never starts half. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const { config, secrets, tracing = null, adopts_batches: adopts = true } = options
  const loaded = options.loaded ?? loadConfiguredRubrics(config.rubrics)
  const rubrics = new Map(loaded.map(({ rubric }) => [rubric.name, rubric]))
  const models = await buildModelJudges(config.judges, secrets)
  const described = options.estimates ? await describedJudges(config.judges) : []
  const all = [createLexicalJudge(), ...models.judges.values(), ...described, ...(options.judges ?? [])]
  const judges = new Map(all.map((judge) => [judge.info.name, tracing?.judge(judge) ?? judge]))
  const unready = new Map([...models.unready].filter(([name]) => options.estimates || !judges.has(name)))
  const stores = await openStores(config, secrets, options.keeps)
  try {
    await registerRubrics(loaded, stores)
    const newId = createIdMaker(
      () => clock.now().getTime(),
      () => randomBytes(10),
    )
    const listeners = new Set<BatchListener>()
    const news: Required<BatchListener> = {
      onTrouble: (trouble) => listeners.forEach((listener) => void listener.onTrouble?.(trouble)),
      onStatus: (batch) => listeners.forEach((listener) => void listener.onStatus?.(batch)),
      onItem: (outcome) => listeners.forEach((listener) => void listener.onItem?.(outcome)),
    }
    const laneOf = openLanes(config, judges)
    const url = secrets.key(DATABASE_URL)
    const lost_ms = lostMs(config.retry)
    await stores.attempts.markLost(new Date(clock.now().getTime() - lost_ms).toISOString())
    const secret = createSecretKey(await stores.settings.renderingSecret(() => randomBytes(32)))
    const service = createGradingService({
      ...{ stores, judges, unready, rubrics, secret, clock, newId, laneOf },
      default_judge: config.default_judge,
      default_rubric: DEFAULT_RUBRIC,
      read: (document) => readDocument(document, config.limits),
      readStored: (packed) => readStoredRun(packed, config.limits),
      recent: new LRUCache<string, Trajectory>({ maxSize: RECENT_CHARS, sizeCalculation: textSize }),
      retry: config.retry,
      day_cap_usd: config.budget.max_cost_usd_per_day,
      denied_acts: config.evidence.denied_acts,
      random: Math.random,
      async observe(job, work) {
        const outcome = await (tracing === null ? work() : tracing.grade(job, work))
        if (job.item !== null && job.way !== 'stored') news.onItem(outcome)
        return outcome
      },
    })
    const batches = createBatchService({
      ...{ stores, service, judges, clock, newId, laneOf, adopts, lost_ms },
      works: options.works ?? (adopts && config.workers.in_service),
      queueOf: openQueues(laneOf, config.workers.most_in_flight),
      jobs: await openJobs(config, laneOf, clock, stores.run_lock === null ? url : undefined, news.onTrouble),
      poll_ms: config.batches.poll_seconds * 1000,
      most_items: config.batches.most_items,
      onTrouble: news.onTrouble,
      onStatus: news.onStatus,
    })
    const file = config.access.required && config.database !== ':memory:' ? config.database : null
    return {
      ...{ config, judges, unready, rubrics, clock, newId, tracing, stores, service, batches, laneOf },
      default_rubric: DEFAULT_RUBRIC,
      access: createAccess({
        store: stores.access,
        required: config.access.required,
        session_secret: sessionSecret(secret, { url, file }),
        now: () => clock.now(),
      }),
      start: () => batches.start(),
      stop: () => batches.stop(),
      listen: (listener) => void listeners.add(listener),
      close: () => stores.close(),
    }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** Registers the rubrics. Refuses a rubric whose content changed under the same name: old and new grades would look alike. */
async function registerRubrics(rubrics: readonly LoadedRubric[], { settings }: Stores): Promise<void> {
  for (const { rubric, content } of rubrics) {
    const known = await settings.registerRubric(rubric.name, rubric.digest, content)
    if (known === rubric.digest) continue
    throw new Error(
      `rubric ${rubric.name} was changed, but not its version: grades are stored under the old text. ` +
        `Restore it, or copy the folder to a new version and change that.`,
    )
  }
}
