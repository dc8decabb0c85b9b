import type { CorrectionTable } from '../../src/domain/statistics/shares/correction-table.ts'
import { at, range, rowAt, sum } from '../../src/domain/statistics/shares/linear-algebra.ts'
import { ppiShares } from '../../src/domain/statistics/shares/ppi.ts'
import { clusteredVariance } from '../../src/domain/statistics/shares/share-estimators.ts'
import { type Fit, unitsOf } from './fit.ts'

const FOLDS = 5

/** PPI++ where the λ of each review is tuned on the other folds; a task is in one fold. */
export function crossFitted(table: CorrectionTable): Fit {
  const { reviews, unreviewed } = table
  const places = new Map(
    [...new Set(reviews.map(({ cluster }, place) => cluster ?? place))].map((unit, at) => [unit, at]),
  )
  const foldOf = (review: (typeof reviews)[number], place: number): number =>
    (places.get(review.cluster ?? place) ?? 0) % FOLDS
  const lambdas = range(FOLDS).map((fold) => {
    const confusion = table.confusion.map((row) => [...row])
    reviews.forEach((review, place) => {
      const row = confusion[review.human]
      if (row !== undefined && foldOf(review, place) === fold) row[review.judge] = at(row, review.judge) - 1
    })
    const { shares, ...rest } = ppiShares({ confusion, unreviewed })
    return shares !== null && 'lambda' in rest ? rest.lambda : 0
  })
  const others = sum(unreviewed)
  const judged = unreviewed.map((count) => count / others)
  const terms = reviews.map((review, place) => {
    const lambda = at(lambdas, foldOf(review, place))
    return judged.map((share, k) => Number(k === review.human) + lambda * (share - Number(k === review.judge)))
  })
  const shares = judged.map((_, k) => sum(terms.map((term) => at(term, k))) / reviews.length)
  const lambda = sum(lambdas) / FOLDS
  const contributions = [
    ...reviews.map(({ cluster }, place) => ({
      psi: rowAt(terms, place).map((term, k) => (term - at(shares, k)) / reviews.length),
      count: 1,
      cluster,
    })),
    ...table.clusters.flatMap(({ cluster, unreviewed: counts }) =>
      counts.map((count, judge) => ({
        psi: judged.map((share, k) => (lambda * (Number(k === judge) - share)) / others),
        count,
        cluster,
      })),
    ),
  ]
  return { shares, variances: clusteredVariance(contributions, shares.length).variances, units: unitsOf(table) }
}
