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
  const clusters = new Counts(labels.length)
  for (const { judge, count, cluster } of graded) {
    const place = places.get(judge)
    if (place === undefined) return { error: `graded items have the unknown label ${JSON.stringify(judge)}` }
    if (!Number.isSafeInteger(count) || count < 0) return { error: `${count} is no count of graded items` }
    clusters.addGraded(cluster ?? null, place, count)
  }
  const indexed: IndexedReview[] = []
  for (const pair of reviews) {
    const human = places.get(pair.human)
    const judge = places.get(pair.judge)
    if (human === undefined || judge === undefined) {
      return { error: `a review has an unknown label: ${JSON.stringify([pair.human, pair.judge])}` }
    }
    clusters.takeReviewed(pair.cluster ?? null, judge)
    indexed.push({ human, judge, cluster: pair.cluster ?? null })
  }
  return { table: tableOf(clusters.all(), indexed, labels.length) }
}

/** Graded and not yet reviewed items per cluster and judge label. */
class Counts {
  readonly #clusters = new Map<string | null, { readonly graded: number[]; readonly unreviewed: number[] }>()
  readonly #labels: number

  constructor(labels: number) {
    this.#labels = labels
  }

  addGraded(cluster: string | null, label: number, count: number): void {
    const { graded, unreviewed } = this.#of(cluster)
    graded[label] = at(graded, label) + count
    unreviewed[label] = at(unreviewed, label) + count
  }

  takeReviewed(cluster: string | null, label: number): void {
    const { unreviewed } = this.#of(cluster)
    unreviewed[label] = at(unreviewed, label) - 1
  }

  all(): ClusterCounts[] {
    return [...this.#clusters].map(([cluster, counts]) => ({ cluster, ...counts }))
  }

  #of(cluster: string | null) {
    const zeros = (): number[] => range(this.#labels).map(() => 0)
    const counts = this.#clusters.get(cluster) ?? { graded: zeros(), unreviewed: zeros() }
    this.#clusters.set(cluster, counts)
    return counts
  }
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
