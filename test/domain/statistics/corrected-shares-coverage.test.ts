import { expect, test } from 'vitest'
import { correctedShares } from '../../../src/domain/statistics/corrected-shares.ts'
import { at, range } from '../../../src/domain/statistics/weighted-shares.ts'
import type { SamplingDesign } from '../../../src/schemas/review.ts'
import { coverage, type Draws, drawsFrom } from './oracles.ts'

const LABELS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed']
const TRUTH = [0.4, 0.3, 0.15, 0.1, 0.05]
/** P(judge | human): it errs most on the second label, and always towards the first. */
const RATES = [
  [0.94, 0.02, 0.02, 0.01, 0.01],
  [0.22, 0.72, 0.02, 0.02, 0.02],
  [0.05, 0.05, 0.86, 0.02, 0.02],
  [0.05, 0.03, 0.02, 0.88, 0.02],
  [0.02, 0.02, 0.04, 0.02, 0.9],
]

interface Item {
  readonly human: number
  readonly judge: number
  readonly cluster?: string
  readonly weight?: number
}
type Review = (items: Item[], draws: Draws) => Item[]

/** Coverage of the true shares by the intervals of all labels over seeded archives of 600 items. */
function simulate(seed: number, sampling: SamplingDesign, review: Review, tasks = 0): number {
  const trials = 500
  const draws = drawsFrom(seed)
  const held: boolean[] = []
  for (let trial = 0; trial < trials; trial++) {
    const items = tasks > 0 ? clusteredItems(tasks, draws) : range(600).map(() => judged(draws.pick(TRUTH), draws))
    const reviews = review(items, draws).map(({ human, judge, ...rest }) => ({
      human: nameOf(human),
      judge: nameOf(judge),
      ...rest,
    }))
    const graded = items.map(({ judge, cluster }) => ({
      judge: nameOf(judge),
      count: 1,
      cluster: cluster ?? null,
    }))
    const { shares } = correctedShares({ labels: LABELS, graded, reviews, sampling })
    for (const [k, label] of LABELS.entries()) {
      const [low, high] = shares[label]?.ci95 ?? [Number.NaN, Number.NaN]
      held.push(low <= at(TRUTH, k) && at(TRUTH, k) <= high)
    }
  }
  return coverage(held)
}

const nameOf = (place: number): string => LABELS[place] ?? ''
const judged = (human: number, { pick }: Draws): Item => ({ human, judge: pick(RATES[human] ?? []) })

/** In a task four trials in five are as its first: intraclass correlation about .64. */
const clusteredItems = (tasks: number, draws: Draws): Item[] =>
  range(tasks).flatMap((task) => {
    const usual = draws.pick(TRUTH)
    return range(600 / tasks).map(() => ({
      ...judged(draws.uniform() < 0.8 ? usual : draws.pick(TRUTH), draws),
      cluster: `task-${task}`,
    }))
  })

const first150: Review = (items) => items.slice(0, 150)
const everyFourth: Review = (items) => items.filter((_, i) => i % 4 === 0)
const thirtyPerJudgeLabel: Review = (items) =>
  range(5).flatMap((k) => items.filter(({ judge }) => judge === k).slice(0, 30))
const byDisagreement: Review = (items, { uniform }) =>
  items.flatMap((item) => {
    const p = item.human === item.judge ? 0.2 : 0.9
    return uniform() < p ? [{ ...item, weight: 1 / p }] : []
  })
test.each<{ name: string; sampling: SamplingDesign; review: Review; tasks?: number }>([
  { name: 'random, 150 of 600', sampling: 'random', review: first150 },
  { name: '30 of each judge label', sampling: 'stratified', review: thirtyPerJudgeLabel },
  { name: 'by disagreement, with weights', sampling: 'disagreement', review: byDisagreement },
  { name: '60 tasks of ten trials, every fourth reviewed', sampling: 'random', review: everyFourth, tasks: 60 },
])('$name: 93 to 97% of the intervals hold the truth', ({ sampling, review, tasks }) => {
  const held = simulate(20261121, sampling, review, tasks)
  expect(held).toBeGreaterThan(0.93)
  expect(held).toBeLessThan(0.97)
})
