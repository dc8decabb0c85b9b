import type { ItemOutcome } from '../grading/service.ts'
import type { BatchRecord, BatchStore } from '../ports/batch-ports.ts'
import type { Lease, LeaseStore } from '../ports/lease-ports.ts'
import type { Stores } from '../ports/ports.ts'
import { type Cluster, leaseName, type WorkNotice, wholeOf } from '../ports/slice-ports.ts'
import type { ProviderPump } from './provider-pump.ts'
import type { RunnerDeps } from './run/run.ts'

export interface EngineDeps extends Omit<RunnerDeps, 'onChange' | 'onError' | 'stores'> {
  readonly stores: Stores
  readonly pump: ProviderPump
  /** Tells all lanes that an operator has mended the judges. */
  readonly resumeLanes: () => void
  /** Whether this process takes over batches that other processes left: a service, not a command. */
  readonly adopts: boolean
  readonly cluster: BatchCluster
  /** Seconds of silence after which other processes may take the leases of a process. */
  readonly lease_s: number
  /** Null on SQLite, where the holder of the run lock runs all batches. */
  readonly company: Company | null
  readonly newId: (prefix: string) => string
  /** Receives errors of background work, for the log. */
  readonly onTrouble: (trouble: Trouble) => void
  /** The batch is parked, done or cancelled. Never rejects. */
  readonly onStatus: (id: string) => Promise<void>
  /** The batch may have changed. */
  readonly notify: (id: string) => void
}

export interface BatchRunsDeps extends EngineDeps {
  /** Slices of the batch were given back before their items had ended. */
  readonly onFreed: (batch: string) => Promise<void>
  /** Ends the batch if every item has ended, or if it is cancelled and no process holds a slice. */
  readonly endBatch: (batch: string, status: BatchRecord['status']) => Promise<void>
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

/** The slices of batches and their leases. */
export interface BatchCluster extends Pick<Cluster, 'slices'> {
  readonly leases: Pick<LeaseStore, 'takeMany' | 'release' | 'holds' | 'note' | 'inFlight' | 'isHeld'>
}

/** The other processes of a PostgreSQL. */
export interface Company {
  /** The judges with which this process works on the batches of all. */
  readonly judges: ReadonlySet<string>
  /** Tells all processes that there is work in a batch. */
  readonly send: (notice: WorkNotice) => Promise<void>
  /** Looks for more work to take. */
  readonly onCapacity: () => void
  /** Looks for new work. */
  readonly onWork: () => void
}

const NEVER = new AbortController().signal

/** The slices of an SQLite file: each batch is one slice, and only the holder of the run lock takes slices. */
export function wholeBatches(batches: Pick<BatchStore, 'get'>): BatchCluster {
  const running = new Set<string>()
  return {
    slices: {
      async open(ids) {
        const records = await Promise.all(ids.map((id) => batches.get(id)))
        return records.flatMap((record) => {
          if (record === null || record.status === 'done' || record.status === 'cancelled') return []
          return { ...record, status: record.status, is_over: false }
        })
      },
      free: async () => [],
      freeWhole: async (ids) => ids.map(wholeOf).filter((whole) => !running.has(leaseName(whole))),
      cancel: async () => false,
    },
    leases: {
      async takeMany(names) {
        const free = names.filter((name) => !running.has(name))
        for (const name of free) running.add(name)
        return free.map((name): Lease => ({ name, token: '', lost: NEVER }))
      },
      release: async ({ name }) => void running.delete(name),
      holds: async () => true,
      note: () => undefined,
      inFlight: async () => 0,
      isHeld: async () => false,
    },
  }
}
