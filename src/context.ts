import type { Config } from './config/config.ts'
import type { Rubric } from './domain/rubric.ts'
import type { Clock, Judge, Stores } from './grading/ports.ts'
import type { GradingService } from './grading/service.ts'

/** Everything that the edges need, made once by `buildContext`. */
export interface Context {
  readonly config: Config
  /** Digest of all configuration that can change an answer: part of the digest of raw request bytes. */
  readonly answer_config: string
  readonly stores: Stores
  readonly judges: ReadonlyMap<string, Judge>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly service: GradingService
  readonly clock: Clock
  close(): Promise<void>
}
