import { defined, type Estimate, missing } from '../estimate.ts'
import { type Distance, quadratic } from './cohen-kappa.ts'
import { addCounts, type ItemTable, sumOfSquares } from './item-table.ts'

/**
 * Krippendorff’s α for nominal data with any pattern of missing ratings: 1 − Do/De. Over items with m_u ≥ 2 ratings, in all n of them,
 * Do = (1/n) Σ_u Σ_{c≠k} n_uc n_uk / (m_u − 1) and De = Σ_{c≠k} n_c n_k / (n (n − 1)).
 * Krippendorff, "Computing Krippendorff’s Alpha-Reliability" (2011), sections B and C.
 * Null where no item has two ratings, or where all such ratings are of one category (De = 0): that is undefined, not agreement.
 */
export function krippendorffAlpha(table: ItemTable): Estimate {
  const { totals, ratings } = pairable(table)
  let disagreement = 0
  table.profiles.forEach((profile, index) => {
    const weight = table.weights[index] ?? 0
    if (profile.total < 2 || weight === 0) return
    disagreement += (weight * (profile.total * profile.total - profile.squares)) / (profile.total - 1)
  })
  if (ratings === 0) return missing('no_pairs')
  const expected = ratings * ratings - sumOfSquares(totals)
  if (expected === 0) return missing('one_category')
  return defined(1 - ((ratings - 1) * disagreement) / expected)
}

/**
 * The same for data with an order (section D of the source): a pair of ratings counts by the square of how far its categories are apart.
 * `values`, of the categories: interval data; null: ordinal data, where the ratings between two categories, and half of their own, lie between.
 */
export function krippendorffAlphaOf(table: ItemTable, values: readonly number[] | null): Estimate {
  const { totals, ratings } = pairable(table)
  if (ratings === 0) return missing('no_pairs')
  const distance = quadratic(values ?? middlesOf(totals))
  let disagreement = 0
  table.profiles.forEach(({ labels, counts, total }, index) => {
    const weight = table.weights[index] ?? 0
    if (total < 2 || weight === 0) return
    disagreement += (weight * pairsApart(labels, counts, distance)) / (total - 1)
  })
  const expected = pairsApart([...totals.keys()], totals, distance)
  if (expected === 0) return missing('one_category')
  return defined(1 - ((ratings - 1) * disagreement) / expected)
}

/** Ratings of items that have two or more, in all and by category. */
function pairable({ profiles, weights, n_labels }: ItemTable) {
  const totals = new Float64Array(n_labels)
  let ratings = 0
  profiles.forEach((profile, index) => {
    const weight = weights[index] ?? 0
    if (profile.total < 2 || weight === 0) return
    ratings += weight * profile.total
    addCounts(totals, profile, weight)
  })
  return { totals, ratings }
}

/** The middle rank of each category: the difference of two is Σ_{g=c..k} n_g − (n_c + n_k) / 2. */
function middlesOf(totals: Float64Array): number[] {
  let below = 0
  return Array.from(totals, (count) => {
    const middle = below + count / 2
    below += count
    return middle
  })
}

/** Over ordered pairs of categories. */
function pairsApart(labels: readonly number[], counts: ArrayLike<number>, distance: Distance): number {
  let sum = 0
  for (let one = 0; one < labels.length; one++)
    for (let other = 0; other < one; other++)
      sum += 2 * (counts[one] ?? 0) * (counts[other] ?? 0) * distance(labels[one] ?? 0, labels[other] ?? 0)
  return sum
}
