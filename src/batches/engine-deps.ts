import type { ItemOutcome } from '../grading/service.ts'
import type { BatchRecord } from '../ports/batch-ports.ts'
import type { LeaseStore } from '../ports/lease-ports.ts'
import type { Stores } from '../ports/ports.ts'
import type { Cluster, WorkNotice } from '../ports/slice-ports.ts'
import type { ProviderPump } from './provider-pump.ts'
import type { RunnerDeps } from './run/run.ts'

export interface EngineDeps extends Omit<RunnerDeps, 'onChange' | 'onError' | 'stores'> {
  readonly stores: Stores
  readonly pump: ProviderPump
  /** Every lane there is: an operator says that what was wrong is mended. */
  readonly resumeLanes: () => void
  /** Whether batches that other processes left are taken over. */
  readonly adopts: boolean
  readonly cluster: BatchCluster
  /** After how many seconds of silence what a process holds may be taken by another. */
  readonly lease_s: number
  /** Null: no other process takes part, and the engine takes all there is by itself. */
  readonly company: Company | null
  /** What went wrong behind the scenes, for the log. */
  readonly onTrouble: (trouble: Trouble) => void
  /** The batch is parked, done or cancelled. Never rejects. */
  readonly onStatus: (id: string) => Promise<void>
  /** The batch may have changed. */
  readonly notify: (id: string) => void
}

export interface Trouble {
  readonly batch: string
  readonly item?: string
  readonly error: unknown
}

/** Receives news of batches. */
export interface BatchListener {
  /** Work on a batch met an error. */
  readonly onTrouble?: (trouble: Trouble) => void
  /** A batch has begun, is parked, done or cancelled. */
  readonly onStatus?: (batch: BatchRecord) => void
  /** An item was graded or refused, by a call or by a stored grade. */
  readonly onItem?: (outcome: ItemOutcome) => void
}

/** Of what processes on one database share, that which batches are divided by. */
export interface BatchCluster extends Pick<Cluster, 'slices'> {
  readonly leases: Pick<LeaseStore, 'takeMany' | 'release' | 'holds' | 'note' | 'inFlight'>
}

/** The other processes of the database, as batches see them. */
export interface Company {
  /** The judges with which this process works on the batches of all. */
  readonly judges: ReadonlySet<string>
  /** Tells all processes that there is work in a batch. */
  readonly send: (notice: WorkNotice) => Promise<void>
  /** There is room for more work. */
  readonly onCapacity: () => void
  /** There may be more work. */
  readonly onWork: () => void
}
