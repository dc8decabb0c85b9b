import type { Part } from '../shared/shared-limits.ts'

/** How many calls of a judge may be in flight: where the number starts, and between what it stays. */
export interface LaneSettings {
  readonly initial: number
  readonly min: number
  readonly max: number
}

/** What a process takes for its batches at the most, whatever the judge would take. */
export const NO_BOUND = Number.POSITIVE_INFINITY

/**
 * The number of calls that a judge takes at once, found by trying: one more after as many successes as it counts, half as soon as
 * the judge says that it was too many (additive increase, multiplicative decrease; Chiu and Jain 1989).
 */
export interface Limit {
  /** 0 until it is known which part of the limit is this process's. */
  value(): number
  /** What those that have many calls to make may count on: at least one. */
  reach(): number
  /** Counts the cuts. A call belongs to the generation in which it started. */
  generation(): number
  /** `full`: no further call could have started while this one was in flight. */
  succeeded(generation: number, full: boolean): void
  /** One cut for a generation: the calls that were in flight when it was made say nothing about what it left. */
  rateLimited(generation: number): void
}

/** Settings out of order are read as the nearest that are in order; the least of all is one call. */
function ordered(settings: LaneSettings): LaneSettings {
  const min = Math.max(1, Math.floor(settings.min))
  const max = Math.max(min, Math.floor(settings.max))
  return { min, max, initial: Math.min(max, Math.max(min, Math.floor(settings.initial))) }
}

const WHOLE: Part = { of: 1, place: 0 }

/** `part`: which part of the limit is this process's, as far as is known. Each process has one call at least. */
export function createLimit(settings: LaneSettings, part: () => Part | null = () => WHOLE): Limit {
  const { initial, min, max } = ordered(settings)
  /** Of all processes together, as this one found it. */
  let whole = initial
  let generation = 0
  let successes = 0
  const shareOf = ({ of, place }: Part): number => Math.max(1, Math.floor(whole / of) + (place < whole % of ? 1 : 0))
  const reach = () => shareOf(part() ?? WHOLE)
  return {
    value() {
      const own = part()
      return own === null ? 0 : shareOf(own)
    },
    reach,
    generation: () => generation,
    succeeded(of, full) {
      if (of !== generation || !full || whole === max) return
      successes += 1
      if (successes < reach()) return
      whole = Math.min(max, whole + (part() ?? WHOLE).of)
      successes = 0
    },
    rateLimited(of) {
      if (of !== generation) return
      whole = Math.max(min, Math.floor(whole / 2))
      generation += 1
      successes = 0
    },
  }
}
