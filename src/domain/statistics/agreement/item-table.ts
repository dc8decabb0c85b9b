import type { Ratings } from './ratings.ts'

/** How often each label was given to an item, without the zeros, and the sums that agreement statistics need. */
interface Profile {
  /** Indexes of labels, rising. */
  readonly labels: readonly number[]
  /** Of these labels, in the same order; each 1 or more. */
  readonly counts: readonly number[]
  /** Ratings of the item. */
  readonly total: number
  /** Σ n_k²: ordered pairs of ratings that agree, each rating with itself among them. */
  readonly squares: number
}

/**
 * The item × category table, with equal rows folded into one: `weights[p]` items have the profile `profiles[p]`. A resample of items
 * is the same table with other weights, so that statistics cost as much as there are different profiles, not items.
 */
export interface ItemTable {
  readonly n_labels: number
  readonly profiles: readonly Profile[]
  readonly weights: ArrayLike<number>
}

/** The table of the ratings, and for each item the index of its profile. */
export function itemTable(ratings: Ratings): ItemTable & { readonly profile_of: readonly number[] } {
  const profiles: Profile[] = []
  const weights: number[] = []
  const known = new Map<string, number>()
  const profile_of = ratings.items.map((item) => {
    const pairs = [...countLabels(item.labels)].sort(([a], [b]) => a - b)
    const key = pairs.join(';')
    const index = known.get(key) ?? profiles.length
    if (index === profiles.length) {
      known.set(key, index)
      profiles.push(profileOf(pairs))
      weights.push(0)
    }
    weights[index] = (weights[index] ?? 0) + 1
    return index
  })
  return { n_labels: ratings.labels.length, profiles, weights, profile_of }
}

function countLabels(labels: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return counts
}

const profileOf = (pairs: readonly (readonly [number, number])[]): Profile => ({
  labels: pairs.map(([label]) => label),
  counts: pairs.map(([, count]) => count),
  total: pairs.reduce((sum, [, count]) => sum + count, 0),
  squares: pairs.reduce((sum, [, count]) => sum + count * count, 0),
})

/** Adds `weight` of the profile’s ratings to the totals of their labels. */
export function addCounts(totals: Float64Array, profile: Profile, weight: number): void {
  for (let at = 0; at < profile.labels.length; at++) {
    const label = profile.labels[at] ?? 0
    totals[label] = (totals[label] ?? 0) + weight * (profile.counts[at] ?? 0)
  }
}

/** Σ x². */
export function sumOfSquares(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return sum
}
