import { defined, type Estimate, missing } from '../estimate.ts'
import { addCounts, type ItemTable, sumOfSquares } from './item-table.ts'

/**
 * Krippendorff’s α for nominal data with any pattern of missing ratings: 1 − Do/De. Over items with m_u ≥ 2 ratings, in all n of them,
 * Do = (1/n) Σ_u Σ_{c≠k} n_uc n_uk / (m_u − 1) and De = Σ_{c≠k} n_c n_k / (n (n − 1)).
 * Krippendorff, "Computing Krippendorff’s Alpha-Reliability" (2011), sections B and C.
 * Null where no item has two ratings, or where all such ratings are of one category (De = 0): that is undefined, not agreement.
 */
export function krippendorffAlpha(table: ItemTable): Estimate {
  const totals = new Float64Array(table.n_labels)
  let disagreement = 0
  let ratings = 0
  table.profiles.forEach((profile, index) => {
    const weight = table.weights[index] ?? 0
    if (profile.total < 2 || weight === 0) return
    disagreement += (weight * (profile.total * profile.total - profile.squares)) / (profile.total - 1)
    ratings += weight * profile.total
    addCounts(totals, profile, weight)
  })
  if (ratings === 0) return missing('no_pairs')
  const expected = ratings * ratings - sumOfSquares(totals)
  if (expected === 0) return missing('one_category')
  return defined(1 - ((ratings - 1) * disagreement) / expected)
}
