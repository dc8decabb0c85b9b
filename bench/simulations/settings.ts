import { agreement } from '../../src/domain/statistics/agreement.ts'
import { wilson } from '../../src/domain/statistics/intervals.ts'
import { combine, comparePairs, difference, product, rateOf, tally } from '../../src/domain/statistics/rates.ts'
import { at, range } from '../../src/domain/statistics/weighted-shares.ts'
import { type Draws, drawsFrom } from '../../test/domain/statistics/oracles.ts'
import { holds, runSimulations, type Setting, type Tally } from './simulation.ts'

/**
 * Raters who see the true label with the chance `follow` of their task, and else draw one with the same shares: so the chance-corrected
 * agreement of the population is E[follow²], for κ and α alike, whatever the shares are.
 */
interface Raters {
  readonly shares: readonly number[]
  readonly raters: number
  /** Of a task; one of them, each as likely. With one task an item there are no clusters. */
  readonly follow: readonly number[]
  readonly tasks: number
  readonly runs: number
  readonly missing?: number
}

type Name = 'krippendorff_alpha' | 'cohen_kappa' | 'gwet_ac1'

const EVEN = [0.2, 0.2, 0.2, 0.2, 0.2]
const SKEWED = [0.6, 0.2, 0.1, 0.07, 0.03]

const sumOfSquares = (shares: readonly number[]): number => shares.reduce((sum, share) => sum + share * share, 0)
const meanSquare = (follow: readonly number[]): number => sumOfSquares(follow) / follow.length

function truthOf(name: Name, { shares, follow }: Raters): number {
  const beyondChance = meanSquare(follow)
  if (name !== 'gwet_ac1') return beyondChance
  const agreed = beyondChance + (1 - beyondChance) * sumOfSquares(shares)
  const chance = (1 - sumOfSquares(shares)) / (shares.length - 1)
  return (agreed - chance) / (1 - chance)
}

function drawRatings({ shares, raters, follow, tasks, runs, missing = 0 }: Raters, { pick, uniform }: Draws) {
  const likely = follow.map(() => 1 / follow.length)
  return range(tasks).flatMap((task) => {
    const own = at(follow, pick(likely))
    const usual = pick(shares)
    return range(runs).flatMap((run) => {
      const truth = runs > 1 && uniform() < 0.6 ? usual : pick(shares)
      return range(raters).flatMap((rater) => {
        const label = uniform() < own ? truth : pick(shares)
        if (missing > 0 && uniform() < missing) return []
        const cluster = runs > 1 ? { cluster: `${task}` } : {}
        return [{ item: `${task}-${run}`, rater: `${rater}`, label: `${label}`, ...cluster }]
      })
    })
  })
}

const NAMED: Readonly<Record<Name, string>> = {
  krippendorff_alpha: 'Krippendorff’s α, Bayesian bootstrap',
  cohen_kappa: 'Cohen’s κ, Bayesian bootstrap',
  gwet_ac1: 'Gwet’s AC1, Bayesian bootstrap',
}

const settingOf = (name: Name, setting: string, model: Raters): Setting => ({
  what: NAMED[name],
  setting,
  simulations: 1000,
  quick: 40,
  simulate(seed) {
    const answer = agreement({
      ratings: drawRatings(model, drawsFrom(seed)),
      labels: model.shares.map((_, label) => `${label}`),
      bootstrap: { draws: 1000, seed },
    })
    if (!answer.ok) throw new Error(answer.error[0]?.message)
    return [holds(answer.value[name].ci95, truthOf(name, model))]
  },
})

const items = (tasks: number, raters: number) => ({ tasks, runs: 1, follow: [0.8], shares: EVEN, raters })
const agreeing = (tasks: number) => ({ tasks, runs: 1, follow: [0.97], shares: SKEWED, raters: 2 })
const clusters = (tasks: number, raters: number) => ({ tasks, runs: 5, follow: [0.95, 0.6], shares: EVEN, raters })

const AGREEMENT_SETTINGS: readonly Setting[] = [
  settingOf('krippendorff_alpha', '100 items, 3 raters', items(100, 3)),
  settingOf('krippendorff_alpha', '100 items, 3 raters, a fifth missing', { ...items(100, 3), missing: 0.2 }),
  settingOf('krippendorff_alpha', '50 items, 2 disagreements, .60 … .03', agreeing(50)),
  settingOf('krippendorff_alpha', '40 tasks × 5, 3 raters', clusters(40, 3)),
  settingOf('krippendorff_alpha', '15 tasks × 5, 3 raters', clusters(15, 3)),
  settingOf('cohen_kappa', '100 items', items(100, 2)),
  settingOf('cohen_kappa', '50 items, 2 disagreements, .60 … .03', agreeing(50)),
  settingOf('cohen_kappa', '40 tasks × 5', clusters(40, 2)),
  settingOf('gwet_ac1', '100 items, 2 raters', items(100, 2)),
  settingOf('gwet_ac1', '50 items, 2 disagreements, .60 … .03', agreeing(50)),
  settingOf('gwet_ac1', '40 tasks × 5, 3 raters', clusters(40, 3)),
]

const SETTINGS = (seed: number) => ({ draws: 1000, seed })

interface Row {
  readonly task: string
  readonly first: boolean
  readonly second: boolean
}

/** In a task, a share of the runs (`alike`) is as its first would be: intraclass correlation alike². */
function drawRuns(tasks: number, runs: number, rates: readonly [number, number], alike: number, draws: Draws): Row[] {
  return range(tasks).flatMap((task) => {
    const luck = draws.uniform()
    const usual = rates.map((rate) => luck < rate)
    const one = (side: 0 | 1): boolean =>
      draws.uniform() < alike ? (usual[side] ?? false) : draws.uniform() < at(rates, side)
    return range(runs).map(() => ({ task: `${task}`, first: one(0), second: one(1) }))
  })
}

const clustered = (tasks: number, runs: number, rate: number): Setting => ({
  what: 'rate, clustered',
  setting: `${tasks} tasks × ${runs}, rate ${rate}`,
  simulations: 2000,
  quick: 100,
  simulate(seed) {
    const rows = drawRuns(tasks, runs, [rate, rate], 0.6, drawsFrom(seed))
    const counted = tally(rows, ({ task }) => task, [({ first }) => first])
    return [holds(rateOf(counted).ci95, rate)]
  },
})

const paired = (tasks: number, runs: number): Setting => ({
  what: 'paired difference, cluster bootstrap',
  setting: `${tasks} tasks × ${runs}, .45 → .30`,
  simulations: 2000,
  quick: 100,
  simulate(seed) {
    const rows = drawRuns(tasks, runs, [0.45, 0.3], 0.6, drawsFrom(seed))
    const pairs = rows.map(({ task, first, second }) => ({ cluster: task, base: first, head: second }))
    return [holds(comparePairs(pairs, SETTINGS(seed)).difference.ci95, 0.3 - 0.45)]
  },
})

/** C over two trials in three, R over all: both resampled together. */
const combined = (what: string, of: typeof product, truth: number, tasks: number): Setting => ({
  what,
  setting: `${tasks} tasks × 5, rates .7 and .8`,
  simulations: 1500,
  quick: 60,
  simulate(seed) {
    const draws = drawsFrom(seed)
    const rows = drawRuns(tasks, 5, [0.7, 0.8], 0.6, draws).map((row) => ({ ...row, paired: draws.uniform() < 2 / 3 }))
    const counted = tally(rows, ({ task }) => task, [
      ({ paired: has, first }) => (has ? first : 'outside'),
      ({ second }) => second,
    ])
    return [holds(combine(counted, [0, 1], SETTINGS(seed), of).ci95, truth)]
  },
})

const independent = (trials: number, rate: number): Setting => ({
  what: 'rate, Wilson',
  setting: `${trials} trials, rate ${rate}`,
  simulations: 20_000,
  quick: 4_000,
  simulate(seed) {
    const { uniform } = drawsFrom(seed)
    const successes = range(trials).filter(() => uniform() < rate).length
    return [holds(wilson(successes / trials, trials), rate)]
  },
})

const RATE_SETTINGS: readonly Setting[] = [
  clustered(40, 5, 0.3),
  clustered(40, 5, 0.1),
  clustered(40, 5, 0.03),
  clustered(15, 5, 0.3),
  clustered(15, 5, 0.1),
  paired(40, 5),
  paired(40, 1),
  paired(15, 5),
  combined('T = C × R, cluster bootstrap', product, 0.7 * 0.8, 40),
  combined('T = C × R, cluster bootstrap', product, 0.7 * 0.8, 15),
  combined('gap of two rates, cluster bootstrap', difference, 0.8 - 0.7, 40),
  independent(20, 0.1),
  independent(60, 0.3),
  independent(200, 0.05),
  independent(200, 0.5),
]

/** Every line of the table, in its order: the place in this list is part of the seed. */
export const COVERAGE_SETTINGS: readonly Setting[] = [...AGREEMENT_SETTINGS, ...RATE_SETTINGS]

/** Simulations `from` … `to` − 1 of the setting at `place`. */
export interface Piece {
  readonly place: number
  readonly from: number
  readonly to: number
}

/** Runs a piece; its draws depend on its seeds alone. */
export function runPiece({ place, from, to }: Piece): Tally {
  const setting = COVERAGE_SETTINGS[place]
  if (setting === undefined) throw new RangeError(`no setting ${place}`)
  return runSimulations(setting, place, from, to)
}
