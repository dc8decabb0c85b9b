import { quantile } from '../../src/domain/statistics/bootstrap.ts'
import {
  type CorrectionTable,
  type GradedCount,
  type ReviewedPair,
  tally,
} from '../../src/domain/statistics/shares/correction-table.ts'
import { at, range, sum } from '../../src/domain/statistics/shares/linear-algebra.ts'
import { clamp, type Interval } from '../../src/domain/statistics/shares/share-interval.ts'
import { drawsFrom } from '../../test/domain/statistics/draws.ts'
import { type Answer, fitPpi } from './fit.ts'

const DRAWS = 199

/** Bootstrap-t of PPI++ (Efron and Tibshirani 1993, chapter 12): tasks drawn whole, or reviews and other trials each by themselves. */
export function bootstrapT(table: CorrectionTable, seed: number): Answer {
  const { shares, variances } = fitPpi(table)
  const { uniform } = drawsFrom(seed)
  const statistics = shares.map((): number[] => [])
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = resampled(table, uniform)
    if (drawn === null) continue
    const fit = fitPpi(drawn)
    for (const [k, values] of statistics.entries()) {
      const gap = at(fit.shares, k) - at(shares, k)
      // Without any spread, as in a draw that lacks the label, there is nothing to divide by.
      values.push(gap / Math.max(1e-9, Math.sqrt(at(fit.variances, k))))
    }
  }
  const ci95 = shares.map((share, k): Interval => {
    const sorted = (statistics[k] ?? []).sort((a, b) => a - b)
    const error = Math.sqrt(at(variances, k))
    const limit = (probability: number): number => clamp(share - quantile(sorted, probability) * error)
    return [limit(0.975), limit(0.025)]
  })
  return { shares: shares.map(clamp), ci95 }
}

function resampled({ clusters, reviews, unreviewed }: CorrectionTable, uniform: () => number): CorrectionTable | null {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(uniform() * list.length)] as T
  const labels = unreviewed.map((_, k) => `${k}`)
  const graded: GradedCount[] = []
  const pairs: ReviewedPair[] = []
  const add = (cluster: string | null, counts: readonly number[], own: typeof reviews): void => {
    for (const { human, judge } of own) pairs.push({ human: `${human}`, judge: `${judge}`, cluster })
    counts.forEach((count, judge) => {
      const reviewed = own.filter((review) => review.judge === judge).length
      graded.push({ judge: `${judge}`, count: count + reviewed, cluster })
    })
  }
  if (clusters.some(({ cluster }) => cluster !== null)) {
    for (const place of range(clusters.length)) {
      const { cluster, unreviewed: counts } = pick(clusters)
      add(
        `${place}`,
        counts,
        reviews.filter((review) => review.cluster === cluster),
      )
    }
  } else {
    const others = unreviewed.flatMap((count, judge) => range(count).map(() => judge))
    const counts = unreviewed.map(() => 0)
    for (const _ of others) {
      const judge = pick(others)
      counts[judge] = at(counts, judge) + 1
    }
    add(
      null,
      counts,
      reviews.map(() => pick(reviews)),
    )
  }
  const counted = tally(labels, graded, pairs)
  return 'error' in counted || pairs.length < 2 || sum(counted.table.unreviewed) < 2 ? null : counted.table
}
