import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import { type Access, isProjectName } from './access/access.ts'
import { createAccess } from './access/stored-access.ts'
import type { Config } from './config/config.ts'
import { loadRubrics } from './config/load-rubrics.ts'
import type { Secrets } from './config/secrets.ts'
import { digestValue } from './domain/digest.ts'
import { EVIDENCE_VERSION } from './domain/evidence.ts'
import { PROMPT_VERSION } from './domain/prompt.ts'
import { RENDERING_VERSION } from './domain/rendering.ts'
import type { Rubric } from './domain/rubric.ts'
import { type Part, READER_VERSION, type Trajectory } from './domain/trajectory.ts'
import type { Trouble } from './grading/batch/service.ts'
import type { SharedLimits } from './grading/cluster/shared-limits.ts'
import { createIdMaker } from './grading/id.ts'
import { createLane, type Lane, type LaneSettings } from './grading/lane/lane.ts'
import type { Clock, Judge } from './grading/ports.ts'
import { createRetryBudget, type RetryBudget } from './grading/retry.ts'
import { buildModelJudges } from './judges/build-judges.ts'
import { createLexicalJudge } from './judges/lexical-judge.ts'
import type { Project, Shared } from './project.ts'
import { openProjects } from './projects.ts'
import { createStoreRoom } from './store-room.ts'
import { createMeter, type Meter } from './telemetry/meter.ts'
import { NO_TRACING, type Tracing } from './telemetry/tracing.ts'
import { openWork } from './work.ts'

/** Everything that the edges need, made once by `buildContext`. What belongs to somebody is in his project. */
export interface Context {
  readonly config: Config
  /** Digest of all configuration that can change an answer: part of the digest of raw request bytes. */
  readonly answer_config: string
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with the variable that does not hold their key. */
  readonly unkeyed: ReadonlyMap<string, string>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_rubric: string
  readonly access: Access
  /** The default project, which is in the main database. */
  readonly main: Project
  /** Opened when it is first asked for, and made where there is none. Rejects with a StorageError where it cannot be. */
  project(name: string): Promise<Project>
  /** How many projects could not be opened when it was last tried. */
  unusableProjects(): number
  /** Goes on with the batches that earlier processes left, in every project. */
  start(): Promise<void>
  /** Batches begin nothing more; resolves once nothing of theirs is in flight. */
  stop(): Promise<void>
  /** Hears of what goes wrong where no request waits for it. */
  onTrouble(listener: (trouble: ProjectTrouble) => void): void
  readonly clock: Clock
  readonly tracing: Tracing
  readonly meter: Meter
  /** How a judge is called by this process. */
  laneOf(judge: string): Lane
  /** The projects that are open in this process. */
  openProjects(): Promise<readonly Project[]>
  close(): Promise<void>
}

export type ProjectTrouble = Trouble & { readonly project: string }

interface ContextOptions {
  readonly config: Config
  readonly secrets: Secrets
  readonly clock?: Clock
  /** For tests: judges that stand beside, or instead of, the configured ones. */
  readonly judges?: readonly Judge[]
  /** The folder of rubrics; those of the project by default. */
  readonly rubrics?: string
  /** Whether batches that other processes left are gone on with; true by default. */
  readonly adopts_batches?: boolean
  /** Whether this process works on batches where several share a database; what the configuration says of a service by default. */
  readonly works?: boolean
  /** None by default. Whoever opened it closes it, after the context. */
  readonly tracing?: Tracing
}

const DEFAULT_RUBRIC = 'tab-behavior@2'
const RUBRICS = fileURLToPath(new URL('../rubrics', import.meta.url))

/** The one composition root. Fails with a message that says what to do; never starts half. */
export async function buildContext(options: ContextOptions): Promise<Context> {
  const { config, clock = systemClock } = options
  const troubles = new Set<(trouble: ProjectTrouble) => void>()
  const shared = await gatherShared(options, (trouble) => {
    for (const listener of troubles) listener(trouble)
  })
  const { judges, unkeyed, rubrics } = shared
  const projects = await openProjects(shared).catch(async (error: unknown) => {
    await shared.room.close()
    throw error
  })
  return {
    config,
    answer_config: answerConfig(config, judges, rubrics),
    judges,
    unkeyed,
    rubrics,
    default_rubric: DEFAULT_RUBRIC,
    access: createAccess({
      store: projects.main.stores.access,
      required: config.access.required,
      project: config.project,
      now: () => clock.now(),
    }),
    main: projects.main,
    project: (name) => projects.open(name),
    unusableProjects: () => projects.unusable(),
    start: () => projects.start(),
    stop: () => projects.stop(),
    onTrouble: (listener) => void troubles.add(listener),
    clock,
    tracing: shared.tracing,
    meter: shared.meter,
    laneOf: shared.lanes.of,
    openProjects: () => projects.all(),
    close() {
      shared.lanes.close()
      return projects.close()
    },
  }
}

async function gatherShared(options: ContextOptions, onTrouble: Shared['onTrouble']): Promise<Shared> {
  const { config, secrets, clock = systemClock, tracing = NO_TRACING } = options
  if (!isProjectName(config.project)) throw new Error(`VERIDICT_PROJECT: "${config.project}" is no name of a project`)
  const loaded = loadRubrics(options.rubrics ?? RUBRICS)
  const { judges, unkeyed } = await gatherJudges(options, config, secrets)
  if (!judges.has(config.default_judge) && !unkeyed.has(config.default_judge)) {
    throw new Error(
      `the default judge "${config.default_judge}" is not configured; there are: ${[...judges.keys()].join(', ')}`,
    )
  }
  const room = await createStoreRoom(config, secrets)
  const lanes = openLanes(config, judges, room.limits, clock)
  const adopts = options.adopts_batches ?? true
  return {
    config,
    room,
    judges,
    unkeyed,
    loaded,
    rubrics: new Map(loaded.map(({ rubric }) => [rubric.name, rubric])),
    default_rubric: DEFAULT_RUBRIC,
    lanes,
    work: await openWork({
      config,
      secrets,
      adopts,
      works: options.works ?? (!adopts || config.workers.in_service),
      judges: judges.keys(),
      laneOf: lanes.of,
      clock,
      watched: (queue) => tracing.queue(queue),
      onError: (error) => onTrouble({ project: '', batch: '', error }),
    }),
    budgetOf: perJudge(),
    recent: recentTrajectories(),
    clock,
    newId: createIdMaker(
      () => clock.now().getTime(),
      () => randomBytes(10),
    ),
    adopts,
    tracing,
    meter: createMeter(),
    onTrouble,
  }
}

async function gatherJudges(
  options: ContextOptions,
  config: Config,
  secrets: Secrets,
): Promise<Pick<Shared, 'judges' | 'unkeyed'>> {
  const { tracing = NO_TRACING, judges: beside = [] } = options
  const models = await buildModelJudges(config.judges, secrets)
  const all = [createLexicalJudge(), ...models.judges.values(), ...beside]
  const judges = new Map(all.map((judge) => [judge.info.name, tracing.judge(judge)]))
  return { judges, unkeyed: new Map([...models.unkeyed].filter(([name]) => !judges.has(name))) }
}

/** Grading without a model is work of this process; more at once share the commits of the store. */
const LEXICAL_LANE: LaneSettings = { initial: 32, min: 1, max: 32 }

function openLanes(config: Config, judges: ReadonlyMap<string, Judge>, limits: SharedLimits | null, clock: Clock) {
  const call_ms = config.retry.call_timeout_ms
  const elapsed = () => performance.now()
  const lanes = new Map<string, Lane>()
  for (const [name, judge] of judges) {
    const own = config.judges[name]?.concurrency ?? config.concurrency
    const isLexical = judge.info.kind === 'lexical'
    const shared = limits === null || isLexical ? null : { judge: name, limits, call_ms, elapsed }
    lanes.set(
      name,
      createLane(isLexical ? LEXICAL_LANE : own, clock, shared, config.workers.most_in_flight ?? undefined),
    )
  }
  // A judge that is no longer configured is refused before anybody asks for its lane’s turn.
  const unknown = createLane(LEXICAL_LANE, clock)
  return {
    of: (judge: string): Lane => lanes.get(judge) ?? unknown,
    resume() {
      for (const lane of lanes.values()) lane.resume()
    },
    close() {
      for (const lane of lanes.values()) lane.close()
    },
  }
}

const RECENT_CHARS = 16 * 1024 * 1024

const recentTrajectories = () =>
  new LRUCache<string, Trajectory>({
    maxSize: RECENT_CHARS,
    sizeCalculation: ({ steps }) => steps.reduce((sum, { parts }) => parts.reduce(sumChars, sum + 200), 1000),
  })

/** A picture’s base64 is kept with its part, and nothing else keeps it. */
const sumChars = (sum: number, { text, picture }: Part): number => sum + text.length + (picture?.data.length ?? 0)

function perJudge(): (judge: string) => RetryBudget {
  const budgets = new Map<string, RetryBudget>()
  return (judge) => {
    const budget = budgets.get(judge) ?? createRetryBudget()
    budgets.set(judge, budget)
    return budget
  }
}

function answerConfig(
  config: Config,
  judges: ReadonlyMap<string, Judge>,
  rubrics: ReadonlyMap<string, Rubric>,
): string {
  return digestValue({
    default_judge: config.default_judge,
    default_rubric: DEFAULT_RUBRIC,
    judges: [...judges].map(([name, judge]) => [name, judge.info.identity]),
    rubrics: [...rubrics].map(([name, rubric]) => [name, rubric.digest]),
    denied_acts: config.evidence.denied_acts,
    versions: [PROMPT_VERSION, RENDERING_VERSION, EVIDENCE_VERSION, READER_VERSION],
  })
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
}
