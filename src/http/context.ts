import type { Access } from '../access/access.ts'
import type { BatchListener } from '../batches/run-chunk.ts'
import type { BatchService } from '../batches/service.ts'
import type { Config } from '../config/config.ts'
import type { Stores } from '../db/stores.ts'
import type { Clock } from '../domain/clock.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { GradingService } from '../grading/grade.ts'
import type { Lane } from '../grading/lane.ts'
import type { Judge } from '../judges/judge.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** Everything that routes and commands need, made once by `buildContext`. */
export interface Context {
  readonly config: Config
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with the remedy for each. */
  readonly unready: ReadonlyMap<string, string>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_rubric: string
  readonly access: Access
  readonly stores: Stores
  readonly service: GradingService
  readonly batches: BatchService
  /** Continues the batches that earlier processes left. */
  start(): Promise<void>
  /** Stops the batches; resolves once no call of theirs is in flight. */
  stop(): Promise<void>
  /** Adds a listener for troubles that no request waits for. */
  listen(listener: BatchListener): void
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly tracing: Tracing | null
  /** The lane of a judge in this process. */
  laneOf(judge: string): Lane
  close(): Promise<void>
}
