import type { BatchRecord } from '../../ports/batch-ports.ts'
import type { Payer } from '../../ports/ledger-ports.ts'
import type { Clock, Judge, Stores } from '../../ports/ports.ts'
import type { ProviderPump } from '../provider-pump.ts'
import type { GradingItemDeps } from './item-grading.ts'
import type { ItemSource } from './item-source.ts'

export interface RunnerDeps extends GradingItemDeps {
  readonly stores: Pick<Stores, 'batches'>
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  readonly pump: ProviderPump
  /** Something has changed that somebody may be looking at. */
  readonly onChange: () => void
}

/** What is run, and by whom. */
export interface Run {
  readonly batch: Pick<BatchRecord, 'id' | 'kind' | 'mode' | 'status' | 'max_cost_usd'>
  readonly payer: Payer | null
  readonly source: ItemSource
  /** Other processes have parts of the batch too: its end is not ours to tell. */
  readonly isShared: boolean
  /** Whether the batch, which nobody cancels, is still ours to run. Null: it is not there, or still a draft. */
  readonly mayGoOn: (record: BatchRecord | null) => Promise<boolean>
}

/** How a run ends. `stopped`: told to, or there is nothing left here, with everything kept; the next process goes on. */
export type RunEnd = { readonly kind: 'done' | 'cancelled' | 'stopped' } | Parked

export interface Parked {
  readonly kind: 'parked'
  readonly reason: string
  readonly resumes_at: Date | null
}
