import { setTimeout as delay } from 'node:timers/promises'
import type { ItemRecord } from '../ports/batch-ports.ts'
import type { Clock } from '../ports/ports.ts'
import type { Batch } from '../schemas/batch.ts'
import { endedPages } from './ended-items.ts'
import { createNotifier } from './run/notifier.ts'
import type { BatchService } from './service.ts'

/** At most this often ends are looked for: a slow first item would have every end looked at. */
const SHORTEST_MS = 100
/** Another process may run the batch, and tells nobody here. */
const LONGEST_MS = 500
const SILENCE_MS = 10_000
const PAGE = 200

export interface Following {
  readonly batches: BatchService
  readonly clock: Clock
  readonly id: string
  /** Whether nobody listens any more. */
  readonly isOff: () => boolean
}

/**
 * The batch as it is, then after changes, at most once in `every_ms`, until it is done or cancelled; null after ten seconds without one.
 * One that is parked may go on.
 */
export async function* followBatch(following: Following, every_ms: number): AsyncGenerator<Batch | null> {
  const { batches, id, isOff } = following
  const watch = watchBatch(following)
  let last = ''
  let told = 0
  try {
    while (!isOff()) {
      const batch = await batches.get(id)
      if (batch === null) return
      const text = JSON.stringify(batch)
      const isSilent = performance.now() - told >= SILENCE_MS
      if (text !== last || isSilent) {
        yield text === last ? null : batch
        told = performance.now()
      }
      last = text
      if (isEnded(batch)) return
      await delay(every_ms)
      await watch.next()
    }
  } finally {
    watch.close()
  }
}

/** The ended items in order, as they end, until nothing more will end by itself: an item that has not ended holds back those behind it. */
export async function* followResults(following: Following): AsyncGenerator<readonly ItemRecord[]> {
  const { batches, id, isOff } = following
  const watch = watchBatch(following)
  let last = -1
  try {
    while (!isOff()) {
      const batch = await batches.get(id)
      const page = await batches.results(id, last, PAGE)
      const next = last + 1
      const ready = page.filter(({ index }, at) => index === next + at)
      if (ready.length > 0) yield ready
      last += ready.length
      if (ready.length === PAGE) continue
      if (batch === null || isOver(batch)) return yield* endedPages(batches, id, last)
      await delay(SHORTEST_MS)
      await watch.next()
    }
  } finally {
    watch.close()
  }
}

export const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

const isOver = (batch: Batch): boolean => isEnded(batch) || (batch.status === 'parked' && batch.resumes_at === null)

/** Waits for changes of a batch: those that come while nobody waits are not lost. */
function watchBatch({ batches, clock, id }: Following): { next(): Promise<void>; close(): void } {
  const notifier = createNotifier(clock)
  return { next: () => notifier.wait(LONGEST_MS), close: batches.watch(id, () => notifier.notify()) }
}
