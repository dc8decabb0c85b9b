import { setTimeout as delay } from 'node:timers/promises'
import type { BatchService } from '../grading/batch/service.ts'

/** Waits for changes of a batch: those that come while nobody waits are not lost. */
export interface BatchWatch {
  /** Resolves at the next change, or after `ms`: another process may run the batch. */
  next(ms: number): Promise<void>
  close(): void
}

export function watchBatch(batches: BatchService, id: string): BatchWatch {
  let changed = false
  let wake: (() => void) | null = null
  const close = batches.watch(id, () => {
    changed = true
    wake?.()
  })
  return {
    close,
    async next(ms) {
      if (!changed) {
        const stop = new AbortController()
        const change = new Promise<void>((resolve) => {
          wake = resolve
        })
        await Promise.race([change, delay(ms, undefined, { signal: stop.signal }).catch(() => undefined)])
        stop.abort()
        wake = null
      }
      changed = false
    },
  }
}
