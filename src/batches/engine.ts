import type { BatchRecord, NewBatch, NewItem } from '../ports/batch-ports.ts'
import type { GradeStore } from '../ports/grade-ports.ts'
import type { Stores } from '../ports/ports.ts'
import type { RunnerDeps } from './run/run.ts'

/** Makes sure that batches run, here or elsewhere. What it is told stands in the store already. */
export interface BatchEngine {
  /** There is a new batch. */
  begin(id: string): Promise<void>
  /** Grades the items of a draft while more of them arrive. Absent: this engine runs whole batches only. */
  grow?(draft: NewBatch): GrowingBatch
  /** It was told to stop. */
  cancel(id: string): Promise<void>
  /** It was told to go on. */
  resume(record: BatchRecord): Promise<void>
  /** Items in flight, wherever. */
  inFlight(record: BatchRecord): Promise<number>
  /** Goes on with what earlier processes left. */
  start(): Promise<void>
  /** Now and then: goes on with what others left since. */
  look(): Promise<void>
  /** Begins nothing more; resolves once nothing is in flight. */
  stop(): Promise<void>
}

/** A draft that is graded while its items arrive. */
export interface GrowingBatch {
  /** Items that have just been stored. Resolves when more may come: reading far ahead of the judge would only fill the memory. */
  add(items: readonly NewItem[]): Promise<void>
  /** The batch is whole and open. */
  close(): void
  /** It is refused: begins nothing more; resolves once nothing is in flight. What was graded stays graded. */
  abandon(): Promise<void>
}

export interface EngineDeps extends Omit<RunnerDeps, 'onChange' | 'onError' | 'stores'> {
  readonly stores: Stores
  readonly grades: GradeStore
  /** Every lane there is: somebody says that whatever was wrong is mended. */
  readonly resumeLanes: () => void
  /** Whether batches that other processes left are taken over. */
  readonly adopts: boolean
  /** What went wrong behind the scenes, for the log. */
  readonly onTrouble: (trouble: Trouble) => void
  /** The batch may have changed. */
  readonly notify: (id: string) => void
}

export interface Trouble {
  readonly batch: string
  readonly item?: string
  readonly error: unknown
}

/** After the database refused. */
export const AGAIN_MS = 10_000

export type ProjectTrouble = Trouble & { readonly project: string }
