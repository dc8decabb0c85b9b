import { MAX_AGREEMENT_LABELS, type Rating } from '../../../schemas/agreement.ts'
import { err, type Issue, ok, type Result } from '../../result.ts'

const MAX_ISSUES = 20

/** Ratings of one item: `labels[k]` is the index of the label that the rater of index `raters[k]` gave. Never empty. */
export interface RatedItem {
  readonly item: string
  readonly cluster: string | null
  readonly raters: readonly number[]
  readonly labels: readonly number[]
}

/** Checked ratings: each rater rated each item once at most, and an item has one cluster at most. */
export interface Ratings {
  readonly items: readonly RatedItem[]
  /** Raters in the order of their first rating, as the items are. */
  readonly raters: readonly string[]
  readonly labels: readonly string[]
  readonly n_ratings: number
}

/**
 * Checks ratings and groups them by item, in one pass.
 *
 * @param declared all categories that could be given, in the order wanted; absent: those that were, sorted by code unit.
 * @returns issues at `/ratings/{index}`, 20 at most: an item rated twice by a rater, two clusters of an item, an undeclared label.
 */
export function groupRatings(ratings: readonly Rating[], declared?: readonly string[]): Result<Ratings, Issue[]> {
  const labels = declared ?? [...new Set(ratings.map((rating) => rating.label))].sort()
  if (labels.length > MAX_AGREEMENT_LABELS)
    return err([{ path: '/ratings', message: `more than ${MAX_AGREEMENT_LABELS} different labels` }])
  const labelIndexes = new Map(labels.map((label, index) => [label, index]))
  if (labelIndexes.size < labels.length) return err([{ path: '/labels', message: 'the same label stands twice' }])
  const raters = new Map<string, number>()
  const items = new Map<string, RatedItem & { cluster: string | null; raters: number[]; labels: number[] }>()
  const known = new Set<string>()
  const issues: Issue[] = []
  for (const [index, { item, rater, label, cluster }] of ratings.entries()) {
    const place = raters.get(rater) ?? raters.size
    raters.set(rater, place)
    const rated = items.get(item) ?? { item, cluster: null, raters: [], labels: [] }
    items.set(item, rated)
    const given = labelIndexes.get(label)
    const fault = (field: string, message: string) => issues.push({ path: `/ratings/${index}${field}`, message })
    if (given === undefined) fault('/label', 'the label is not one of those declared')
    else if (known.has(`${place} ${item}`)) fault('', 'the rater rated this item already')
    else if (rated.cluster !== null && cluster !== undefined && rated.cluster !== cluster)
      fault('/cluster', 'the item has another cluster already')
    else {
      known.add(`${place} ${item}`)
      rated.cluster ??= cluster ?? null
      rated.raters.push(place)
      rated.labels.push(given)
    }
    if (issues.length === MAX_ISSUES) break
  }
  if (issues.length > 0) return err(issues)
  return ok({ items: [...items.values()], raters: [...raters.keys()], labels, n_ratings: ratings.length })
}
