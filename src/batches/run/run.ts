import type { Lane } from '../../asking/lane/lane.ts'
import type { GradingService } from '../../grading/service.ts'
import type { BatchRecord, OpenItem } from '../../ports/batch-ports.ts'
import type { Payer } from '../../ports/ledger-ports.ts'
import type { Clock, Judge, Stores } from '../../ports/ports.ts'
import type { ItemSource } from './item-source.ts'

export interface RunnerDeps {
  readonly service: GradingService
  readonly laneOf: (judge: string) => Lane
  readonly stores: Pick<Stores, 'batches'>
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  /** What was thrown and settles an item as `internal`. */
  readonly onError: (error: unknown, item: OpenItem) => void
  /** Something has changed that a follower may be looking at. */
  readonly onChange: () => void
}

/** What is run, and what is done where the runner can go no further. */
export interface Run {
  readonly batch: Pick<BatchRecord, 'id' | 'kind' | 'mode' | 'status' | 'max_cost_usd'>
  readonly payer: Payer | null
  readonly source: ItemSource
  /** Whether the batch, which is not cancelled, is still ours to run. Null: it is not there, or still a draft. */
  readonly mayGoOn: (record: BatchRecord | null) => Promise<boolean>
  /** It is to rest: told at once, while items are in flight. */
  readonly onParking: (parking: Parked) => Promise<void>
  /** It is cancelled, and nothing is in flight. Null: not its end yet; asked again after a while. */
  readonly onCancelled: () => Promise<RunEnd | null>
  /** Nothing is in flight, and the source is empty. `again`: it has items again. */
  readonly onEmpty: () => Promise<RunEnd | 'again' | null>
}

/** How a run ends. `over`: so is what was run. `left`: with everything kept; any process may go on with it at once. */
export type RunEnd = { readonly kind: 'over' | 'left' } | Parked

export const LEFT: RunEnd = { kind: 'left' }
export const OVER: RunEnd = { kind: 'over' }

export interface Parked {
  readonly kind: 'parked'
  readonly reason: string
  readonly resumes_at: Date | null
}
