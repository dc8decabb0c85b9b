import type { Clock } from '../ports/clock.ts'

/** Wakes a waiting loop; keeps a notification that comes while the loop works for the next wait. */
export interface Notifier {
  notify(): void
  /** Resolves at the next notification, or after `ms`. */
  wait(ms: number): Promise<void>
}

export function createNotifier(clock: Clock): Notifier {
  let isNotified = false
  let wake: (() => void) | null = null
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async wait(ms) {
      if (!isNotified) {
        const stop = new AbortController()
        const notified = new Promise<void>((resolve) => {
          wake = resolve
        })
        const slept = clock.sleep(ms, stop.signal).catch(() => undefined)
        await Promise.race([notified, slept])
        stop.abort()
        wake = null
      }
      isNotified = false
    },
  }
}
