import { type CorrectionTable, tally } from '../../src/domain/statistics/shares/correction-table.ts'
import type { Vector } from '../../src/domain/statistics/shares/linear-algebra.ts'
import { ppiInfluence, ppiShares } from '../../src/domain/statistics/shares/ppi.ts'
import { clusteredVariance } from '../../src/domain/statistics/shares/share-estimators.ts'
import type { Interval } from '../../src/domain/statistics/shares/share-interval.ts'
import type { Archive } from './archive.ts'

/** Shares with their intervals, one a label. */
export interface Answer {
  readonly shares: Vector
  readonly ci95: readonly (Interval | null)[]
  readonly reviewsToHalve?: number | null
}

/** An estimate before it has an interval. */
export interface Fit {
  readonly shares: Vector
  readonly variances: Vector
  /** Independent units among the reviews. */
  readonly units: number
}

export const tableOf = ({ labels, graded, reviews }: Archive): CorrectionTable => {
  const counted = tally(labels, graded, reviews)
  if ('error' in counted) throw new Error(counted.error)
  return counted.table
}

/** PPI++ with the variance of ppi_py, over tasks where there are any. */
export function fitPpi(table: CorrectionTable): Fit {
  const estimate = ppiShares(table)
  if (estimate.shares === null) throw new Error(estimate.reason)
  const { ofReview, ofOther } = ppiInfluence(table, estimate)
  const contributions = [
    ...table.clusters.flatMap(({ cluster, unreviewed }) =>
      unreviewed.map((count, judge) => ({ psi: ofOther(judge), count, cluster })),
    ),
    ...table.reviews.map(({ human, judge, cluster }) => ({ psi: ofReview(human, judge), count: 1, cluster })),
  ]
  return {
    shares: estimate.shares,
    variances: clusteredVariance(contributions, estimate.shares.length),
    units: new Set(table.reviews.map(({ cluster }, place) => cluster ?? place)).size,
  }
}
