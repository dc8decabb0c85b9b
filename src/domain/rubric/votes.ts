import type { Label } from '../../schemas/vocabulary.ts'

interface Tally {
  readonly winner: number | null
  /** Share of the valid votes that have the most common label; null where no vote is valid. */
  readonly share: number | null
}

/**
 * The label that more than half of the votes asked for have. A failed or unverified vote does not shrink the majority, and a
 * tie has no winner. `winner` is the index of the first vote with the winning label.
 */
export function tallyVotes(labels: readonly (Label | null)[]): Tally {
  const counts = new Map<Label, number>()
  for (const label of labels) if (label !== null) counts.set(label, (counts.get(label) ?? 0) + 1)
  const valid = labels.filter((label) => label !== null).length
  const [best, count] = [...counts].reduce<[Label | null, number]>(
    (top, entry) => (entry[1] > top[1] ? entry : top),
    [null, 0],
  )
  const share = valid === 0 ? null : count / valid
  return { winner: best !== null && count * 2 > labels.length ? labels.indexOf(best) : null, share }
}
