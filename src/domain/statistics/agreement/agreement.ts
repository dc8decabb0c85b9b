import type { Agreement, AgreementRequest, Confusion, Scale, Statistic } from '../../../schemas/audit/agreement.ts'
import { err, type Issue, ok, type Result } from '../../result.ts'
import { BOOTSTRAP, type BootstrapInterval, type BootstrapSettings, bootstrap } from '../bootstrap.ts'
import { type Estimate, missing } from '../estimate.ts'
import {
  cohenKappa,
  type Distance,
  fleissKappa,
  gwetAc1,
  krippendorffAlpha,
  linear,
  nominal,
  quadratic,
  rawAgreement,
} from './coefficients.ts'
import { type ItemTable, itemTable } from './item-table.ts'
import { groupRatings, type RatedItem, type Ratings } from './ratings.ts'

/** A second or two of work: an answer is made in one go. */
export const MAX_RESAMPLED_ITEMS = 200_000_000

const NAMES = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const
const WEIGHTED_NAMES = ['linear_kappa', 'quadratic_kappa', 'alpha_by_distance'] as const
const ALL_NAMES = [...NAMES, ...WEIGHTED_NAMES]
type Name = (typeof ALL_NAMES)[number]

/** What every statistic is computed from: the items of a sample or of a resample, with equal ones folded. */
interface Sample {
  readonly table: ItemTable
  /** Cells of the confusion matrix, row by row; null without exactly two raters. */
  readonly cells: Float64Array | null
  /** Null: the labels have no order. */
  readonly order: Order | null
}

interface Order {
  readonly scale: 'ordinal' | 'interval'
  /** Of the labels: their places, or their numbers. */
  readonly values: readonly number[]
}

/** Which items are resampled together. */
interface Units {
  readonly unit: 'item' | 'cluster'
  readonly count: number
  readonly of_item: readonly number[]
}

/**
 * The answer to `POST /v1/agreement`: how far raters agree, each statistic with a bootstrap interval over items, or over clusters
 * where any item has one (an item without is then a cluster of its own). Formulas and sources are with the functions called.
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
  if (settings.draws * ratings.items.length > MAX_RESAMPLED_ITEMS) return err([tooManyDraws(ratings.items.length)])
  const sample = sampleOf(ratings, orderOf(ratings.labels, scale))
  const units = unitsOf(ratings.items)
  const intervals = bootstrap(units.count, settings, resampler(sample, units, ratings.labels.length))
  const interval = (name: Name) => intervals[ALL_NAMES.indexOf(name)] ?? NO_DRAWS
  const estimates = statistics(sample)
  const statistic = (name: Name) =>
    withInterval(estimates[ALL_NAMES.indexOf(name)] ?? missing('no_ratings'), interval(name))
  return ok({
    n_items: ratings.items.length,
    n_raters: ratings.raters.length,
    n_ratings: ratings.n_ratings,
    ...ofEach(statistic),
    ...(sample.order && {
      weighted: {
        scale: sample.order.scale,
        linear_kappa: statistic('linear_kappa'),
        quadratic_kappa: statistic('quadratic_kappa'),
        krippendorff_alpha: statistic('alpha_by_distance'),
        undefined: {
          linear_kappa: interval('linear_kappa').undefined_draws,
          quadratic_kappa: interval('quadratic_kappa').undefined_draws,
          krippendorff_alpha: interval('alpha_by_distance').undefined_draws,
        },
      },
    }),
    confusion: confusionOf(ratings, sample.cells),
    prevalence: prevalence(ratings),
    bootstrap: {
      ...settings,
      unit: units.unit,
      n_units: units.count,
      undefined: ofEach((name) => interval(name).undefined_draws),
    },
  })
}

const ofEach = <Value>(read: (name: Name) => Value) =>
  Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Record<(typeof NAMES)[number], Value>

/** Labels without an order have no distance, and numbers are numbers. */
function scaleIssues({ ratings, labels }: AgreementRequest, scale: Scale): Issue[] {
  if (scale === 'ordinal' && labels === undefined)
    return [{ path: '/labels', message: 'is required with scale ordinal: it gives the order' }]
  if (scale !== 'interval') return []
  const isNumber = (label: string) => label.trim() !== '' && Number.isFinite(Number(label))
  const wrong = labels?.findIndex((label) => !isNumber(label)) ?? -1
  if (wrong !== -1) return [{ path: `/labels/${wrong}`, message: 'must be a number: the scale is interval' }]
  const at = ratings.findIndex(({ label }) => !isNumber(label))
  return at === -1 ? [] : [{ path: `/ratings/${at}/label`, message: 'must be a number: the scale is interval' }]
}

const numbersOf = ({ ratings, labels }: AgreementRequest): readonly string[] =>
  labels ?? [...new Set(ratings.map(({ label }) => label))].sort((a, b) => Number(a) - Number(b))

const orderOf = (labels: readonly string[], scale: Scale): Order | null =>
  scale === 'nominal'
    ? null
    : { scale, values: labels.map((label, place) => (scale === 'interval' ? Number(label) : place)) }

/** Computes the statistics in the order of `ALL_NAMES`; weighted statistics only of labels with an order. */
function statistics({ table, cells, order }: Sample): Estimate[] {
  const kappa = (distance: Distance) =>
    cells === null ? missing('not_two_raters') : cohenKappa(cells, table.n_labels, distance)
  const plain = [rawAgreement(table), kappa(nominal), fleissKappa(table), krippendorffAlpha(table), gwetAc1(table)]
  if (order === null) return plain
  const { scale, values } = order
  const alpha = krippendorffAlpha(table, scale === 'ordinal' ? 'ordinal' : quadratic(values))
  return [...plain, kappa(linear(values)), kappa(quadratic(values)), alpha]
}

const NO_DRAWS: BootstrapInterval = { ci95: null, reason: 'too_few_units', undefined_draws: 0 }

const withInterval = (estimate: Estimate, interval: BootstrapInterval): Statistic =>
  estimate.value === null
    ? { value: null, ci95: null, reason: estimate.reason }
    : { value: estimate.value, ci95: interval.ci95, reason: interval.reason }

interface FullSample extends Sample {
  readonly profile_of: readonly number[]
  readonly cell_of: readonly number[] | null
}

function sampleOf(ratings: Ratings, order: Order | null): FullSample {
  const { profile_of, ...table } = itemTable(ratings)
  if (ratings.raters.length !== 2) return { table, cells: null, order, profile_of, cell_of: null }
  const cell_of = cellsOf(ratings)
  const cells = new Float64Array(table.n_labels ** 2)
  for (const cell of cell_of) if (cell >= 0) cells[cell] = (cells[cell] ?? 0) + 1
  return { table, cells, order, profile_of, cell_of }
}

/** Returns for each item the cell (row · K + column) of the first two raters; −1 where one of them did not rate the item. */
export const cellsOf = (ratings: Ratings): number[] =>
  ratings.items.map(({ labels, raters }) => {
    const [row, column] = [labels[raters.indexOf(0)], labels[raters.indexOf(1)]]
    return row === undefined || column === undefined ? -1 : row * ratings.labels.length + column
  })

function unitsOf(items: readonly RatedItem[]): Units {
  const clusters = new Map<string, number>()
  let count = 0
  const of_item = items.map(({ cluster }) => {
    if (cluster === null) return count++
    const known = clusters.get(cluster) ?? count++
    clusters.set(cluster, known)
    return known
  })
  return { unit: clusters.size > 0 ? 'cluster' : 'item', count, of_item }
}

/** Folds a draw of units into the weights of profiles and cells: one pass over the items, then sums over what differs. */
function resampler(sample: FullSample, units: Units, size: number): (weights: Uint32Array) => (number | null)[] {
  const { profile_of, cell_of } = sample
  const weights = new Float64Array(sample.table.profiles.length)
  const cells = cell_of === null ? null : new Float64Array(size * size)
  const unitOf = Int32Array.from(units.of_item)
  const profileOf = Int32Array.from(profile_of)
  const cellOf = Int32Array.from(cell_of ?? [])
  const drawn: Sample = { table: { ...sample.table, weights }, cells, order: sample.order }
  return (draws) => {
    weights.fill(0)
    cells?.fill(0)
    for (let item = 0; item < unitOf.length; item++) {
      const times = draws[unitOf[item] ?? 0] ?? 0
      if (times === 0) continue
      const profile = profileOf[item] ?? 0
      weights[profile] = (weights[profile] ?? 0) + times
      const cell = cellOf[item] ?? -1
      if (cells !== null && cell >= 0) cells[cell] = (cells[cell] ?? 0) + times
    }
    return statistics(drawn).map((estimate) => estimate.value)
  }
}

function confusionOf(ratings: Ratings, cells: Float64Array | null): Confusion | null {
  const [row_rater, column_rater] = ratings.raters
  if (cells === null || row_rater === undefined || column_rater === undefined) return null
  const size = ratings.labels.length
  const matrix = ratings.labels.map((_, row) => [...cells.subarray(row * size, (row + 1) * size)])
  return { labels: [...ratings.labels], row_rater, column_rater, matrix }
}

const tooManyDraws = (items: number): Issue => ({
  path: '/bootstrap/draws',
  message: `at most ${Math.floor(MAX_RESAMPLED_ITEMS / items)} draws for ${items} items`,
})

/**
 * Share of each label among all ratings; empty where there are none. Labels that were declared and not given are there with 0: that is
 * their share. Own properties only, whatever a label is called.
 */
export function prevalence(ratings: Ratings): Record<string, number> {
  if (ratings.n_ratings === 0) return {}
  const counts = new Float64Array(ratings.labels.length)
  for (const item of ratings.items) for (const label of item.labels) counts[label] = (counts[label] ?? 0) + 1
  return Object.fromEntries(ratings.labels.map((label, index) => [label, (counts[index] ?? 0) / ratings.n_ratings]))
}
