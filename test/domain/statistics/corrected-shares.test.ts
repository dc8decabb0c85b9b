import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CorrectionInput,
  chooseEstimator,
  correctedShares,
  type ReviewedPair,
} from '../../../src/domain/statistics/corrected-shares.ts'
import { at, range, sum } from '../../../src/domain/statistics/weighted-shares.ts'
import type { SamplingDesign } from '../../../src/schemas/review.ts'
import { readTables } from '../../tables.ts'
import { table } from './oracles.ts'

const TWO = ['a', 'b']
const LABELS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed']

const graded = (labels: readonly string[], counts: readonly number[]) =>
  labels.map((judge, k) => ({ judge, count: at(counts, k) }))
/** One pair per count of a table, human label by judge label. */
const pairs = (labels: readonly string[], table: readonly (readonly number[])[]): ReviewedPair[] =>
  table.flatMap((row, h) =>
    row.flatMap((count, j) => range(count).map(() => ({ human: labels[h] ?? '', judge: labels[j] ?? '' }))),
  )
const valuesOf = (found: ReturnType<typeof correctedShares>) => Object.values(found.shares).map(({ value }) => value)

test('two labels end to end: a random sample is weighted back by the judge’s labels', () => {
  // Of the judge’s yes 40 of 55 are right, of its no 35 of 45; it says yes to 655 of 1100.
  const found = correctedShares({
    labels: ['yes', 'no'],
    graded: graded(['yes', 'no'], [655, 445]),
    reviews: pairs(['yes', 'no'], table('40 10 / 15 35')),
    sampling: 'random',
  })
  expect(found.estimator).toBe('post_stratified')
  expect(found.shares['yes']?.value).toBeCloseTo((655 * (40 / 55) + 445 * (10 / 45)) / 1100, 12)
  // ppi_py 0.523 [0.438, 0.610] on the same table.
  expect(found.shares['yes']?.value).toBeCloseTo(0.523, 2)
  expect(found.shares['yes']?.ci95?.[0]).toBeCloseTo(0.438, 1)
  expect(found.shares['yes']?.ci95?.[1]).toBeCloseTo(0.61, 1)
})

test('judge labels with fewer than two reviews are pooled in a random sample, and refused in a stratified one', () => {
  const labels = ['a', 'b', 'c']
  const reviews = pairs(labels, table('10 1 0 / 2 0 1 / 0 0 0'))
  const sample = { labels, graded: graded(labels, [60, 25, 15]), reviews }
  const found = correctedShares({ ...sample, sampling: 'random' })
  // a by itself, b and c as one: 60% of 10/12, and 40% of 1/2.
  expect(found.shares['a']?.value).toBeCloseTo(0.6 * (10 / 12) + 0.4 * 0.5, 12)
  expect(correctedShares({ ...sample, sampling: 'stratified' })).toMatchObject({
    estimator: null,
    reason: 'judge label b has fewer than two reviews',
  })
  // b was given once: no second trial of b can be reviewed, and c was drawn with another chance.
  const drawn = { labels, graded: graded(labels, [60, 1, 15]), reviews: pairs(labels, table('10 1 0 / 2 0 1 / 0 0 1')) }
  const whole = correctedShares({ ...drawn, sampling: 'stratified' })
  expect(whole.shares['a']?.value).toBeCloseTo((60 * (10 / 12) + 1) / 76, 12)
  expect(whole.shares['a']?.ci95?.every(Number.isFinite)).toBe(true)
})

const PERFECT = range(5).map((k) => range(5).map((j) => (j === k ? 40 : 0)))

const input = (over: Partial<CorrectionInput>): CorrectionInput => ({
  labels: LABELS,
  graded: graded(LABELS, [400, 300, 150, 100, 50]),
  reviews: pairs(LABELS, PERFECT),
  sampling: 'random',
  ...over,
})

type Refused = [over: Partial<CorrectionInput>, reason: string]

test.each(readTables<{ refused: Refused[] }>('domain/tables/statistics').refused)('%j: %s', (over, reason) => {
  const found = correctedShares(input(over))
  expect(found.estimator).toBeNull()
  expect(found.reason).toContain(reason)
  for (const share of Object.values(found.shares)) expect(share).toEqual({ value: null, ci95: null })
  expect(Object.keys(found.shares).length).toBeGreaterThan(0)
})

test('a label that neither human nor judge gave is near 0 with an open end', () => {
  const reviews = pairs(
    LABELS,
    PERFECT.map((row, k) => (k === 4 ? [0, 0, 0, 0, 0] : row)),
  )
  const random = correctedShares(input({ graded: graded(LABELS, [400, 300, 150, 150, 0]), reviews }))
  expect(random.shares['not_observed']?.value).toBe(0)
  expect(random.shares['not_observed']?.ci95?.[1]).toBeGreaterThan(0.02)
})

test('where all is reviewed the human shares stand alone', () => {
  const found = correctedShares(input({ graded: graded(LABELS, [40, 40, 40, 40, 40]) }))
  expect(valuesOf(found)).toEqual([0.2, 0.2, 0.2, 0.2, 0.2])
})

const anyTable = fc.array(fc.array(fc.nat(6), { minLength: 5, maxLength: 5 }), { minLength: 5, maxLength: 5 })

test('shares add to 1 and lie in their intervals, whatever the design', () => {
  const design = fc.constantFrom<SamplingDesign>('random', 'stratified', 'disagreement')
  fc.assert(
    fc.property(anyTable, design, fc.array(fc.nat(200), { minLength: 5, maxLength: 5 }), (noise, sampling, more) => {
      const confusion = noise.map((row, k) => row.map((count, j) => count + (j === k ? 20 : 0)))
      const counts = more.map((count, j) => count + sum(confusion.map((row) => at(row, j))))
      const weighed = pairs(LABELS, confusion).map((pair) => ({ ...pair, weight: pair.human === pair.judge ? 5 : 1 }))
      const reviews = sampling === 'disagreement' ? weighed : pairs(LABELS, confusion)
      const found = correctedShares({ labels: LABELS, graded: graded(LABELS, counts), reviews, sampling })
      expect(found.estimator).not.toBeNull()
      expect(sum(valuesOf(found).map((value) => value ?? Number.NaN))).toBeCloseTo(1, 8)
      for (const { value, ci95 } of Object.values(found.shares)) {
        expect(ci95?.[0]).toBeGreaterThanOrEqual(0)
        expect(ci95?.[0]).toBeLessThanOrEqual((value ?? Number.NaN) + 1e-12)
        expect(ci95?.[1]).toBeGreaterThanOrEqual((value ?? Number.NaN) - 1e-12)
        expect(ci95?.[1]).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 60 },
  )
})

test('each item five times as one cluster leaves the interval nearly as it was; five times as items of their own does not', () => {
  const single = pairs(TWO, table('30 8 / 6 26')).map((pair, i) => ({
    ...pair,
    weight: i % 3 === 0 ? 1 : 4,
    cluster: `${i}`,
  }))
  const widthOf = (reviews: readonly ReviewedPair[]) => {
    const counts = reviews.map(({ judge, cluster }) => ({ judge, count: 3, cluster: cluster ?? null }))
    const found = correctedShares({ labels: TWO, graded: counts, reviews, sampling: 'disagreement' })
    const [low, high] = found.shares['a']?.ci95 ?? [Number.NaN, Number.NaN]
    return high - low
  }
  const fivefold = single.flatMap((pair) => range(5).map(() => pair))
  expect(Math.abs(widthOf(fivefold) / widthOf(single) - 1)).toBeLessThan(0.01)
  const loose = fivefold.map(({ cluster: _cluster, ...pair }) => pair)
  expect(widthOf(loose) / widthOf(single)).toBeCloseTo(1 / Math.sqrt(5), 1)
})

test('warns of few reviews, few clusters, uneven weights and weights that do not add up', () => {
  const reviews = pairs(['a', 'b'], table('8 1 / 1 8')).map((pair, i) => ({
    ...pair,
    weight: i === 0 ? 50 : 1,
    cluster: `${i % 4}`,
  }))
  const counts = range(4).flatMap((c) => ['a', 'b'].map((judge) => ({ judge, count: 100, cluster: `${c}` })))
  const { warnings } = correctedShares({ labels: TWO, graded: counts, reviews, sampling: 'disagreement' })
  for (const part of [/fewer than 30 reviews/, /10 tasks/, /uneven weights/, /not to the 800 graded/])
    expect(warnings.join()).toMatch(part)
})

type Design = { readonly sampling: SamplingDesign; readonly weights?: readonly (number | null)[] }
type Estimator = [design: Design, estimator: string | null, reason: string]

test.each(readTables<{ estimators: Estimator[] }>('domain/tables/statistics').estimators)(
  '%j → %s',
  (design, estimator, reason) => {
    const choice = chooseEstimator(design.sampling, design.weights)
    expect(choice.estimator).toBe(estimator)
    expect(choice.reason).toContain(reason)
  },
)
