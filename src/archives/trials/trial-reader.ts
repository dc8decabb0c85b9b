import type { Issue, Result } from '../../domain/result.ts'
import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../unpack/limits.ts'

/** Who reads lines of grade requests, and the trajectories in them. */
export interface TrialReader {
  /** Lines that may be under way. */
  readonly at_once: number
  /** Resolves once another line may be given. */
  ready(): Promise<void>
  /**
   * The line as a value, which `trajectory` can read; undefined where it is no JSON. Null: it is to be read by the caller; once it is awaited, it
   * took too much time or memory.
   */
  line(bytes: Uint8Array, limits: ReadLimits): Promise<{ readonly value: unknown } | null> | null
  trajectory(document: unknown, limits: ReadLimits): Result<Trajectory, Issue[]>
}
