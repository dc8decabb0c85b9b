import { defined, type Estimate, missing, ratio } from '../estimate.ts'
import { addCounts, type ItemTable, sumOfSquares } from './item-table.ts'

/**
 * Share of pairs of ratings of the same item that agree: the mean over items with two or more ratings of
 * Σ_k n_ik (n_ik − 1) / (n_i (n_i − 1)). Fleiss 1971, equation 3; with missing ratings as `pa` of Gwet, Handbook of Inter-Rater
 * Reliability (2014), chapter 2. With two raters it is the share of items on which they agree.
 */
export function rawAgreement(table: ItemTable): Estimate {
  let agreement = 0
  let items = 0
  table.profiles.forEach((profile, index) => {
    const weight = table.weights[index] ?? 0
    if (profile.total < 2 || weight === 0) return
    agreement += (weight * (profile.squares - profile.total)) / (profile.total * (profile.total - 1))
    items += weight
  })
  return ratio(agreement, items, 'no_pairs')
}

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

/**
 * Gwet’s AC1: (pa − pe) / (1 − pe), with pa the raw agreement over items with two or more ratings, pe = Σ_k π_k (1 − π_k) / (K − 1),
 * and π_k the mean over all items with a rating of the share of their ratings that are k. Gwet, "Computing inter-rater reliability
 * and its variance in the presence of high agreement", BJMSP 61 (2008); missing ratings as in the R package irrCAC 1.0.
 * K is the number of categories of the table, also those that were not given. Null where there is but one, or no item has two ratings.
 */
export function gwetAc1(table: ItemTable): Estimate {
  const observed = rawAgreement(table)
  if (observed.value === null) return observed
  if (table.n_labels < 2) return missing('one_category')
  const shares = new Float64Array(table.n_labels)
  let items = 0
  table.profiles.forEach((profile, index) => {
    const weight = table.weights[index] ?? 0
    if (weight === 0) return
    items += weight
    profile.labels.forEach((label, at) => {
      shares[label] = (shares[label] ?? 0) + (weight * (profile.counts[at] ?? 0)) / profile.total
    })
  })
  let spread = 0
  for (const share of shares) spread += (share / items) * (1 - share / items)
  const expected = spread / (table.n_labels - 1)
  return defined((observed.value - expected) / (1 - expected))
}
