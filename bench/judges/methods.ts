import { wilsonOf, Z95 } from '../../src/domain/statistics/intervals.ts'
import { correctedShares } from '../../src/domain/statistics/shares/corrected-shares.ts'
import { at, range, sum } from '../../src/domain/statistics/shares/linear-algebra.ts'
import { clusteredVariance } from '../../src/domain/statistics/shares/share-estimators.ts'
import { clamp, type Interval } from '../../src/domain/statistics/shares/share-interval.ts'
import type { Archive } from './archive.ts'
import { type Answer, type Fit, fitPpi, tableOf } from './fit.ts'

/** The judge’s share as if it were the truth, with Wilson’s interval, of the effective size over tasks. */
function raw(archive: Archive): Answer {
  const { clusters, judgeCounts } = tableOf(archive)
  const total = sum(judgeCounts)
  const shares = judgeCounts.map((count) => count / total)
  const contributions = clusters.flatMap(({ cluster, graded }) =>
    graded.map((count, judge) => ({
      psi: shares.map((share, k) => (Number(k === judge) - share) / total),
      count,
      cluster,
    })),
  )
  const variances = clusteredVariance(contributions, shares.length)
  const ci95 = shares.map((share, k) => {
    const variance = at(variances, k)
    return wilsonOf(share, variance > 0 ? (share * (1 - share)) / variance : total)
  })
  return { shares, ci95 }
}

/** Wilson’s near 0 and 1 or with few events, else ± 1.96 · error: what Veridict did until the interval of now. */
function normalOrWilson({ shares, variances, units }: Fit): Answer {
  const ci95 = shares.map((share, k): Interval => {
    const p = clamp(share)
    const error = Math.sqrt(at(variances, k))
    const size = p * (1 - p) > 0 && error > 0 ? (p * (1 - p)) / error ** 2 : units
    const within = share - Z95 * error >= 0 && share + Z95 * error <= 1
    if (within && error > 0 && size * Math.min(p, 1 - p) >= 5) return [p - Z95 * error, p + Z95 * error]
    return wilsonOf(p, size)
  })
  return { shares: shares.map(clamp), ci95 }
}

function asReported(archive: Archive): Answer {
  const { shares, reviews_to_halve } = correctedShares({ ...archive, sampling: 'random' })
  return answerOf(archive, shares, reviews_to_halve)
}

/** The people’s labels without the judge: each review as likely as any other. */
function reviewsAlone(archive: Archive): Answer {
  const weight = sum(archive.graded.map(({ count }) => count)) / archive.reviews.length
  const reviews = archive.reviews.map((review) => ({ ...review, weight }))
  return answerOf(archive, correctedShares({ ...archive, reviews, sampling: 'disagreement' }).shares)
}

const answerOf = (
  { labels }: Archive,
  shares: ReturnType<typeof correctedShares>['shares'],
  reviewsToHalve: number | null = null,
): Answer => ({
  shares: labels.map((label) => shares[label]?.value ?? Number.NaN),
  ci95: range(labels.length).map((k) => shares[labels[k] ?? '']?.ci95 ?? null),
  reviewsToHalve,
})

export const METHODS = {
  'judge’s raw share': raw,
  'before: normal, ddof 0': (archive: Archive) => normalOrWilson(fitPpi(tableOf(archive))),
  'reviews alone': reviewsAlone,
  'as reported': asReported,
} as const satisfies Record<string, (archive: Archive) => Answer>

export type Method = keyof typeof METHODS
