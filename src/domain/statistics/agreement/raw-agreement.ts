import { type Estimate, ratio } from '../estimate.ts'
import type { ItemTable } from './item-table.ts'

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
