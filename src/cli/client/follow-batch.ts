import { setTimeout as delay } from 'node:timers/promises'
import type { Batch } from '../../schemas/batch.ts'
import { isSettled } from '../output/progress-meter.ts'
import type { Client } from './client.ts'
import { ServiceError, UnreachableError } from './service-error.ts'

interface FollowTiming {
  readonly first_wait_ms: number
  readonly longest_wait_ms: number
  /** For how long a service that does not answer is asked again, before it counts as gone. */
  readonly patience_ms: number
}

const TIMING: FollowTiming = { first_wait_ms: 500, longest_wait_ms: 15_000, patience_ms: 180_000 }

/**
 * A batch as it goes, until nothing more will happen by itself; its last state comes last. A connection that breaks is opened
 * again: a service may restart meanwhile, and its batch goes on. Throws the signal’s reason, what the service refuses, or
 * `UnreachableError` once the patience is over.
 */
export async function* followBatch(
  client: Client,
  id: string,
  signal: AbortSignal,
  timing: FollowTiming = TIMING,
): AsyncGenerator<Batch> {
  let wait = timing.first_wait_ms
  let silentSince: number | null = null
  for (;;) {
    try {
      const batch = await client.readBatch(id, signal)
      yield batch
      if (isSettled(batch)) return
      silentSince = null
      for await (const next of client.events(id, signal)) {
        yield next
        if (isSettled(next)) return
        wait = timing.first_wait_ms
      }
    } catch (error) {
      if (signal.aborted || !passes(error)) throw error
      silentSince ??= performance.now()
      if (performance.now() - silentSince > timing.patience_ms) throw error
    }
    await delay(wait, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error
    })
    wait = Math.min(wait * 2, timing.longest_wait_ms)
  }
}

const passes = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ServiceError && error.passing)
