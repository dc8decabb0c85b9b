import { MAX_AGREEMENT_LABELS } from '../../../schemas/audit/agreement.ts'
import { err, type Issue, ok, type Result } from '../../result.ts'

const MAX_ISSUES = 20

/** One rater's label of one item. Labels are nominal. Absent cluster: the item says nothing of one. */
export interface Rating<Category extends string = string> {
  readonly item: string
  readonly rater: string
  readonly label: Category
  readonly cluster?: string | undefined
}

/** Ratings of one item: `labels[k]` is the index of the label that the rater of index `raters[k]` gave. Never empty. */
export interface RatedItem {
  readonly item: string
  readonly cluster: string | null
  readonly raters: readonly number[]
  readonly labels: readonly number[]
}

/** Checked ratings: each rater rated each item once at most, and an item has one cluster at most. */
export interface Ratings<Category extends string = string> {
  readonly items: readonly RatedItem[]
  /** In order of their first rating, as the items are. */
  readonly raters: readonly string[]
  readonly labels: readonly Category[]
  readonly n_ratings: number
}

interface Draft {
  readonly item: string
  cluster: string | null
  readonly raters: number[]
  readonly labels: number[]
  readonly rated_by: Set<number>
}

/**
 * Checks ratings and groups them by item, in one pass.
 *
 * @param declared all categories that could be given, in the order wanted; absent: those that were, sorted by code unit.
 * @returns issues at `/ratings/{index}`, 20 at most: an item rated twice by a rater, two clusters of an item, an undeclared label.
 */
export function groupRatings<Category extends string>(
  ratings: readonly Rating<Category>[],
  declared?: readonly Category[],
): Result<Ratings<Category>, Issue[]> {
  const labels = declared ?? [...new Set(ratings.map((rating) => rating.label))].sort()
  if (labels.length > MAX_AGREEMENT_LABELS)
    return err([{ path: '/ratings', message: `more than ${MAX_AGREEMENT_LABELS} different labels` }])
  const labelIndexes = new Map(labels.map((label, index) => [label, index]))
  if (labelIndexes.size < labels.length) return err([{ path: '/labels', message: 'the same label stands twice' }])
  const raters = new Map<string, number>()
  const items = new Map<string, Draft>()
  const issues: Issue[] = []
  for (const [index, rating] of ratings.entries()) {
    const draft = items.get(rating.item) ?? emptyDraft(rating.item)
    items.set(rating.item, draft)
    const problem = addRating(draft, rating, indexOf(raters, rating.rater), labelIndexes.get(rating.label))
    if (problem === null) continue
    issues.push({ path: `/ratings/${index}${problem.field}`, message: problem.message })
    if (issues.length === MAX_ISSUES) break
  }
  if (issues.length > 0) return err(issues)
  return ok({
    items: Array.from(items.values(), ({ rated_by: _, ...item }) => item),
    raters: [...raters.keys()],
    labels,
    n_ratings: ratings.length,
  })
}

const emptyDraft = (item: string): Draft => ({ item, cluster: null, raters: [], labels: [], rated_by: new Set() })

function indexOf(names: Map<string, number>, name: string): number {
  const known = names.get(name)
  if (known !== undefined) return known
  names.set(name, names.size)
  return names.size - 1
}

function addRating(
  draft: Draft,
  rating: Rating,
  rater: number,
  label: number | undefined,
): { field: string; message: string } | null {
  if (label === undefined) return { field: '/label', message: 'the label is not one of those declared' }
  if (draft.rated_by.has(rater)) return { field: '', message: 'the rater rated this item already' }
  const cluster = rating.cluster ?? draft.cluster
  if (draft.cluster !== null && draft.cluster !== cluster)
    return { field: '/cluster', message: 'the item has another cluster already' }
  draft.rated_by.add(rater)
  draft.raters.push(rater)
  draft.labels.push(label)
  draft.cluster = cluster
  return null
}
