import { at, range } from './linear-algebra.ts'

/** Graded items of one judge label (and one cluster): `count` of them. */
export interface GradedCount {
  readonly judge: string
  readonly count: number
  /** The task, say. Items of one cluster are not independent; null or absent: an item on its own. */
  readonly cluster?: string | null
}

/** One reviewed item. Where several people reviewed it, settle on one label first. */
export interface ReviewedPair {
  readonly human: string
  readonly judge: string
  /** Inverse of the probability that the item was picked for review. */
  readonly weight?: number | null
  readonly cluster?: string | null
}

/** Graded items of one cluster by place of the judge label; the same without the reviewed ones. */
interface ClusterCounts {
  readonly cluster: string | null
  readonly graded: readonly number[]
  readonly unreviewed: readonly number[]
}

interface IndexedReview {
  readonly human: number
  readonly judge: number
  readonly cluster: string | null
}

/** Labels as places in one list, and everything counted by them. */
export interface CorrectionTable {
  readonly reviews: readonly IndexedReview[]
  readonly clusters: readonly ClusterCounts[]
  /** Human label by judge label. */
  readonly confusion: readonly (readonly number[])[]
  readonly judgeCounts: readonly number[]
  readonly unreviewed: readonly number[]
  /** More reviews of a judge label in a cluster than graded items: the reviews are not of these items. */
  readonly foreign: boolean
}

type Tally = { readonly table: CorrectionTable } | { readonly error: string }

/** Counts the input. An unknown or doubled label, or a count that is no whole number from 0, is an error in words. */
export function tally(
  labels: readonly string[],
  graded: readonly GradedCount[],
  reviews: readonly ReviewedPair[],
): Tally {
  const places = new Map(labels.map((label, place) => [label, place]))
  if (places.size !== labels.length || labels.length < 2) return { error: 'two or more different labels are needed' }
  const clusters = new Map<string | null, { readonly graded: number[]; readonly unreviewed: number[] }>()
  const countsOf = (cluster: string | null) => {
    const counts = clusters.get(cluster) ?? { graded: labels.map(() => 0), unreviewed: labels.map(() => 0) }
    clusters.set(cluster, counts)
    return counts
  }
  for (const { judge, count, cluster } of graded) {
    const place = places.get(judge)
    if (place === undefined) return { error: `graded items have the unknown label ${JSON.stringify(judge)}` }
    if (!Number.isSafeInteger(count) || count < 0) return { error: `${count} is no count of graded items` }
    const { graded: all, unreviewed } = countsOf(cluster ?? null)
    all[place] = at(all, place) + count
    unreviewed[place] = at(unreviewed, place) + count
  }
  const indexed: IndexedReview[] = []
  for (const pair of reviews) {
    const human = places.get(pair.human)
    const judge = places.get(pair.judge)
    if (human === undefined || judge === undefined) {
      return { error: `a review has an unknown label: ${JSON.stringify([pair.human, pair.judge])}` }
    }
    const { unreviewed } = countsOf(pair.cluster ?? null)
    unreviewed[judge] = at(unreviewed, judge) - 1
    indexed.push({ human, judge, cluster: pair.cluster ?? null })
  }
  const counted = [...clusters].map(([cluster, counts]) => ({ cluster, ...counts }))
  return { table: tableOf(counted, indexed, labels.length) }
}

function tableOf(
  clusters: readonly ClusterCounts[],
  reviews: readonly IndexedReview[],
  labels: number,
): CorrectionTable {
  const total = (of: (counts: ClusterCounts) => readonly number[]) =>
    range(labels).map((k) => clusters.reduce((sum, counts) => sum + at(of(counts), k), 0))
  const confusion = range(labels).map(() => range(labels).map(() => 0))
  for (const { human, judge } of reviews) {
    const row = confusion[human] ?? []
    row[judge] = at(row, judge) + 1
  }
  return {
    reviews,
    clusters,
    confusion,
    judgeCounts: total((counts) => counts.graded),
    unreviewed: total((counts) => counts.unreviewed),
    foreign: clusters.some(({ unreviewed }) => unreviewed.some((count) => count < 0)),
  }
}
