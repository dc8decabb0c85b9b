import type { Outcome } from './outcome.ts'

interface Tally {
  readonly winner: number | null
  /** Share of the valid votes that have the most common outcome; null where no vote is valid. */
  readonly share: number | null
}

/**
 * The outcome that more than half of the votes asked for have. A failed or unverified vote does not shrink the majority, and a
 * tie has no winner. `winner` is the index of the first vote with the winning outcome.
 */
export function tallyVotes(outcomes: readonly (Outcome | null)[]): Tally {
  const counts = new Map<Outcome, number>()
  for (const outcome of outcomes) if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const valid = outcomes.filter((outcome) => outcome !== null).length
  const [best, count] = [...counts].reduce<[Outcome | null, number]>(
    (top, entry) => (entry[1] > top[1] ? entry : top),
    [null, 0],
  )
  const share = valid === 0 ? null : count / valid
  return { winner: best !== null && count * 2 > outcomes.length ? outcomes.indexOf(best) : null, share }
}
