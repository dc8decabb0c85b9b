import type { Failure } from '../../schemas/grade.ts'
import type { Verdict } from '../shared/shared-limits.ts'

/** What a gate tells to those who share its judge. */
export interface GateNews {
  /** The provider asked for a pause until then, in milliseconds since the epoch. */
  paused(failure: Failure, until: number): void
  judged(verdict: Verdict): void
  /** A call began that tries a judge that is out. */
  probing(): void
}

/** Where nobody shares it. */
export const NOBODY: GateNews = { paused: () => undefined, judged: () => undefined, probing: () => undefined }
