import type { Released } from '../../../ports/lease-ports.ts'
import { refusal } from '../../storage-error.ts'
import { gather } from './leases-gather.ts'
import type { LeaseStatements } from './leases-statements.ts'

/** A waiter looks at least so often: a notice may be lost. */
const LOOK_MS = 1000
/** A lease that is about to run out is looked at just after that. */
const LATER_MS = 10

export function createLeaseWaits(
  statements: LeaseStatements,
  isGone: (holder: string) => boolean,
  isClosed: () => boolean,
) {
  const bells = new Map<string, Set<() => void>>()
  const look = gather(statements.look)
  const mark = gather(statements.mark)

  /** Null: held. */
  async function lookOnce(name: string): Promise<{ released: Released } | { after_ms: number }> {
    try {
      const seen = await look(name)
      if (seen === null || !seen.held) return { released: { result: seen?.result ?? null } }
      if (isGone(seen.holder)) {
        await statements.end([seen.holder])
        return { after_ms: 0 }
      }
      // Not there to be marked any more: it was given back in between.
      if (!seen.waited && !(await mark(name))) return { after_ms: 0 }
      return { after_ms: Math.min(LOOK_MS, seen.left_ms + LATER_MS) }
    } catch (error) {
      // A server that is away is waited for: nothing can have been given back.
      if ((error as { code?: unknown }).code === 'storage_busy' && !isClosed()) return { after_ms: LOOK_MS }
      throw error
    }
  }

  return {
    async wait(name: string, signal?: AbortSignal): Promise<Released | null> {
      for (;;) {
        if (signal?.aborted) return null
        if (isClosed()) throw refusal('the database is closed')
        const bell = createBell(bells, name, signal)
        try {
          const seen = await lookOnce(name)
          if ('released' in seen) return seen.released
          await bell.orAfter(seen.after_ms)
        } finally {
          bell.end()
        }
      }
    },
    /** The lease was given back; null: any may have been. */
    ring(name: string | null): void {
      const rung = name === null ? [...bells.values()] : [bells.get(name) ?? []]
      for (const ofOne of rung) for (const bell of ofOne) bell()
    },
  }
}

/** Hung up before the look, so that what happens between the two is heard. */
function createBell(bells: Map<string, Set<() => void>>, name: string, signal: AbortSignal | undefined) {
  const heard = Promise.withResolvers<void>()
  const ring = () => heard.resolve()
  let timer: NodeJS.Timeout | undefined
  const ofName = bells.get(name) ?? new Set()
  bells.set(name, ofName.add(ring))
  signal?.addEventListener('abort', ring, { once: true })
  return {
    orAfter(ms: number): Promise<void> {
      timer = setTimeout(ring, ms)
      return heard.promise
    },
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', ring)
      ofName.delete(ring)
      if (ofName.size === 0) bells.delete(name)
    },
  }
}
