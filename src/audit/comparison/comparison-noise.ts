import { type BootstrapSettings, bootstrap } from '../../domain/statistics/bootstrap.ts'
import type { Statistic } from '../../schemas/audit/agreement.ts'
import type { RepeatNoise } from '../../schemas/regrade.ts'
import type { Label } from '../../schemas/vocabulary.ts'

/** Two labels of one question, with what is known of how a judge answers it again. */
export interface RepeatedPair {
  readonly base: Label
  readonly head: Label
  /** What it is not independent of: its task, else its run; null: nothing. */
  readonly cluster: string | null
  /** Valid labels of the samples of each side; empty or one: not asked again. */
  readonly base_votes: readonly Label[]
  readonly head_votes: readonly Label[]
  /** Two grades of one key: the same judge was asked the very same twice. */
  readonly same_key: boolean
}

/**
 * The chance that two answers of a judge to one question differ, from m ≥ 2 votes: 1 − Σ_c n_c (n_c − 1) / (m (m − 1)), without bias. It is
 * the observed disagreement of Fleiss (1971) for one item. Null with fewer votes.
 */
export function voteDisagreement(votes: readonly Label[]): number | null {
  const m = votes.length
  if (m < 2) return null
  const counts = new Map<Label, number>()
  for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1)
  const same = [...counts.values()].reduce((sum, n) => sum + n * (n - 1), 0)
  return 1 - same / (m * (m - 1))
}

/** A question of one side, with its rate of disagreement with itself. */
interface Rated {
  readonly cluster: string | null
  readonly rate: number
}

/**
 * How many flips the judge’s own noise explains. Each side’s rate of disagreement with itself is the mean over its questions with
 * votes; the expected flips are the mean of the sides that have one, times the pairs. Without votes, pairs of one key are repeats
 * themselves. Where nothing was asked twice nothing is known, and it is null.
 */
export function repeatNoise(pairs: readonly RepeatedPair[], settings: BootstrapSettings): RepeatNoise {
  const base = ratedBy(pairs, ({ base_votes }) => voteDisagreement(base_votes))
  const head = ratedBy(pairs, ({ head_votes }) => voteDisagreement(head_votes))
  const again = ratedBy(pairs, (pair) => (pair.same_key ? Number(pair.base !== pair.head) : null))
  const sides = {
    base: { questions: base.length, disagreement: meanOf([base], settings) },
    head: { questions: head.length, disagreement: meanOf([head], settings) },
    same_key: { pairs: again.length, flipped: again.filter(({ rate }) => rate === 1).length },
  }
  const source = sourceOf(base, head, again)
  if (source === null) return { expected_flips: null, ci95: null, from: null, ...sides, reason: NO_REPEATS }
  const { value, ci95 } = meanOf(source.rated, settings)
  const scaled = ([low = 0, high = 0]: readonly number[]): [number, number] => [low * pairs.length, high * pairs.length]
  return {
    expected_flips: value === null ? null : value * pairs.length,
    ci95: ci95 === null ? null : scaled(ci95),
    from: source.from,
    ...sides,
    reason: source.reason,
  }
}

const NO_REPEATS = 'no question was asked more than once of either side: its repeat noise is not known'
const MAJORITY =
  'of single votes: the label of several samples is their majority, which flips less often, so that this is rather an upper bound'

function sourceOf(base: readonly Rated[], head: readonly Rated[], again: readonly Rated[]) {
  if (base.length > 0 && head.length > 0)
    return { from: 'votes_of_both', rated: [base, head], reason: MAJORITY } as const
  const alone = 'only one side was asked more than once, and the other is taken to be as noisy; '
  if (base.length > 0) return { from: 'votes_of_base', rated: [base], reason: alone + MAJORITY } as const
  if (head.length > 0) return { from: 'votes_of_head', rated: [head], reason: alone + MAJORITY } as const
  if (again.length === 0) return null
  const reason = 'both sides asked one judge the very same: on those pairs every flip is its noise'
  return { from: 'same_key', rated: [again], reason } as const
}

const ratedBy = (pairs: readonly RepeatedPair[], rateOf: (pair: RepeatedPair) => number | null): Rated[] =>
  pairs.flatMap((pair) => {
    const rate = rateOf(pair)
    return rate === null ? [] : [{ cluster: pair.cluster, rate }]
  })

/** The mean over sides of each side’s mean over its questions, with clusters resampled for all sides at once. */
function meanOf(sides: readonly (readonly Rated[])[], settings: BootstrapSettings): Statistic {
  const places = new Map<string, number>()
  let count = 0
  const questions = sides.map((rated) =>
    rated.map(({ cluster, rate }) => {
      const place = cluster === null ? count++ : (places.get(cluster) ?? count++)
      if (cluster !== null) places.set(cluster, place)
      return { place, rate }
    }),
  )
  const mean = (weightOf: (place: number) => number): number | null => {
    const means = questions.map((some) => {
      let sum = 0
      let n = 0
      for (const { place, rate } of some) {
        sum += weightOf(place) * rate
        n += weightOf(place)
      }
      return n === 0 ? null : sum / n
    })
    const known = means.filter((one) => one !== null)
    return known.length < means.length ? null : known.reduce((sum, one) => sum + one, 0) / means.length
  }
  const value = mean(() => 1)
  if (value === null) return { value, ci95: null, reason: 'no_cases' }
  const [interval] = bootstrap(count, settings, (weights) => [mean((place) => weights[place] ?? 0)])
  return { value, ci95: interval?.ci95 ?? null, reason: interval?.reason ?? null }
}
