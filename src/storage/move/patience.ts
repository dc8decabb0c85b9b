import { setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '../storage-error.ts'
import type { Target } from './target.ts'

const AGAIN_MS = 500

export interface Patience {
  readonly patience_ms: number
  readonly signal: AbortSignal
  readonly onWait: () => void
}

/** The same target, for which a server that is away is a wait. All of it may be asked twice and means the same. */
export function patientTarget(target: Target, patience: Patience): Target {
  return {
    schema: target.schema,
    look: () => target.look(),
    begin: (marker) => waitFor(() => target.begin(marker), patience),
    put: (...given) => waitFor(() => target.put(...given), patience),
    read: (...given) => waitFor(() => target.read(...given), patience),
    count: (text) => waitFor(() => target.count(text), patience),
    finish: (marker) => waitFor(() => target.finish(marker), patience),
    close: () => target.close(),
  }
}

async function waitFor<T>(work: () => Promise<T>, { patience_ms, signal, onWait }: Patience): Promise<T> {
  const begun = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const away = error instanceof StorageError && error.code === 'storage_busy'
      if (!away || performance.now() - begun >= patience_ms) throw error
      onWait()
      await delay(AGAIN_MS)
      signal.throwIfAborted()
    }
  }
}
