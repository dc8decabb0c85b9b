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
  value(): number
  /** What those that have many calls to make may count on: where other processes share the judge, `value` follows when they are made. */
  reach(): number
  /** Whether one call may try a judge that is out. */
  mayProbe(): boolean
  /** Counts the cuts. A call belongs to the generation in which it started. */
  generation(): number
  /** `full`: no further call could have started while this one was in flight. */
  succeeded(generation: number, full: boolean): void
  /** One cut for a generation: the calls that were in flight when it was made say nothing about what it left. */
  rateLimited(generation: number): void
}

/** Settings out of order are read as the nearest that are in order; the least of all is one call. */
export function ordered(settings: LaneSettings): LaneSettings {
  const min = Math.max(1, Math.floor(settings.min))
  const max = Math.max(min, Math.floor(settings.max))
  return { min, max, initial: Math.min(max, Math.max(min, Math.floor(settings.initial))) }
}

export function createLimit(settings: LaneSettings): Limit {
  const { initial, min, max } = ordered(settings)
  let value = initial
  let generation = 0
  let successes = 0
  return {
    value: () => value,
    reach: () => value,
    mayProbe: () => true,
    generation: () => generation,
    succeeded(of, full) {
      if (of !== generation || !full || value === max) return
      successes += 1
      if (successes < value) return
      value += 1
      successes = 0
    },
    rateLimited(of) {
      if (of !== generation) return
      value = Math.max(min, Math.floor(value / 2))
      generation += 1
      successes = 0
    },
  }
}
