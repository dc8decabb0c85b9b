import { setTimeout as delay } from 'node:timers/promises'
import type { ItemRecord } from '../ports/batch-ports.ts'
import type { Clock } from '../ports/ports.ts'
import type { Batch } from '../schemas/batch.ts'
import { endedPages } from './ended-items.ts'
import { createNotifier } from './run/notifier.ts'
import type { BatchService } from './service.ts'

/** At most this often ends are looked for: a slow first item would have every end looked at. */
const SHORTEST_MS = 100
/** Another process may run the batch, and tells no follower here. */
const LONGEST_MS = 500
const SILENCE_MS = 10_000
const PAGE = 200

export interface Following {
  readonly batches: BatchService
  readonly clock: Clock
  readonly id: string
  /** Whether the follower has gone. */
  readonly isOff: () => boolean
}

/**
 * The batch as it is, then after changes, at most once in `every_ms`, until it is done or cancelled; null after ten seconds without one.
 * One that is parked may go on.
 */
export async function* followBatch(following: Following, every_ms: number): AsyncGenerator<Batch | null> {
  let last = ''
  let told = 0
  for await (const batch of look(following, every_ms)) {
    if (batch === null) return
    const text = JSON.stringify(batch)
    const isSilent = performance.now() - told >= SILENCE_MS
    if (text !== last || isSilent) {
      yield text === last ? null : batch
      told = performance.now()
    }
    last = text
    if (isEnded(batch)) return
  }
}

/** The ended items in order, as they end, until nothing more will end by itself: an item that has not ended holds back those behind it. */
export async function* followResults(following: Following): AsyncGenerator<readonly ItemRecord[]> {
  const { batches, id, isOff } = following
  let last = -1
  for await (const batch of look(following, SHORTEST_MS)) {
    let ready: readonly ItemRecord[]
    do {
      const next = last + 1
      ready = (await batches.results(id, last, PAGE)).filter(({ index }, at) => index === next + at)
      if (ready.length > 0) yield ready
      last += ready.length
    } while (ready.length === PAGE && !isOff())
    if (batch === null || isOver(batch)) return yield* endedPages(batches, id, last)
  }
}

export const isEnded = ({ status }: Batch): boolean => status === 'done' || status === 'cancelled'

const isOver = (batch: Batch): boolean => isEnded(batch) || (batch.status === 'parked' && batch.resumes_at === null)

/** The batch as it is, at once and after changes: those that come between two waits are not lost. */
async function* look({ batches, clock, id, isOff }: Following, every_ms: number): AsyncGenerator<Batch | null> {
  const notifier = createNotifier(clock)
  const close = batches.watch(id, () => notifier.notify())
  try {
    while (!isOff()) {
      yield await batches.get(id)
      await delay(every_ms)
      await notifier.wait(LONGEST_MS)
    }
  } finally {
    close()
  }
}
