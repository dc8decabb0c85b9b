import { agreement, MAX_RESAMPLED_ITEMS } from '../domain/statistics/agreement.ts'
import { BOOTSTRAP, type BootstrapSettings } from '../domain/statistics/bootstrap.ts'
import { bowker, combine, comparePairs, tally } from '../domain/statistics/rates.ts'
import { count, notesOf } from '../domain/words.ts'
import type { Comparison, Scale, Statistic, UndefinedReason } from '../schemas/agreement.ts'
import type { Label } from '../schemas/vocabulary.ts'
import { countPairs } from './report/rows.ts'

/** The two labels of one question, with the repeats of each judge. */
export interface RepeatedPair {
  readonly base: Label
  readonly head: Label
  /** The cluster of the pair, by its task, else its run; null: independent of all other pairs. */
  readonly cluster: string | null
  /** Valid labels of the samples of each side; fewer than two: the judge was not asked again. */
  readonly base_votes: readonly Label[]
  readonly head_votes: readonly Label[]
  /** True for two grades of one key: the same judge answered the same question twice. */
  readonly same_key: boolean
}

/** Estimates the chance that two answers of a judge to one question differ, without bias: the observed disagreement of Fleiss (1971). Null below two votes. */
export function voteDisagreement(votes: readonly Label[]): number | null {
  const m = votes.length
  const counts = [...Map.groupBy(votes, (vote) => vote).values()].map(({ length }) => length)
  return m < 2 ? null : 1 - counts.reduce((sum, n) => sum + n * (n - 1), 0) / (m * (m - 1))
}

/** Estimates the flips that repeat noise explains: the mean disagreement of votes, or of repeats of a key, times the pairs. Null: no repeats. */
export function repeatNoise(
  pairs: readonly RepeatedPair[],
  settings: BootstrapSettings,
): NonNullable<Comparison['repeat_noise']> {
  const counted = tally(pairs, ({ cluster }) => cluster, [
    ({ base_votes }) => voteDisagreement(base_votes) ?? 'unknown',
    ({ head_votes }) => voteDisagreement(head_votes) ?? 'unknown',
    ({ same_key, base, head }) => (same_key ? base !== head : 'unknown'),
  ])
  const [base = 0, head = 0, again = 0] = counted.unknown.map((unknown) => pairs.length - unknown)
  const meanOf = (sides: readonly number[]): Statistic =>
    combine(counted, sides, settings, ([one = null, other = one]) =>
      one === null || other === null ? null : (one + other) / 2,
    )
  const sides = {
    base: { questions: base, disagreement: meanOf([0]) },
    head: { questions: head, disagreement: meanOf([1]) },
    same_key: { pairs: again, flipped: pairs.filter((pair) => pair.same_key && pair.base !== pair.head).length },
  }
  const { from, sides: measures, reason } = sourceOf(base, head, again)
  const { value, ci95 } = meanOf(measures)
  const flips = (share: number): number => share * pairs.length
  const expected = { expected_flips: value && flips(value), ci95: ci95?.map(flips) ?? null }
  return { ...expected, from, ...sides, reason }
}

const NO_REPEATS = 'neither judge was asked a question twice: how many flips asking again would give is not known'
const MAJORITY =
  'of single votes: the label of several samples is their majority, which flips less often, so that this is rather an upper bound'

/** Chooses the measures of the repeat noise, by the number of questions of each. */
function sourceOf(base: number, head: number, again: number) {
  const alone = `only one side was asked more than once, and the other is taken to be as noisy; ${MAJORITY}`
  const same = 'both sides asked one judge the very same: on those pairs every flip is its noise'
  if (base > 0 && head > 0) return { from: 'votes_of_both', sides: [0, 1], reason: MAJORITY } as const
  if (base > 0) return { from: 'votes_of_base', sides: [0], reason: alone } as const
  if (head > 0) return { from: 'votes_of_head', sides: [1], reason: alone } as const
  if (again > 0) return { from: 'same_key', sides: [2], reason: same } as const
  return { from: null, sides: [2], reason: NO_REPEATS } as const
}

/** The pairs of a comparison in a small form for another process, with all their possible labels in order. */
type ComparedPairs = Readonly<{ pairs: readonly RepeatedPair[]; labels: readonly Label[]; scale: Scale }>

/** Computes agreement, tests and repeat noise of the pairs of a comparison. Pure: the same pairs give the same numbers. */
export function comparisonStatistics(compared: ComparedPairs) {
  const { pairs } = compared
  // The draws are fewer for very many pairs, whose intervals are narrow anyway; the answer reports the number.
  const most = Math.floor(MAX_RESAMPLED_ITEMS / Math.max(1, pairs.length))
  const settings = { ...BOOTSTRAP, draws: Math.max(100, Math.min(BOOTSTRAP.draws, most)) }
  return {
    agreement: agreementOf(compared, settings),
    tests: testsOf(compared, settings),
    repeat_noise: repeatNoise(pairs, settings),
  }
}

function agreementOf(
  { pairs, labels, scale }: ComparedPairs,
  bootstrap: BootstrapSettings,
): NonNullable<Comparison['agreement']> {
  const ratings = pairs.flatMap(({ cluster, base, head }, index) => {
    const item = { item: String(index), ...(cluster !== null && { cluster }) }
    return Object.entries({ base, head }).map(([rater, label]) => ({ ...item, rater, label }))
  })
  const answered = agreement({ ratings, labels: [...labels], scale, bootstrap })
  if (!answered.ok) throw new RangeError(`the pairs make no ratings: ${answered.error[0]?.message}`)
  const { n_items, n_raters, n_ratings, fleiss_kappa, confusion, prevalence, ...figures } = answered.value
  return figures
}

function testsOf({ pairs, labels }: ComparedPairs, settings: BootstrapSettings): NonNullable<Comparison['tests']> {
  const tested = labels.map((label) => {
    const ofLabel = pairs.map(({ cluster, base, head }) => ({ cluster, base: base === label, head: head === label }))
    const { base, head, difference, discordant, mcnemar_p } = comparePairs(ofLabel, settings)
    const isSame = discordant.base_only + discordant.head_only === 0
    const reason: UndefinedReason | null = pairs.length === 0 ? 'no_pairs' : isSame ? 'no_discordant_pairs' : null
    return { label, ...discordant, mcnemar_p, base_share: base.value, head_share: head.value, difference, reason }
  })
  const adjusted = holm(tested.map(({ mcnemar_p }) => mcnemar_p))
  const clusters = pairs.flatMap(({ cluster }) => cluster ?? [])
  const cells = pairs.map(({ base, head }) => [base, head] as const)
  return {
    bowker: bowker(countPairs(cells, labels)),
    labels: tested.map((one, index) => ({ ...one, holm_p: adjusted[index] ?? null })),
    notes: notesOf({
      [`${count(labels.length, 'test')}, one a label: read Holm p, which allows for that; the labels exclude each other, so that the tests are no independent findings`]: true,
      'trials of one task, or of one run where no task is named, are not independent, as the p-values take them to be: the intervals of the differences do allow for it':
        new Set(clusters).size < clusters.length,
    }),
  }
}

/** Adjusts p-values by Holm's step-down method (Scandinavian Journal of Statistics 6, 1979). Null stays null and counts as no test. */
export function holm(values: readonly (number | null)[]): (number | null)[] {
  const sorted = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((a, b) => a.p - b.p)
  const adjusted: (number | null)[] = values.map(() => null)
  let most = 0
  for (const [rank, { p, index }] of sorted.entries()) {
    most = Math.max(most, Math.min(1, p * (sorted.length - rank)))
    adjusted[index] = most
  }
  return adjusted
}
