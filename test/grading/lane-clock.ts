import type { JudgeReply } from '../../src/ports/judge.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { replyOf, type Script } from './harness.ts'

export const START = Date.parse('2026-11-21T00:00:00Z')
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Time goes from one sleeper to the next, once nothing else is left to do. Milliseconds since the start. */
export function simulation() {
  let now = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const clock: Clock = {
    now: () => new Date(START + now),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      }),
  }
  async function run(until: number): Promise<void> {
    for (;;) {
      await settled()
      let first: typeof sleepers extends Set<infer T> ? T | null : never = null
      for (const sleeper of sleepers) if (first === null || sleeper.at < first.at) first = sleeper
      if (first === null || first.at > until) break
      sleepers.delete(first)
      now = first.at
      first.wake()
    }
    now = until
  }
  const answer = async (ms: number, script: Script): Promise<JudgeReply> => {
    await clock.sleep(ms)
    return replyOf(script)
  }
  return { clock, run, answer, now: () => now, sleeping: () => sleepers.size }
}
