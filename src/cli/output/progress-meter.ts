import type { BatchCounts } from '../../schemas/batch.ts'

/** Over how long the rate is measured: long enough to be calm, short enough to see a judge slow down. */
const WINDOW_MS = 60_000

export interface Figures {
  readonly done: number
  readonly total: number
  /** 0 to 1. */
  readonly share: number
  /** Items a second; null until it is known. */
  readonly rate: number | null
  /** Null until it is known, and where nothing moves. */
  readonly eta_s: number | null
}

export const doneOf = (counts: BatchCounts): number =>
  counts.graded + counts.unverified + counts.failed + counts.cancelled

interface ProgressMeter {
  add(far: Pick<Figures, 'done' | 'total'>, now: number): void
  /** Figures as of `now`, in milliseconds of the same clock: a rate falls while nothing comes. */
  read(now: number): Figures
}

/** Measures how fast something goes since this process looks: what was done before does not count as speed. */
export function createProgressMeter(): ProgressMeter {
  const samples: { readonly at: number; readonly done: number }[] = []
  let total = 0
  return {
    add(far, now) {
      total = far.total
      samples.push({ at: now, done: far.done })
      while (samples.length > 2 && (samples[1]?.at ?? now) <= now - WINDOW_MS) samples.shift()
    },
    read(now) {
      const [first, last] = [samples[0], samples.at(-1)]
      const done = last?.done ?? 0
      const ended = (last?.done ?? 0) - (first?.done ?? 0)
      const seconds = (now - (first?.at ?? now)) / 1000
      const rate = ended > 0 && seconds > 0 ? ended / seconds : null
      const eta_s = rate === null ? null : (total - done) / rate
      return { done, total, share: total === 0 ? 0 : Math.min(1, done / total), rate, eta_s }
    },
  }
}
