import { wilson } from '../../src/domain/statistics/intervals.ts'
import { combine, comparePairs, difference, product, rateOf, tally } from '../../src/domain/statistics/rates.ts'
import { at, range } from '../../src/domain/statistics/weighted-shares.ts'
import { type Draws, drawsFrom } from '../../test/domain/statistics/oracles.ts'
import { holds, type Setting } from './simulation.ts'

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

export const RATE_SETTINGS: readonly Setting[] = [
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
