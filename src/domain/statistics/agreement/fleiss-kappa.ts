import { type Estimate, missing, ratio } from '../estimate.ts'
import { addCounts, type ItemTable, sumOfSquares } from './item-table.ts'
import { rawAgreement } from './raw-agreement.ts'

/**
 * Fleiss’ κ: (P̄ − P̄e) / (1 − P̄e), with P̄ the raw agreement and P̄e = Σ p_j², p_j the share of category j among all ratings.
 * Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971).
 * Null where items have unequal numbers of ratings, one each, or all ratings are of one category.
 */
export function fleissKappa(table: ItemTable): Estimate {
  const totals = new Float64Array(table.n_labels)
  let ratings = 0
  let perItem: number | null = null
  for (const [index, profile] of table.profiles.entries()) {
    const weight = table.weights[index] ?? 0
    if (weight === 0) continue
    if (perItem !== null && perItem !== profile.total) return missing('unequal_ratings')
    perItem = profile.total
    ratings += weight * profile.total
    addCounts(totals, profile, weight)
  }
  const observed = rawAgreement(table)
  if (observed.value === null) return missing(ratings === 0 ? 'no_ratings' : 'no_pairs')
  const whole = ratings * ratings
  const squares = sumOfSquares(totals)
  return ratio(observed.value * whole - squares, whole - squares, 'one_category')
}
