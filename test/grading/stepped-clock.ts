import { expect, vi } from 'vitest'
import { fakeClock } from './harness.ts'

/** A clock that stands still until the test wakes the sleeper. */
export function steppedClock() {
  const clock = fakeClock()
  const sleepers: { readonly ms: number; wake(): void }[] = []
  return {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const sleeper = { ms, wake: resolve }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          reject(signal.reason)
        })
      }),
    /** Waits for the next sleeper without waking it; returns its milliseconds. */
    async asleep(): Promise<number> {
      await vi.waitFor(() => expect(sleepers).not.toHaveLength(0), { timeout: 10_000, interval: 2 })
      return sleepers[0]?.ms ?? 0
    },
    async wake(): Promise<number> {
      const ms = await this.asleep()
      clock.slept.push(ms)
      clock.advance(ms)
      sleepers.shift()?.wake()
      return ms
    },
  }
}
