import type { Ratings } from '../agreement/ratings.ts'

/**
 * Share of each label among all ratings; empty where there are none. Labels that were declared and not given are there with 0: that is
 * their share. Own properties only, whatever a label is called.
 */
export function prevalence(ratings: Ratings): Record<string, number> {
  if (ratings.n_ratings === 0) return {}
  const counts = new Float64Array(ratings.labels.length)
  for (const item of ratings.items) for (const label of item.labels) counts[label] = (counts[label] ?? 0) + 1
  return Object.fromEntries(ratings.labels.map((label, index) => [label, (counts[index] ?? 0) / ratings.n_ratings]))
}
