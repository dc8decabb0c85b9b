import { createLatch } from '../../batches/run/latch.ts'
import type { BatchService } from '../../batches/service.ts'
import type { Clock } from '../../ports/ports.ts'

/** Waits for changes of a batch: those that come while nobody waits are not lost. */
interface BatchWatch {
  /** Resolves at the next change, or after `ms`: another process may run the batch. */
  next(ms: number): Promise<void>
  close(): void
}

export function watchBatch(batches: BatchService, id: string, clock: Clock): BatchWatch {
  const latch = createLatch(clock)
  return { next: (ms) => latch.wait(ms), close: batches.watch(id, () => latch.ring()) }
}
