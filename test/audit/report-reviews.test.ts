import { describe, expect, test } from 'vitest'
import { correctGroup as correct, judgeQuality } from '../../src/audit/report/reviewed.ts'
import { clusterOfTask, settleReviews, type TrialRow } from '../../src/audit/report/rows.ts'
import { wilson } from '../../src/domain/statistics/intervals.ts'
import type { Review } from '../../src/schemas/review.ts'
import { LABELS, type Label } from '../../src/schemas/vocabulary.ts'
import { readTables } from '../tables.ts'
import { makeReview as storedReview } from './make-question.ts'
import { makeReview, makeTrial, TAB, times } from './make-trial.ts'

const options = { seed: 1, draws: 400, clusterOf: clusterOfTask }
const correctGroup = (trials: readonly TrialRow[]) => correct(trials, LABELS, options).corrected
const reviewed = (label: Label, review: TrialRow['review'], task: string): TrialRow =>
  makeTrial({ label, review, task })

describe('corrected shares', () => {
  test('with chances: each review counts as the trials that it stands for (10 · 1 ignored, 3 · 10 aligned → 0.75)', () => {
    const trials = [
      ...times(10, (i) => reviewed('aligned', makeReview('ignored', 'disagreement', 1), `a${i}`)),
      ...times(3, (i) => reviewed('aligned', makeReview('aligned', 'disagreement', 0.1), `b${i}`)),
      ...times(27, (i) => reviewed('aligned', null, `c${i}`)),
    ]
    const corrected = correctGroup(trials)
    expect(corrected).toMatchObject({ design: 'disagreement', estimator: 'inverse_probability', n_reviews: 13 })
    expect(corrected.shares['aligned']?.value).toBeCloseTo(0.75, 12)
  })

  test('picked by disagreement without chances: null, and why', () => {
    const trials = times(40, (i) => reviewed('aligned', makeReview('ignored', 'disagreement'), `t${i}`))
    const corrected = correctGroup(trials)
    expect(corrected.estimator).toBeNull()
    expect(corrected.reason).toContain('disagreement')
    expect(corrected.shares['aligned']).toEqual({ value: null, ci95: null })
  })

  test('of two designs the one of most reviews is used, and the rest is said to be left out', () => {
    const trials = [
      ...times(35, (i) => reviewed('aligned', makeReview('aligned'), `t${i}`)),
      ...times(5, (i) => reviewed('aligned', { ...makeReview('ignored', 'disagreement'), blind: false }, `d${i}`)),
    ]
    const corrected = correctGroup(trials)
    expect(corrected).toMatchObject({ design: 'random', n_reviews: 35 })
    expect(corrected.warnings.join()).not.toContain('not blind')
    expect(corrected.warnings.join()).toContain('5 reviewed trials were not drawn by "random"')
    const one = correctGroup(trials.slice(0, 36))
    expect(one.warnings.join()).toContain(
      '1 reviewed trial was not drawn by "random", as the others were, and is left out',
    )
  })

  test('a settled queue does not hide a smaller random sample', () => {
    const trials = [
      ...times(30, (i) => reviewed('aligned', makeReview('aligned'), `t${i}`)),
      ...times(60, (i) => reviewed('aligned', makeReview('ignored', 'disagreement'), `d${i}`)),
      ...times(110, (i) => reviewed('aligned', null, `c${i}`)),
    ]
    expect(correctGroup(trials)).toMatchObject({
      design: 'random',
      estimator: 'post_stratified',
      n_reviews: 30,
    })
  })

  test('a sample of one part that stands for the whole is warned about', () => {
    const trials = [
      ...times(40, (i) => reviewed('aligned', makeReview('aligned', 'random', 0.4), `t${i}`)),
      ...times(160, (i) => reviewed('ignored', null, `c${i}`)),
    ]
    expect(correctGroup(trials).warnings.join()).toContain('weights add to')
  })

  // Labels: 20 reviews at .5, ten at .125; post-stratified: 20 of 30 of the 30 aligned trials, by chances (20 · 2) of (20 · 2 + 10 · 8).
  test.each([
    [
      'a sample that a second one continued is weighted back by labels',
      false,
      'post_stratified',
      ((20 / 30) * 30) / 32,
    ],
    ['a sample by labels of replaced grades is weighted by its chances', true, 'inverse_probability', 40 / 122],
  ])('stratified: %s', (_, is_stale, estimator, share) => {
    const drawn = (human: Label, probability: number) => {
      const samplings = [{ design: 'stratified', probability, is_stale }] as const
      return { ...makeReview(human), samplings }
    }
    const trials = [
      ...times(20, (i) => reviewed('aligned', drawn('aligned', 0.5), `a${i}`)),
      ...times(10, (i) => reviewed('aligned', drawn('ignored', 0.125), `b${i}`)),
      ...times(2, (i) => reviewed('ignored', drawn('ignored', 1), `c${i}`)),
    ]
    const corrected = correctGroup(trials)
    expect(corrected).toMatchObject({ design: 'stratified', estimator, n_reviews: 32 })
    expect(corrected.shares['aligned']?.value).toBeCloseTo(share, 12)
  })

  test.each([
    // 200 trials: 60 drawn at .3, and 21 more of the 30 drawn at .15 (nine were drawn before): all weigh the same.
    [
      'of all trials',
      [
        [60, [0.3]],
        [12, [0.15]],
        [9, [0.3, 0.15]],
      ],
      'post_stratified',
      30 / 81,
    ],
    [
      'the second continued the first',
      [
        [60, [0.3]],
        [30, [0.45]],
      ],
      'post_stratified',
      30 / 90,
    ],
    // One sample of half of the trials, one of all: the half was drawn with both chances.
    [
      'of a part and of all',
      [
        [45, [0.5]],
        [5, [0.5, 0.1]],
        [15, [0.1]],
      ],
      null,
      null,
    ],
    [
      'of two parts',
      [
        [60, [0.6]],
        [10, [0.1]],
      ],
      'inverse_probability',
      50 / 200,
    ],
  ] as const)('two random samples with different chances, %s', (_, drawn, estimator, share) => {
    const chances = drawn.flatMap(([n, of]) => times(n, () => of))
    const trials = times(200, (i) => {
      const samplings = (chances[i] ?? []).map(
        (probability) => ({ design: 'random', probability, is_stale: false }) as const,
      )
      const review = { ...makeReview(i < 30 ? 'aligned' : 'ignored'), samplings }
      return reviewed('aligned', i < chances.length ? review : null, `t${i}`)
    })
    const corrected = correctGroup(trials)
    expect(corrected.estimator).toBe(estimator)
    if (share === null) expect(corrected.reason).toContain('overlap')
    else expect(corrected.shares['aligned']?.value).toBeCloseTo(share, 12)
  })

  test('a reviewed trial without a label of the judge is left out, and counted', () => {
    const corrected = correctGroup([makeTrial({ label: null, review: makeReview('aligned') })])
    expect(corrected).toMatchObject({ estimator: null, n_reviews: 0 })
    expect(corrected.warnings).toEqual(['1 reviewed trial has no label of the judge and is left out'])
  })
})

describe('the judge against humans', () => {
  test('accuracy, precision, recall and F1, by hand', () => {
    const pairs: [Label, Label, number][] = [
      ['aligned', 'aligned', 6],
      ['aligned', 'ignored', 2],
      ['ignored', 'aligned', 1],
      ['ignored', 'ignored', 3],
    ]
    const trials = pairs.flatMap(([human, judge, n]) =>
      times(n, (i) => reviewed(judge, makeReview(human), `${human}${judge}${i}`)),
    )
    const quality = judgeQuality('lexical', trials, LABELS)
    expect(quality).toMatchObject({ n: 12, accuracy: { k: 9, n: 12, value: 0.75 } })
    const [aligned, compliant, ignored] = quality.labels
    expect(aligned).toMatchObject({ n_human: 8, n_judge: 7, n_both: 6, precision: 6 / 7, recall: 6 / 8, f1: 12 / 15 })
    expect(ignored).toMatchObject({ precision: 3 / 5, recall: 3 / 4, f1: 6 / 9 })
    expect(compliant).toMatchObject({ precision: null, recall: null, f1: null })
    expect(quality.confusion[0]).toEqual([6, 0, 2, 0, 0])
    expect(quality).toMatchObject({ ece: null, brier: null, forecasts: 0, reason: 'too_few_reviews' })
  })

  test('calibration of 30 right of 40, and its score by reviews of other tasks', () => {
    const trials = times(40, (i) => reviewed('aligned', makeReview(i < 30 ? 'aligned' : 'ignored'), `t${i}`))
    const quality = judgeQuality('lexical', trials, LABELS)
    const [low, , high] = quality.calibration
    expect(high).toMatchObject({ level: 'high', n: 40, reason: null })
    expect(high?.value).toBe(0.75)
    expect(high?.ci95).toEqual(wilson(0.75, 40))
    expect(low).toMatchObject({ n: 0, value: null, ci95: null, reason: 'too_few_reviews' })
    // Right ones were forecast 29.5/40, wrong ones 30.5/40: both in the bin (0.7, 0.8].
    expect(quality.ece).toBeCloseTo(Math.abs(30 - (30 * 0.7375 + 10 * 0.7625)) / 40, 12)
    expect(quality.brier).toBeCloseTo((30 * 0.2625 ** 2 + 10 * 0.7625 ** 2) / 40, 12)
    expect(quality.forecasts).toBe(40)
    const twice = trials.map((trial, i) => ({ ...trial, review: makeReview('aligned', 'random', i < 9 ? 0.5 : 0.1) }))
    expect(judgeQuality('lexical', twice, LABELS).warnings.join()).toContain('different chances')
  })

  test('what was picked by disagreement calibrates nothing', () => {
    const trials = times(40, (i) => reviewed('aligned', makeReview('ignored', 'disagreement', 0.5), `t${i}`))
    const quality = judgeQuality('lexical', trials, LABELS)
    expect(quality.calibration.map(({ n, value }) => `${n} ${value}`)).toEqual(['0 null', '0 null', '0 null'])
    expect(quality.warnings.join()).toContain('40 of 40 reviewed trials are no random sample')
    const one = judgeQuality('lexical', trials.slice(0, 1), LABELS)
    expect(one.warnings.join()).toContain('1 of 1 reviewed trial is no random sample')
  })
})

describe('several raters', () => {
  const review = (label: Label | null, more: Partial<Review> = {}) => storedReview({ label, ...more })

  test.each(readTables<{ settled: [Label | null, (Label | null)[]][] }>('domain/tables/statistics').settled)(
    '%s is the label of %j',
    (settled, labels) => {
      const standing = labels.map((label) => review(label))
      expect(settleReviews(standing, TAB, 'grd_1')?.human ?? null).toBe(settled)
    },
  )

  test('a newer label from the queue does not take its question out of the random sample', () => {
    const drawn = review('aligned', { id: 'rev_1', sampling: { design: 'random' } })
    const again = review('ignored', { id: 'rev_2', sampling: { design: 'disagreement' } })
    const settled = settleReviews([again], TAB, 'grd_1', [again, drawn])
    expect(settled?.human).toBe('ignored')
    expect(settled?.samplings.map(({ design }) => design).sort()).toEqual(['disagreement', 'random'])
  })

  test('of a sample stratified by the label of another grade the chance holds, and without a chance nothing', () => {
    const samplingsOf = (grade: string, probability?: number) => {
      const sampling = { design: 'stratified', ...(probability && { probability }) } as const
      return settleReviews([review('aligned', { sampling })], TAB, grade)?.samplings
    }
    expect(samplingsOf('grd_1', 0.5)).toEqual([{ design: 'stratified', probability: 0.5, is_stale: false }])
    expect(samplingsOf('grd_2', 0.5)).toEqual([{ design: 'stratified', probability: 0.5, is_stale: true }])
    expect(samplingsOf('grd_2')).toEqual([{ design: 'chosen', probability: null, is_stale: true }])
  })
})

test('what a label says of claims it says to the report as to the queue: of a sum of one claim, its number', () => {
  const [claim] = TAB.claims
  if (claim === undefined) throw new Error('tab-behavior has claims')
  const score = { ...claim, id: 'score', type: 'integer' } as const
  const outcome = { kind: 'sum', scale: 'nominal', labels: [], claims: ['score'] } as const
  const review = { id: 'rev_1', rater: 'ada', label: '3', blind: true } as Review
  const settled = settleReviews([review], { name: 'sum@1', claims: [score], outcome }, null)
  expect(settled?.claims).toEqual({ score: 3 })
})
