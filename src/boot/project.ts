import { randomBytes } from 'node:crypto'
import type { RetryBudget } from '../asking/retry.ts'
import type { BatchListener, Company, Trouble } from '../batches/engine-deps.ts'
import { oneProcess } from '../batches/one-process.ts'
import { createProviderPump } from '../batches/provider-pump.ts'
import { BatchService } from '../batches/service.ts'
import type { Config } from '../config/config.ts'
import type { LoadedRubric } from '../config/rubrics.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { createGradingService } from '../grading/grade.ts'
import type { GradingService } from '../grading/service.ts'
import type { Project } from '../http/context.ts'
import { readDocument, readStoredRun } from '../offload/large-body.ts'
import type { Clock, Judge, Stores } from '../ports/ports.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { DEFAULT_RUBRIC } from './answer-config.ts'
import type { openLanes } from './lanes.ts'
import type { StorePool } from './store-pool.ts'
import type { Work } from './workers.ts'

/** What all projects share: judges and their limits, which belong to the service, and nothing that is stored. */
export interface Shared {
  readonly config: Config
  readonly pool: StorePool
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with what to do to have them. */
  readonly unready: ReadonlyMap<string, string>
  readonly loaded: readonly LoadedRubric[]
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly lanes: ReturnType<typeof openLanes>
  readonly budgetOf: (judge: string) => RetryBudget
  /** Trajectories that were read lately, by project and id. */
  readonly recent: {
    get(key: string): Trajectory | undefined
    set(key: string, trajectory: Trajectory): unknown
  }
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly adopts: boolean
  readonly work: Work | null
  readonly tracing: Tracing
  readonly onTrouble: Required<BatchListener>['onTrouble']
  readonly onStatus: Required<BatchListener>['onStatus']
  readonly onItem: Required<BatchListener>['onItem']
}

/** Opens, and makes where needed, the project’s database. Throws a StorageError where it cannot be used. */
export async function openProject(shared: Shared, name: string): Promise<Project> {
  const stores = await shared.pool.open(name)
  try {
    await registerRubrics(stores, shared)
    await stores.attempts.markInterrupted()
    const service = await createService(shared, name, stores)
    return { name, stores, service, batches: createBatches(shared, name, stores, service), close: () => stores.close() }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** A rubric whose content changed under the same name would make old and new grades look alike: refused. */
async function registerRubrics(stores: Stores, { loaded, clock }: Shared): Promise<void> {
  for (const { rubric, content } of loaded) {
    const known = await stores.rubrics.register(rubric.name, rubric.digest, content, clock.now().toISOString())
    if (known === rubric.digest) continue
    throw new Error(
      `rubric ${rubric.name} was changed, but not its version: grades are stored under the old text. ` +
        `Restore it, or copy the folder to a new version and change that.`,
    )
  }
}

async function createService(shared: Shared, name: string, stores: Stores): Promise<GradingService> {
  const { config, judges, unready, rubrics, recent, clock, newId } = shared
  const secret = await stores.secrets.renderingSecret(() => randomBytes(32))
  const service = createGradingService({
    stores,
    judges,
    unready,
    rubrics,
    default_judge: config.default_judge,
    default_rubric: DEFAULT_RUBRIC,
    read: (document) => readDocument(document, config.limits),
    readStored: (packed) => readStoredRun(packed, config.limits),
    recent: {
      get: (id) => recent.get(`${name}/${id}`),
      set: (id, trajectory) => recent.set(`${name}/${id}`, trajectory),
    },
    secret,
    clock,
    retry: config.retry,
    laneOf: shared.lanes.of,
    budgetOf: shared.budgetOf,
    day_cap_usd: config.budget.max_cost_usd_per_day,
    denied_acts: config.evidence.denied_acts,
    random: Math.random,
    newId,
  })
  return shared.tracing.service({
    ...service,
    async gradeItem(request, job) {
      const outcome = await service.gradeItem(request, job)
      if (job.way !== 'stored') shared.onItem(outcome)
      return outcome
    },
  })
}

function createBatches(shared: Shared, project: string, stores: Stores, service: GradingService): BatchService {
  const { config, judges, clock, newId, lanes } = shared
  return new BatchService({
    stores,
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
    adopts: shared.adopts,
    cluster: stores.cluster ?? oneProcess(stores.batches, shared.adopts),
    lease_s: config.workers.lease_seconds,
    company: companyOf(shared, project, stores),
    onTrouble: (trouble: Trouble) => shared.onTrouble({ ...trouble, project }),
    onStatus: (batch) => shared.onStatus(project, batch),
  })
}

/** Null where no other process works on the database: SQLite. */
function companyOf({ work }: Shared, project: string, { cluster }: Stores): Company | null {
  if (cluster === null || work === null) return null
  return {
    judges: work.judges,
    send: (notice) => cluster.notices.send({ project, ...notice }),
    onCapacity: () => work.notifyCapacity(),
    onWork: () => work.notifyWork(),
  }
}
