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

/** The stores of one project. Keys count only in the default one. */
export interface ProjectStores extends Stores {
  readonly access: AccessStore
  readonly overview: GradeOverviewReader
  readonly imports: ImportStore
}

/** One project: a database of its own, and all that works on it. What another project has cannot be named here. */
export interface Project {
  readonly name: string
  readonly stores: ProjectStores
  readonly service: GradingService
  readonly batches: BatchService
  close(): Promise<void>
}

/** Everything that the edges need, made once by `buildContext`. Stored data belongs to a project. */
export interface Context {
  readonly config: Config
  /** Digest of all configuration that can change an answer: part of the digest of raw request bytes. */
  readonly answer_config: string
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with what to do to have them. */
  readonly unready: ReadonlyMap<string, string>
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
  listen(listener: BatchListener): void
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly tracing: Tracing
  /** How a judge is called by this process. */
  laneOf(judge: string): Lane
  /** The projects that are open in this process. */
  openProjects(): Promise<readonly Project[]>
  close(): Promise<void>
}
