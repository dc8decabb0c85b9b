import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GOOD, type Plan, REAL } from '../../../bench/judges/cells.ts'
import { type Method, meanOf, REVIEWS, STRUCTURES, simulate } from '../../../bench/judges/simulate.ts'

const SHARED = resolve(import.meta.dirname, '../../../../shared/oracles/judge-confusions.json')

test.skipIf(!existsSync(SHARED))('the judges are those of the shared oracle', () => {
  const copied = resolve(import.meta.dirname, '../../../bench/judges/confusions.json')
  expect(JSON.parse(readFileSync(copied, 'utf8'))).toEqual(JSON.parse(readFileSync(SHARED, 'utf8')))
})

/** Mean coverage of each plan by each method. */
function coverages(plans: readonly Plan[], methods: readonly Method[], draws: number): Record<string, number[]> {
  const outcomes = plans.map(({ counts, structure, reviews }, place) =>
    simulate({ counts, structure, reviews, methods, draws, seed: place * 1e5 }),
  )
  return Object.fromEntries(
    methods.map((method) => [method, outcomes.map((outcome) => meanOf(outcome[method]?.held ?? []))]),
  )
}
const lowest = (values: readonly number[] | undefined): number => Math.min(...(values ?? []))

/** Twenty judges × three ways to count labels, 25 draws each: a Monte-Carlo error of about 0.45%. */
describe.each(STRUCTURES.filter(({ tasks }) => tasks === 0 || tasks === 10))('$name', (structure) => {
  test.each(REVIEWS)('%i reviews: 93.5 to 97% of the intervals hold the truth', (reviews) => {
    const plans = REAL.filter((plan) => plan.structure === structure && plan.reviews === reviews)
    const held = coverages(plans, ['as reported', 'judge’s raw share'], 25)
    const now = meanOf(held['as reported'] ?? [])
    expect(now).toBeGreaterThan(0.935)
    expect(now).toBeLessThan(0.97)
    // A plan’s own Monte-Carlo error is about 4%.
    expect(lowest(held['as reported'])).toBeGreaterThan(0.75)
    expect(meanOf(held['judge’s raw share'] ?? [])).toBeLessThan(0.5)
  })
})

test('a judge that shows no error in 30 reviews is not taken for one without errors', () => {
  const plans = GOOD.filter((plan) => plan.structure.tasks === 0 && plan.reviews === 30)
  const held = coverages(plans, ['as reported'], 60)
  expect(lowest(held['as reported'])).toBeGreaterThan(0.93)
})

test('as many more reviews as reviews_to_halve says halve the width, and null where tasks are what is missing', () => {
  const [plan] = REAL
  if (plan === undefined) throw new Error('no judge')
  const run = (reviews: number, tasks: number) => {
    const structure = { name: '', graded: 1000, tasks, alike: 0.6 }
    const { 'as reported': outcome } = simulate({
      ...plan,
      structure,
      reviews,
      methods: ['as reported'],
      draws: 60,
      seed: 1,
    })
    if (outcome === undefined) throw new Error('no outcome')
    return outcome
  }
  for (const tasks of [0, 250]) {
    const first = run(40, tasks)
    expect(first.told).toBeGreaterThan(0.95)
    const ratio = run(40 + Math.round(first.reviewsToHalve), tasks).width / first.width
    expect(ratio).toBeGreaterThan(0.42)
    expect(ratio).toBeLessThan(0.55)
  }
  expect(run(40, 10).told).toBeLessThan(0.2)
})
