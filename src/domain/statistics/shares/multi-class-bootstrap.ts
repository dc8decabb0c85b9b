import type { Random } from '../random.ts'
import { apply, at, inverse, range, sum, transpose, type Vector } from './linear-algebra.ts'
import type { MultiClassInput } from './multi-class-correction.ts'
import type { Interval } from './share-interval.ts'

/** Items drawn in all, at most: keeps the check to a fraction of a second. */
const MAX_ITEMS = 5e6
const MIN_DRAWS = 100

interface BootstrapCheck {
  /** Standard deviation and percentile interval of the unconstrained shares over the draws. */
  readonly se: Vector
  readonly ci95: readonly Interval[]
  readonly draws: number
  /** Draws whose matrix was singular; left out and counted. */
  readonly undefinedDraws: number
}

/**
 * Checks the delta method of `multiClassCorrection`: judged items drawn anew from q̂, reviews anew within each human label
 * (Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 8). The same `random` gives the same answer. Null with
 * fewer than 100 usable draws, or where so many would draw more than 5 million items.
 */
export function bootstrapMultiClass(input: MultiClassInput, random: Random, draws = 2000): BootstrapCheck | null {
  const items = sum(input.judgeCounts) + sum(input.confusion.flat())
  const affordable = Math.min(draws, Math.floor(MAX_ITEMS / Math.max(1, items)))
  if (affordable < MIN_DRAWS) return null
  const seen: Vector[] = []
  for (let draw = 0; draw < affordable; draw++) {
    const estimate = unconstrainedShares({
      judgeCounts: multinomial(input.judgeCounts, random),
      confusion: input.confusion.map((row) => multinomial(row, random)),
    })
    if (estimate !== null) seen.push(estimate)
  }
  if (seen.length < MIN_DRAWS) return null
  const byLabel = range(input.judgeCounts.length).map((k) => seen.map((shares) => at(shares, k)).sort((x, y) => x - y))
  return {
    se: byLabel.map(deviationOf),
    ci95: byLabel.map((values) => [quantile(values, 0.025), quantile(values, 0.975)]),
    draws: affordable,
    undefinedDraws: affordable - seen.length,
  }
}

function unconstrainedShares({ judgeCounts, confusion }: MultiClassInput): Vector | null {
  const graded = sum(judgeCounts)
  const rates = confusion.map((row) => row.map((count) => count / sum(row)))
  const back = inverse(transpose(rates))
  if (back === null) return null
  return apply(
    back,
    judgeCounts.map((count) => count / graded),
  )
}

/** As many draws as `counts` holds, with its shares. O(total · labels). */
function multinomial(counts: Vector, random: Random): Vector {
  const total = sum(counts)
  const drawn = counts.map(() => 0)
  for (let i = 0; i < total; i++) {
    let left = random.below(total)
    let label = 0
    while (left >= at(counts, label)) left -= at(counts, label++)
    drawn[label] = at(drawn, label) + 1
  }
  return drawn
}

const deviationOf = (values: Vector): number => {
  const mean = sum(values) / values.length
  return Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / (values.length - 1))
}

/** Linear between order statistics (Hyndman & Fan 1996, type 7). */
function quantile(sorted: Vector, p: number): number {
  const place = p * (sorted.length - 1)
  const low = Math.floor(place)
  return at(sorted, low) + (place - low) * (at(sorted, Math.min(low + 1, sorted.length - 1)) - at(sorted, low))
}
