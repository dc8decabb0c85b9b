import type { Access } from '../access/access.ts'
import type { AccessStore } from '../access/access-store.ts'
import type { Lane } from '../asking/lane/lane.ts'
import type { BatchListener } from '../batches/engine-deps.ts'
import type { BatchService } from '../batches/service.ts'
import type { Config } from '../config/config.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { GradingService } from '../grading/service.ts'
import type { GradeOverviewReader } from '../ports/grade-ports.ts'
import type { Clock, Judge, Stores } from '../ports/ports.ts'
import type { ImportStore } from '../ports/transfer-ports.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** The stores of one project. Only the keys of the default project count. */
export interface ProjectStores extends Stores {
  readonly access: AccessStore
  readonly overview: GradeOverviewReader
  readonly imports: ImportStore
}

/** One project: a database of its own, and the services over it. */
export interface Project {
  readonly name: string
  readonly stores: ProjectStores
  readonly service: GradingService
  readonly batches: BatchService
  close(): Promise<void>
}

/** Everything that routes and commands need, made once by `buildContext`. Stored data belongs to a project. */
export interface Context {
  readonly config: Config
  /** Digest of all configuration that can change an answer. */
  readonly answer_config: string
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with what to do to have them. */
  readonly unready: ReadonlyMap<string, string>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_rubric: string
  readonly access: Access
  /** The default project, which is in the main database. */
  readonly main: Project
  /** Opens a project at its first use, and makes a missing one. Rejects with a StorageError. */
  project(name: string): Promise<Project>
  /** Counts the projects whose last opening failed. */
  unusableProjects(): number
  /** Continues the batches that earlier processes left, in every project. */
  start(): Promise<void>
  /** Stops the batches; resolves once no call of theirs is in flight. */
  stop(): Promise<void>
  /** Adds a listener for troubles that no request waits for. */
  listen(listener: BatchListener): void
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly tracing: Tracing
  /** The lane of a judge in this process. */
  laneOf(judge: string): Lane
  /** The projects that are open in this process. */
  openProjects(): Promise<readonly Project[]>
  close(): Promise<void>
}
