import type { Ratings } from './ratings.ts'

/** Counts of the labels that an item was given, without the zeros, and the sums that agreement statistics need. */
interface Profile {
  /** Indexes of labels, rising. */
  readonly labels: readonly number[]
  /** Ratings of each of these labels, 1 or more. */
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

/** Builds the table of the ratings, and for each item the index of its profile. */
export function itemTable(ratings: Ratings): ItemTable & { readonly profile_of: readonly number[] } {
  const keyOf = (labels: readonly number[]): string => labels.toSorted((a, b) => a - b).join()
  const keys = ratings.items.map(({ labels }) => keyOf(labels))
  const places = new Map([...new Set(keys)].map((key, place) => [key, place]))
  const profile_of = keys.map((key) => places.get(key) ?? 0)
  const weights = new Array<number>(places.size).fill(0)
  for (const place of profile_of) weights[place] = (weights[place] ?? 0) + 1
  const profiles = [...places.keys()].map((key): Profile => {
    const given = Map.groupBy(key.split(',').map(Number), (label) => label)
    const counts = [...given.values()].map(({ length }) => length)
    const total = counts.reduce((sum, count) => sum + count, 0)
    return { labels: [...given.keys()], counts, total, squares: counts.reduce((sum, count) => sum + count ** 2, 0) }
  })
  return { n_labels: ratings.labels.length, profiles, weights, profile_of }
}

/** Visits the profiles that items have, with how many items; `least` ratings each. */
export function eachProfile(
  { profiles, weights }: ItemTable,
  least: number,
  visit: (profile: Profile, weight: number) => void,
): void {
  profiles.forEach((profile, place) => {
    const weight = weights[place] ?? 0
    if (weight > 0 && profile.total >= least) visit(profile, weight)
  })
}

/** Counts the ratings of each label, and all ratings, of items with `least` ratings or more. */
export function countRatings(table: ItemTable, least: number): { totals: Float64Array; ratings: number } {
  const totals = new Float64Array(table.n_labels)
  let ratings = 0
  eachProfile(table, least, ({ labels, counts, total }, weight) => {
    ratings += weight * total
    labels.forEach((label, at) => {
      totals[label] = (totals[label] ?? 0) + weight * (counts[at] ?? 0)
    })
  })
  return { totals, ratings }
}
