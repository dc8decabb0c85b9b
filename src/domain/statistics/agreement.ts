import type { Agreement, AgreementRequest, BASELINES, Scale, Statistic } from '../../schemas/agreement.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { BOOTSTRAP, type BootstrapSettings, bootstrap, exponential, type Random, weighAll } from './bootstrap.ts'
import type { Distance, ItemTable, RatedItem, Ratings } from './coefficients.ts'
import {
  apart,
  cellsOf,
  cohenKappa,
  countRatings,
  fleissKappa,
  groupRatings,
  gwetAc1,
  itemTable,
  krippendorffAlpha,
  mostFrequent,
  nominal,
  profileOf,
  rawAgreement,
} from './coefficients.ts'
import { type Estimate, missing } from './intervals.ts'

/** A second or two of work: an answer is made in one go. */
export const MAX_RESAMPLED_ITEMS = 200_000_000

const NAMES = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const
const WEIGHTED_NAMES = ['linear_kappa', 'quadratic_kappa', 'krippendorff_alpha'] as const

/**
 * Answers `POST /v1/agreement`: how far raters agree, each statistic with an interval over items, or over clusters where any item has one (an
 * item without is then a cluster of its own). Formulas and sources are with the functions called. Each draw of the Bayesian bootstrap has one
 * unit more, whose raters rate at random: where raters hardly differ, or use hardly any other label, the items alone show too little of both.
 *
 * With two raters, κ and the confusion matrix are of the items that both rated; the first rater to appear has the rows.
 *
 * @returns issues with JSON pointers into the request: a rater rated an item twice, an item in two clusters, an undeclared label, too
 *   many labels, too many draws for so many items.
 */
export function agreement(request: AgreementRequest): Result<Agreement, Issue[]> {
  const { scale = 'nominal' } = request
  const faults = scaleIssues(request, scale)
  if (faults.length > 0) return err(faults)
  const grouped = groupRatings(request.ratings, scale === 'interval' ? numbersOf(request) : request.labels)
  if (!grouped.ok) return grouped
  const ratings = grouped.value
  const settings: BootstrapSettings = { ...BOOTSTRAP, ...request.bootstrap }
  const n_items = ratings.items.length
  if (settings.draws * n_items > MAX_RESAMPLED_ITEMS) {
    const message = `at most ${Math.floor(MAX_RESAMPLED_ITEMS / n_items)} draws for ${n_items} items`
    return err([{ path: '/bootstrap/draws', message }])
  }
  const { profile_of, ...table } = itemTable(ratings)
  const units = unitsOf(ratings.items, profile_of)
  const last = table.profiles.length
  const drawn = new Float64Array(last + 1)
  const statisticsOf = (weights: Float64Array, random: Random) => {
    drawn.fill(0)
    const extra = exponential(random)
    // The weights of a draw have the sum of the units: α corrects by the number of ratings, and a smaller number would take α beyond 1.
    const share = (units.count + 1) / weights.reduce((sum, weight) => sum + weight, extra)
    for (const [item, profile] of profile_of.entries())
      drawn[profile] = (drawn[profile] ?? 0) + share * (weights[units.of_item[item] ?? 0] ?? 0)
    drawn[last] = (extra * share * n_items) / units.count
    const profiles = [...table.profiles, randomProfile(table, ratings, random)]
    return estimates({ ...table, profiles, weights: drawn }, ratings, scale).map(({ value }) => value)
  }
  const intervals = bootstrap(units.count, settings, statisticsOf, weighAll)
  const all = estimates(table, ratings, scale)
  const statistics = all.map(({ value, reason: none }, place): Statistic => {
    const { ci95 = null, reason = 'too_few_units' } = intervals[place] ?? {}
    if (value === null) return { value, ci95: null, reason: none }
    // No weight is 0, so that no draw reaches full agreement.
    return { value, ci95: ci95 && [Math.min(ci95[0], value), Math.max(ci95[1], value)], reason }
  })
  const unit = ratings.items.some(({ cluster }) => cluster !== null) ? 'cluster' : 'item'
  const undefinedDraws = all.map((_, place) => intervals[place]?.undefined_draws ?? 0)
  const weighted = {
    ...byName(WEIGHTED_NAMES, statistics.slice(NAMES.length)),
    undefined: byName(WEIGHTED_NAMES, undefinedDraws.slice(NAMES.length)),
  }
  return ok({
    n_items,
    n_raters: ratings.raters.length,
    n_ratings: ratings.n_ratings,
    ...byName(NAMES, statistics),
    ...(scale !== 'nominal' && { weighted: { scale, ...weighted } }),
    confusion: confusionOf(ratings, table),
    prevalence: prevalence(ratings.labels, table),
    ...baselines(ratings),
    effective_raters: effectiveRaters(ratings),
    bootstrap: { ...settings, unit, n_units: units.count, undefined: byName(NAMES, undefinedDraws) },
  })
}

/** Finds the most frequent label of all ratings, and of the first rater alone. */
function baselines({ items, labels: names }: Ratings): Pick<Agreement, keyof typeof BASELINES> {
  const given = items.flatMap(({ labels, raters }) =>
    labels.map((label, at) => ({ rater: raters[at], label: names[label] ?? '' })),
  )
  const guess = mostFrequent(given.filter(({ rater }) => rater === 0))
  return {
    base_rate: mostFrequent(given),
    constant_guess: guess && { label: guess.label, agreement: guess.share },
  }
}

/** Bounds the pairs of raters. */
const MOST_RATERS = 50

/**
 * Computes the effective number of raters: n / (1 + (n − 1) ρ̄), the effective size of a cluster of n with the intraclass correlation ρ̄ (Kish, Survey
 * Sampling, 1965, chapter 5), with the mean of Cohen’s κ of each two raters, at least 0, as ρ̄. Null where κ of a pair is undefined.
 *
 * @example two raters with κ 0.5 // → 1.33
 */
function effectiveRaters({ items, raters, labels }: Ratings): Agreement['effective_raters'] {
  const n = raters.length
  if (n > MOST_RATERS) return { value: null, mean_kappa: null, reason: 'too_many_raters' }
  const given = raters.map((_, rater) => items.map((item) => item.labels[item.raters.indexOf(rater)]))
  const kappas: number[] = []
  for (const [at, rows] of given.entries())
    for (const columns of given.slice(at + 1)) {
      const cells = new Float64Array(labels.length ** 2)
      for (const [item, row] of rows.entries()) {
        const column = columns[item]
        if (row === undefined || column === undefined) continue
        const cell = row * labels.length + column
        cells[cell] = (cells[cell] ?? 0) + 1
      }
      const { value, reason } = cohenKappa(cells, labels.length)
      if (value === null) return { value, mean_kappa: null, reason }
      kappas.push(value)
    }
  if (kappas.length === 0) return { value: null, mean_kappa: null, reason: 'no_pairs' }
  const mean_kappa = kappas.reduce((sum, kappa) => sum + kappa, 0) / kappas.length
  return { value: n / (1 + (n - 1) * Math.max(0, mean_kappa)), mean_kappa, reason: null }
}

/** Makes a profile of ratings at random, each label as likely, of as many raters as rate an item on average. */
function randomProfile({ profiles }: ItemTable, { raters, labels }: Ratings, { below }: Random) {
  const sizes = profiles.flatMap(({ total }) => (total > 1 ? [total] : []))
  const each = Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length) || 2
  const given = Array.from({ length: each }, () => below(labels.length))
  const [row = 0, column = 0] = given
  return profileOf(raters.length === 2 ? row * labels.length + column : -1, given)
}

/** Names values in their order. */
const byName = <Name extends string, T>(names: readonly Name[], values: readonly T[]) =>
  Object.fromEntries(names.map((name, place) => [name, values[place]])) as Record<Name, T>

/** Lists the faults of labels on a scale: ordinal labels need an order, and interval labels are numbers. */
function scaleIssues({ ratings, labels }: AgreementRequest, scale: Scale): Issue[] {
  if (scale === 'ordinal' && labels === undefined)
    return [{ path: '/labels', message: 'is required with scale ordinal: it gives the order' }]
  if (scale !== 'interval') return []
  const isNoNumber = (label: string) => label.trim() === '' || !Number.isFinite(Number(label))
  const message = 'must be a number: the scale is interval'
  const wrong = labels?.findIndex(isNoNumber) ?? -1
  if (wrong !== -1) return [{ path: `/labels/${wrong}`, message }]
  const at = ratings.findIndex(({ label }) => isNoNumber(label))
  return at === -1 ? [] : [{ path: `/ratings/${at}/label`, message }]
}

const numbersOf = ({ ratings, labels }: AgreementRequest): readonly string[] =>
  labels ?? [...new Set(ratings.map(({ label }) => label))].sort((a, b) => Number(a) - Number(b))

/** Computes the statistics in the order of `NAMES`, then of labels with an order those of `WEIGHTED_NAMES`. */
function estimates(table: ItemTable, { labels, raters }: Ratings, scale: Scale): Estimate[] {
  const cells = cellsOf(table)
  const kappa = (distance: Distance) =>
    raters.length === 2 ? cohenKappa(cells, labels.length, distance) : missing('not_two_raters')
  const plain = [rawAgreement(table), kappa(nominal), fleissKappa(table), krippendorffAlpha(table), gwetAc1(table)]
  if (scale === 'nominal') return plain
  const values = labels.map((label, place) => (scale === 'interval' ? Number(label) : place))
  const alpha = krippendorffAlpha(table, scale === 'ordinal' ? 'ordinal' : apart(values, 2))
  return [...plain, kappa(apart(values, 1)), kappa(apart(values, 2)), alpha]
}

/** Numbers the units that are resampled, clusters and items without one, by their ratings: the order of the items changes no draw. */
function unitsOf(items: readonly RatedItem[], profile_of: readonly number[]) {
  const units = Map.groupBy(items.keys(), (item) => items[item]?.cluster ?? item)
  const keyOf = (own: readonly number[]): string => String(own.map((item) => profile_of[item]).sort())
  const keyed = [...units.values()].map((own) => ({ own, key: keyOf(own) })).sort((a, b) => (a.key < b.key ? -1 : 1))
  const of_item = new Int32Array(items.length)
  for (const [unit, { own }] of keyed.entries()) for (const item of own) of_item[item] = unit
  return { count: units.size, of_item }
}

function confusionOf(ratings: Ratings, table: ItemTable): Agreement['confusion'] {
  const [row_rater, column_rater, third] = ratings.raters
  if (third !== undefined || row_rater === undefined || column_rater === undefined) return null
  const cells = cellsOf(table)
  const size = ratings.labels.length
  const matrix = ratings.labels.map((_, row) => [...cells.subarray(row * size, (row + 1) * size)])
  return { labels: [...ratings.labels], row_rater, column_rater, matrix }
}

/** Returns the share of each label among all ratings, 0 for one never given; empty without ratings. Own properties, whatever a label is called. */
function prevalence(labels: readonly string[], table: ItemTable): Record<string, number> {
  const { totals, ratings } = countRatings(table, 1)
  return ratings === 0 ? {} : Object.fromEntries(labels.map((label, place) => [label, (totals[place] ?? 0) / ratings]))
}
