import { correctedShares } from '../../src/domain/statistics/corrected-shares.ts'
import { type Interval, wilson } from '../../src/domain/statistics/intervals.ts'
import { at, clusteredVariance, range, sum, type Vector } from '../../src/domain/statistics/weighted-shares.ts'
import type { Archive } from './archive.ts'

/** Shares with their intervals, one a label. */
interface Answer {
  readonly shares: Vector
  readonly ci95: readonly (Interval | null)[]
  readonly reviewsToHalve?: number | null
}

/** Takes the judge’s share for the truth, with Wilson’s interval, of the effective size over tasks. */
function raw({ labels, graded }: Archive): Answer {
  const total = sum(graded.map(({ count }) => count))
  const shares = labels.map((label) => sum(graded.map(({ judge, count }) => (judge === label ? count : 0))) / total)
  const contributions = graded.map(({ judge, count, cluster = null }) => ({
    ...{ count, cluster },
    psi: shares.map((share, k) => (Number(labels[k] === judge) - share) / total),
  }))
  const variances = clusteredVariance(contributions, shares.length)
  const ci95 = shares.map((share, k) => {
    const variance = at(variances, k)
    return wilson(share, variance > 0 ? (share * (1 - share)) / variance : total)
  })
  return { shares, ci95 }
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
  'reviews alone': reviewsAlone,
  'as reported': asReported,
} as const satisfies Record<string, (archive: Archive) => Answer>

export type Method = keyof typeof METHODS
