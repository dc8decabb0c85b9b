import { MAX_AGREEMENT_LABELS, type Rating } from '../../schemas/agreement.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { type Estimate, estimated, missing, ratio } from './intervals.ts'

/** Measures the distance of two categories, given by index; 0 for the same category. */
export type Distance = (first: number, second: number) => number

export const nominal: Distance = (first, second) => (first === second ? 0 : 1)
/** Measures by the difference of numbers, to a power: 1 is linear, 2 quadratic. */
export const apart =
  (values: readonly number[], power: 1 | 2): Distance =>
  (first, second) =>
    Math.abs((values[first] ?? 0) - (values[second] ?? 0)) ** power

/**
 * Computes κ of two raters: 1 − Σ v_ij n_ij / Σ v_ij r_i c_j / n, with v the distance of the categories and r, c the margins. Nominal
 * distances give Cohen’s unweighted κ, (po − pe) / (1 − pe) (EPM 20, 1960); others weighted κ (Cohen, Psychological Bulletin 70, 1968);
 * quadratic distances the intraclass correlation of Fleiss & Cohen (1973). Null where nothing was rated by both, or where chance leaves no
 * distance, as with one and the same category throughout (pe = 1; scikit-learn 1.9 gives NaN).
 *
 * @param cells of the K × K matrix, row by row.
 * @example cohenKappa([20, 5, 10, 15], 2) // → { value: 0.4, reason: null }
 */
export function cohenKappa(cells: ArrayLike<number>, size: number, distance = nominal): Estimate {
  const rows = new Float64Array(size)
  const columns = new Float64Array(size)
  let total = 0
  let observed = 0
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const count = cells[row * size + column] ?? 0
      if (count === 0) continue
      rows[row] = (rows[row] ?? 0) + count
      columns[column] = (columns[column] ?? 0) + count
      total += count
      observed += count * distance(row, column)
    }
  }
  if (total === 0) return missing('no_pairs')
  let chance = 0
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      chance += (rows[row] ?? 0) * (columns[column] ?? 0) * distance(row, column)
  return ratio(chance - total * observed, chance, 'one_category')
}

/**
 * Computes Krippendorff’s α for any pattern of missing ratings: 1 − Do/De. Over items with m_u ≥ 2 ratings, in all n of them,
 * Do = (1/n) Σ_u Σ_{c≠k} v_ck n_uc n_uk / (m_u − 1) and De = Σ_{c≠k} v_ck n_c n_k / (n (n − 1)), with v the distance: 1 for nominal data, the
 * squared difference for numbers, and for ordinal data that of the middle ranks.
 * Krippendorff, "Computing Krippendorff’s Alpha-Reliability" (2011), sections B to D.
 * Null where no item has two ratings, or where all such ratings are of one category (De = 0): that is undefined, not agreement.
 */
export function krippendorffAlpha(table: ItemTable, scale: Distance | 'ordinal' = nominal): Estimate {
  const { totals, ratings } = countRatings(table, 2)
  if (ratings === 0) return missing('no_pairs')
  const distance = scale === 'ordinal' ? apart(middleRanks(totals), 2) : scale
  let disagreement = 0
  eachProfile(table, 2, ({ labels, counts, total }, weight) => {
    disagreement += (weight * pairsApart(labels, counts, distance)) / (total - 1)
  })
  const expected = pairsApart([...totals.keys()], totals, distance)
  if (expected === 0) return missing('one_category')
  return estimated(1 - ((ratings - 1) * disagreement) / expected)
}

/** Returns the middle rank of each category: the difference of two is Σ_{g=c..k} n_g − (n_c + n_k) / 2. */
function middleRanks(totals: Float64Array): number[] {
  let below = 0
  return Array.from(totals, (count) => {
    below += count
    return below - count / 2
  })
}

/** Sums the distances of ordered pairs of ratings. */
function pairsApart(labels: readonly number[], counts: ArrayLike<number>, distance: Distance): number {
  let sum = 0
  for (let first = 0; first < labels.length; first++)
    for (let second = 0; second < first; second++)
      sum += 2 * (counts[first] ?? 0) * (counts[second] ?? 0) * distance(labels[first] ?? 0, labels[second] ?? 0)
  return sum
}

/**
 * Computes the share of pairs of ratings of the same item that agree: the mean over items with two or more ratings of
 * Σ_k n_ik (n_ik − 1) / (n_i (n_i − 1)). Fleiss 1971, equation 3; with missing ratings as `pa` of Gwet, Handbook of Inter-Rater
 * Reliability (2014), chapter 2. With two raters it is the share of items on which they agree.
 */
export function rawAgreement(table: ItemTable): Estimate {
  let agreement = 0
  let items = 0
  eachProfile(table, 2, ({ squares, total }, weight) => {
    agreement += (weight * (squares - total)) / (total * (total - 1))
    items += weight
  })
  return ratio(agreement, items, 'no_pairs')
}

/**
 * Computes Fleiss’ κ: (P̄ − P̄e) / (1 − P̄e), with P̄ the raw agreement and P̄e = Σ p_j², p_j the share of category j among all ratings.
 * Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971).
 * Null where items have unequal numbers of ratings, one each, or all ratings are of one category.
 */
export function fleissKappa(table: ItemTable): Estimate {
  const sizes = new Set<number>()
  eachProfile(table, 1, ({ total }) => sizes.add(total))
  if (sizes.size > 1) return missing('unequal_ratings')
  const { totals, ratings } = countRatings(table, 1)
  const observed = rawAgreement(table)
  if (observed.value === null) return missing(ratings === 0 ? 'no_ratings' : 'no_pairs')
  const whole = ratings * ratings
  const squares = totals.reduce((sum, total) => sum + total * total, 0)
  return ratio(observed.value * whole - squares, whole - squares, 'one_category')
}

/**
 * Computes Gwet’s AC1: (pa − pe) / (1 − pe), with pa the raw agreement over items with two or more ratings, pe = Σ_k π_k (1 − π_k) / (K − 1),
 * and π_k the mean over all items with a rating of the share of their ratings that are k. Gwet, "Computing inter-rater reliability
 * and its variance in the presence of high agreement", BJMSP 61 (2008); missing ratings as in the R package irrCAC 1.0.
 * K is the number of categories of the table, also those that were not given. Null where there is but one, or no item has two ratings.
 */
export function gwetAc1(table: ItemTable): Estimate {
  const observed = rawAgreement(table)
  if (observed.value === null) return observed
  if (table.n_labels < 2) return missing('one_category')
  const shares = new Float64Array(table.n_labels)
  let items = 0
  eachProfile(table, 1, ({ labels, counts, total }, weight) => {
    items += weight
    labels.forEach((label, at) => {
      shares[label] = (shares[label] ?? 0) + (weight * (counts[at] ?? 0)) / total
    })
  })
  const expected = shares.reduce((sum, share) => sum + (share / items) * (1 - share / items), 0) / (table.n_labels - 1)
  return estimated((observed.value - expected) / (1 - expected))
}

type Profile = ReturnType<typeof profileOf>

/**
 * The item × category table, with equal rows folded into one: `weights[p]` items have the profile `profiles[p]`. A resample of items
 * is the same table with other weights, so that statistics cost as much as there are different profiles, not items.
 */
export interface ItemTable {
  readonly n_labels: number
  readonly profiles: readonly Profile[]
  readonly weights: ArrayLike<number>
}

/** Builds the table of the ratings, and for each item the index of its profile. */
export function itemTable(ratings: Ratings): ItemTable & { readonly profile_of: readonly number[] } {
  const keys = ratings.items.map(({ labels, raters }) => {
    const [row, column] = [labels[raters.indexOf(0)], labels[raters.indexOf(1)]]
    const isPair = ratings.raters.length === 2 && row !== undefined && column !== undefined
    return [isPair ? row * ratings.labels.length + column : -1, ...labels.toSorted((a, b) => a - b)].join()
  })
  const places = new Map([...new Set(keys)].sort().map((key, place) => [key, place]))
  const profile_of = keys.map((key) => places.get(key) ?? 0)
  const weights = new Array<number>(places.size).fill(0)
  for (const place of profile_of) weights[place] = (weights[place] ?? 0) + 1
  const profiles = [...places.keys()].map((key) => {
    const [cell = -1, ...all] = key.split(',').map(Number)
    return profileOf(cell, all)
  })
  return { n_labels: ratings.labels.length, profiles, weights, profile_of }
}

/**
 * Counts the labels that an item was given, without the zeros: `counts[i]` of its `total` ratings are of the label with the index `labels[i]`. `squares` is
 * Σ n_k², the ordered pairs of ratings that agree, each rating with itself among them; `cell` the cell of the confusion matrix (row · K + column), −1 where
 * one of the first two raters did not rate the item.
 */
export function profileOf(cell: number, all: readonly number[]) {
  const given = Map.groupBy(all, (label) => label)
  const counts = [...given.values()].map(({ length }) => length)
  const squares = counts.reduce((sum, count) => sum + count ** 2, 0)
  return { labels: [...given.keys()], counts, total: all.length, squares, cell }
}

/** Visits the profiles that items have, with how many items; `least` ratings each. */
function eachProfile(
  { profiles, weights }: ItemTable,
  least: number,
  visit: (profile: Profile, weight: number) => void,
): void {
  profiles.forEach((profile, place) => {
    const weight = weights[place] ?? 0
    if (weight > 0 && profile.total >= least) visit(profile, weight)
  })
}

/** Sums the items of each cell of the confusion matrix of two raters, row by row. */
export function cellsOf(table: ItemTable): Float64Array {
  const cells = new Float64Array(table.n_labels ** 2)
  eachProfile(table, 2, ({ cell }, weight) => {
    if (cell >= 0) cells[cell] = (cells[cell] ?? 0) + weight
  })
  return cells
}

/** Counts the ratings of each label, and all ratings, of items with `least` ratings or more. */
export function countRatings(table: ItemTable, least: number): { totals: Float64Array; ratings: number } {
  const totals = new Float64Array(table.n_labels)
  let ratings = 0
  eachProfile(table, least, ({ labels, counts, total }, weight) => {
    ratings += weight * total
    labels.forEach((label, at) => {
      totals[label] = (totals[label] ?? 0) + weight * (counts[at] ?? 0)
    })
  })
  return { totals, ratings }
}

/** Finds the most frequent label, the first by code unit of equally frequent ones, with its share; null without labels. */
export function mostFrequent(given: readonly { readonly label: string }[]): { label: string; share: number } | null {
  const counts = [...Map.groupBy(given, ({ label }) => label)].map(([label, { length }]) => ({ label, length }))
  const [most] = counts.sort((a, b) => b.length - a.length || (a.label < b.label ? -1 : 1))
  return most === undefined ? null : { label: most.label, share: most.length / given.length }
}

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
