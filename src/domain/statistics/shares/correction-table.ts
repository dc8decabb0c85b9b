import { at, range } from './linear-algebra.ts'

/** Graded items of one judge label (and one cluster): `count` of them. */
export interface GradedCount {
  readonly judge: string
  readonly count: number
  /** The task, for example. Items of one cluster are not independent; null or absent: each item is independent. */
  readonly cluster?: string | null
}

/** A reviewed item. Several reviews of one item are settled on one label before. */
export interface ReviewedPair {
  readonly human: string
  readonly judge: string
  /** Inverse of the probability that the item was picked for review. */
  readonly weight?: number | null
  readonly cluster?: string | null
}

interface IndexedReview {
  readonly human: number
  readonly judge: number
  readonly cluster: string | null
}

/** Graded items and reviews, with labels as places in one list. */
export interface CorrectionTable {
  readonly reviews: readonly IndexedReview[]
  readonly graded: readonly { readonly judge: number; readonly count: number; readonly cluster: string | null }[]
  readonly judgeCounts: readonly number[]
  readonly reviewCounts: readonly number[]
  /** Some judge label has more reviews than graded items in a cluster: the reviews are not of these items. */
  readonly foreign: boolean
}

/** Counts the input. An unknown or doubled label, or a count that is no whole number from 0, is an error in words. */
export function tally(
  labels: readonly string[],
  given: readonly GradedCount[],
  pairs: readonly ReviewedPair[],
): { readonly table: CorrectionTable } | { readonly error: string } {
  const places = new Map(labels.map((label, place) => [label, place]))
  if (places.size !== labels.length || labels.length < 2) return { error: 'two or more different labels are needed' }
  const graded = new Map<string, { judge: number; count: number; cluster: string | null }>()
  const cellOf = (judge: number, cluster: string | null) => {
    const key = JSON.stringify([judge, cluster])
    const cell = graded.get(key) ?? { judge, count: 0, cluster }
    graded.set(key, cell)
    return cell
  }
  for (const { judge, count, cluster = null } of given) {
    const place = places.get(judge)
    if (place === undefined) return { error: `graded items have the unknown label ${JSON.stringify(judge)}` }
    if (!Number.isSafeInteger(count) || count < 0) return { error: `${count} is no count of graded items` }
    cellOf(place, cluster).count += count
  }
  const reviews: IndexedReview[] = []
  const reviewed = new Map<object, number>()
  for (const pair of pairs) {
    const [human, judge] = [places.get(pair.human), places.get(pair.judge)]
    if (human === undefined || judge === undefined)
      return { error: `a review has an unknown label: ${JSON.stringify([pair.human, pair.judge])}` }
    const cell = cellOf(judge, pair.cluster ?? null)
    reviewed.set(cell, (reviewed.get(cell) ?? 0) + 1)
    reviews.push({ human, judge, cluster: pair.cluster ?? null })
  }
  const counts = (of: Iterable<{ readonly judge: number; readonly count?: number }>) => {
    const totals = range(labels.length).map(() => 0)
    for (const { judge, count = 1 } of of) totals[judge] = at(totals, judge) + count
    return totals
  }
  const cells = [...graded.values()]
  const foreign = cells.some((cell) => (reviewed.get(cell) ?? 0) > cell.count)
  const table = { reviews, graded: cells, judgeCounts: counts(cells), reviewCounts: counts(reviews), foreign }
  return { table }
}
