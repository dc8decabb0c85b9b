import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import type { Config } from './config/config.ts'
import { loadRubrics } from './config/load-rubrics.ts'
import type { Secrets } from './config/secrets.ts'
import { digestValue } from './domain/digest.ts'
import { EVIDENCE_VERSION } from './domain/evidence.ts'
import { PROMPT_VERSION } from './domain/prompt.ts'
import { RENDERING_VERSION } from './domain/rendering.ts'
import type { Rubric } from './domain/rubric.ts'
import { READER_VERSION, type Trajectory } from './domain/trajectory.ts'
import { readTrajectory } from './formats/read.ts'
import { createProviderPump } from './grading/batch/provider-pump.ts'
import { type BatchService, createBatchService, type Trouble } from './grading/batch/service.ts'
import { createGradingService } from './grading/grade.ts'
import { createIdMaker } from './grading/id.ts'
import { createLane, type Lane, type LaneSettings } from './grading/lane/lane.ts'
import type { Clock, Judge, Stores } from './grading/ports.ts'
import { createRetryBudget, type RetryBudget } from './grading/retry.ts'
import type { GradingService } from './grading/service.ts'
import { buildModelJudges } from './judges/build-judges.ts'
import { createLexicalJudge } from './judges/lexical-judge.ts'
import { openSqliteStores } from './storage/sqlite.ts'

/** Everything that the edges need, made once by `buildContext`. */
export interface Context {
  readonly config: Config
  /** Digest of all configuration that can change an answer: part of the digest of raw request bytes. */
  readonly answer_config: string
  readonly stores: Stores
  readonly judges: ReadonlyMap<string, Judge>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_rubric: string
  readonly service: GradingService
  readonly batches: BatchService
  /** Hears of what goes wrong where no request waits for it. */
  onTrouble(listener: (trouble: Trouble) => void): void
  readonly clock: Clock
  close(): Promise<void>
}

export interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock?: Clock
  /** For tests: judges that stand beside, or instead of, the configured ones. */
  readonly judges?: readonly Judge[]
  /** The folder of rubrics; those of the project by default. */
  readonly rubrics?: string
  /** Whether batches that other processes left are gone on with; true by default. */
  readonly adopts_batches?: boolean
}

const DEFAULT_RUBRIC = 'tab-behavior@1'
const RUBRICS = fileURLToPath(new URL('../rubrics', import.meta.url))

/** The one composition root. Fails with a message that says what to do; never starts half. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const { config, secrets, clock = systemClock } = options
  const stores = openSqliteStores({ path: config.database })
  try {
    const rubrics = await registerRubrics(stores, clock, options.rubrics ?? RUBRICS)
    const judges = gatherJudges(options, config, secrets)
    if (!judges.has(config.default_judge)) {
      throw new Error(
        `the default judge "${config.default_judge}" is not configured; there are: ${[...judges.keys()].join(', ')}`,
      )
    }
    await stores.attempts.markInterrupted()
    const secret = await stores.secrets.renderingSecret(() => randomBytes(32))
    const newId = createIdMaker(
      () => clock.now().getTime(),
      () => randomBytes(10),
    )
    const lanes = openLanes(config, judges, clock)
    const service = createGradingService({
      stores,
      judges,
      rubrics,
      default_judge: config.default_judge,
      default_rubric: DEFAULT_RUBRIC,
      read: (document) => readTrajectory(document, config.limits),
      recent: recentTrajectories(),
      secret,
      clock,
      retry: config.retry,
      laneOf: lanes.of,
      budgetOf: perJudge(),
      day_cap_usd: config.budget.max_cost_usd_per_day,
      random: Math.random,
      newId,
    })
    const troubles = new Set<(trouble: Trouble) => void>()
    const batches = createBatchService({
      stores,
      grades: stores.grades,
      service,
      judges,
      laneOf: lanes.of,
      resumeLanes: lanes.resume,
      clock,
      pump: createProviderPump({
        queue: stores.provider,
        judges,
        clock,
        newId,
        poll_ms: config.batches.poll_seconds * 1000,
      }),
      newId,
      most_items: config.batches.most_items,
      adopts: options.adopts_batches ?? true,
      onTrouble(trouble) {
        for (const listener of troubles) listener(trouble)
      },
    })
    const answer_config = answerConfig(config.default_judge, judges, rubrics)
    return {
      config,
      answer_config,
      stores,
      judges,
      rubrics,
      default_rubric: DEFAULT_RUBRIC,
      service,
      batches,
      onTrouble: (listener) => void troubles.add(listener),
      clock,
      close: () => stores.close(),
    }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** A rubric whose content changed under the same name would make old and new grades look alike: refused. */
async function registerRubrics(stores: Stores, clock: Clock, folder: string): Promise<Map<string, Rubric>> {
  const rubrics = new Map<string, Rubric>()
  for (const { rubric, content } of loadRubrics(folder)) {
    const known = await stores.rubrics.register(rubric.name, rubric.digest, content, clock.now().toISOString())
    if (known !== rubric.digest) {
      throw new Error(
        `rubric ${rubric.name} was changed, but not its version: grades are stored under the old text. ` +
          `Restore it, or copy the folder to a new version and change that.`,
      )
    }
    rubrics.set(rubric.name, rubric)
  }
  return rubrics
}

function gatherJudges(options: ContextOptions, config: Config, secrets: Secrets): Map<string, Judge> {
  const judges = new Map<string, Judge>([['lexical', createLexicalJudge()]])
  for (const [name, judge] of buildModelJudges(config.judges, secrets)) judges.set(name, judge)
  for (const judge of options.judges ?? []) judges.set(judge.info.name, judge)
  return judges
}

/** Grading without a model is work of this process; more at once share the commits of the store. */
const LEXICAL_LANE: LaneSettings = { initial: 32, min: 1, max: 32 }

function openLanes(config: Config, judges: ReadonlyMap<string, Judge>, clock: Clock) {
  const lanes = new Map<string, Lane>()
  for (const [name, judge] of judges) {
    const own = config.judges[name]?.concurrency ?? config.concurrency
    lanes.set(name, createLane(judge.info.kind === 'lexical' ? LEXICAL_LANE : own, clock))
  }
  // A judge that is no longer configured is refused before anybody asks for its lane’s turn.
  const unknown = createLane(LEXICAL_LANE, clock)
  return {
    of: (judge: string): Lane => lanes.get(judge) ?? unknown,
    resume() {
      for (const lane of lanes.values()) lane.resume()
    },
  }
}

const RECENT_CHARS = 16 * 1024 * 1024

const recentTrajectories = () =>
  new LRUCache<string, Trajectory>({
    maxSize: RECENT_CHARS,
    sizeCalculation: ({ steps }) =>
      steps.reduce((sum, { parts }) => parts.reduce((chars, { text }) => chars + text.length, sum + 200), 1000),
  })

function perJudge(): (judge: string) => RetryBudget {
  const budgets = new Map<string, RetryBudget>()
  return (judge) => {
    const budget = budgets.get(judge) ?? createRetryBudget()
    budgets.set(judge, budget)
    return budget
  }
}

function answerConfig(
  defaultJudge: string,
  judges: ReadonlyMap<string, Judge>,
  rubrics: ReadonlyMap<string, Rubric>,
): string {
  return digestValue({
    default_judge: defaultJudge,
    default_rubric: DEFAULT_RUBRIC,
    judges: [...judges].map(([name, judge]) => [name, judge.info.identity]),
    rubrics: [...rubrics].map(([name, rubric]) => [name, rubric.digest]),
    versions: [PROMPT_VERSION, RENDERING_VERSION, EVIDENCE_VERSION, READER_VERSION],
  })
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
}
