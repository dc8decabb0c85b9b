import type { Clock } from '../../ports/ports.ts'

/** Something that is waited for and rung: a ring that nobody waits for yet is not lost. */
export interface Latch {
  ring(): void
  /** Resolves at the next ring, or after `ms`. */
  wait(ms: number): Promise<void>
}

export function createLatch(clock: Clock): Latch {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(ms) {
      if (!rung) {
        const stop = new AbortController()
        const ring = new Promise<void>((resolve) => {
          wake = resolve
        })
        const slept = clock.sleep(ms, stop.signal).catch(() => undefined)
        await Promise.race([ring, slept])
        stop.abort()
        wake = null
      }
      rung = false
    },
  }
}
