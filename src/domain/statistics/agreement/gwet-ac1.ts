import { defined, type Estimate, missing } from '../estimate.ts'
import type { ItemTable } from './item-table.ts'
import { rawAgreement } from './raw-agreement.ts'

/**
 * Gwet’s AC1: (pa − pe) / (1 − pe), with pa the raw agreement over items with two or more ratings, pe = Σ_k π_k (1 − π_k) / (K − 1),
 * and π_k the mean over all items with a rating of the share of their ratings that are k. Gwet, "Computing inter-rater reliability
 * and its variance in the presence of high agreement", BJMSP 61 (2008); missing ratings as in the R package irrCAC 1.0.
 * K is the number of categories of the table, also those that nobody gave. Null where there is but one, or no item has two ratings.
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
