import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  holm,
  type RepeatedPair,
  repeatNoise,
  comparisonStatistics as statisticsOf,
  voteDisagreement,
} from '../../src/audit/comparison-statistics.ts'
import { LABELS, type Label } from '../../src/schemas/vocabulary.ts'
import { readTables } from '../tables.ts'
import { times } from './make-trial.ts'

const comparisonStatistics = (pairs: readonly RepeatedPair[]) =>
  statisticsOf({ pairs, labels: LABELS, scale: 'nominal' })

const SETTINGS = { draws: 400, seed: 1 }
const pair = (base: Label, head: Label, more: Partial<RepeatedPair> = {}): RepeatedPair => ({
  base,
  head,
  cluster: null,
  base_votes: [],
  head_votes: [],
  same_key: false,
  ...more,
})

/** [[45, 15], [25, 15]] of aligned and ignored: κ 0.1304 (Wikipedia, Cohen’s kappa). */
const TABLE = [
  ...times(45, () => pair('aligned', 'aligned')),
  ...times(15, () => pair('aligned', 'ignored')),
  ...times(25, () => pair('ignored', 'aligned')),
  ...times(15, () => pair('ignored', 'ignored')),
]

describe('agreement and tests', () => {
  const { tests } = comparisonStatistics(TABLE)

  test('Bowker of one pair of cells is (b − c)² / (b + c); the shares differ by (c − b) / n', () => {
    expect(tests.bowker).toMatchObject({ statistic: 100 / 40, df: 1 })
    const aligned = tests.labels[0]
    expect(aligned).toMatchObject({ label: 'aligned', base_only: 15, head_only: 25, base_share: 0.6, head_share: 0.7 })
    expect(aligned?.difference.value).toBeCloseTo(0.1, 12)
    expect(aligned?.reason).toBeNull()
    expect(tests.labels[1]).toMatchObject({ label: 'compliant', mcnemar_p: 1, reason: 'no_discordant_pairs' })
  })

  test('no pairs: all null, with reasons', () => {
    const none = comparisonStatistics([])
    expect(none.agreement.raw_agreement).toMatchObject({ value: null, ci95: null })
    expect(none.tests.labels.every((one) => one.mcnemar_p === null && one.reason === 'no_pairs')).toBe(true)
    expect(none.repeat_noise.expected_flips).toBeNull()
  })
})

describe('Holm', () => {
  test('R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => p?.toFixed(3))).toEqual(['0.030', '0.060', '0.060', '0.020'])
  })

  test('never less than the p-value, never more than 1, in its order; null stays null', () => {
    const p = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(fc.array(p, { maxLength: 6 }), (values) => {
        const adjusted = holm(values)
        values.forEach((one, i) => {
          const mine = adjusted[i]
          if (one === null) {
            expect(mine).toBeNull()
            return
          }
          expect(mine).toBeGreaterThanOrEqual(one)
          expect(mine).toBeLessThanOrEqual(1)
          values.forEach((other, j) => {
            if (other !== null && one < other) expect(mine).toBeLessThanOrEqual(adjusted[j] ?? 0)
          })
        })
      }),
    )
  })
})

describe('repeat noise', () => {
  test.each(readTables<{ votes: [Label[], number | null][] }>('domain/tables/statistics').votes)(
    'two of %j differ with chance %s',
    (votes, chance) => expect(voteDisagreement(votes)).toEqual(chance && expect.closeTo(chance, 12)),
  )

  test('nothing was asked twice: null, and why', () => {
    expect(repeatNoise(TABLE, SETTINGS)).toMatchObject({
      expected_flips: null,
      ci95: null,
      from: null,
      base: { questions: 0, disagreement: { value: null, reason: 'no_cases' } },
      reason: expect.stringContaining('not known'),
    })
  })

  test('votes of both sides: the mean of both rates, times the pairs', () => {
    const split: Label[] = ['aligned', 'aligned', 'ignored']
    const sure: Label[] = ['aligned', 'aligned', 'aligned']
    const pairs = times(30, (i) =>
      pair('aligned', 'aligned', { cluster: `t${i % 6}`, base_votes: i < 15 ? split : sure, head_votes: sure }),
    )
    const noise = repeatNoise(pairs, SETTINGS)
    expect(noise).toMatchObject({ from: 'votes_of_both', base: { questions: 30 }, head: { questions: 30 } })
    expect(noise.base.disagreement.value).toBeCloseTo(1 / 3, 12)
    expect(noise.head.disagreement.value).toBe(0)
    expect(noise.expected_flips).toBeCloseTo((30 * (1 / 3 + 0)) / 2, 9)
    expect(noise.reason).toContain('upper bound')
  })

  test('one side alone is said to be alone', () => {
    const noise = repeatNoise([pair('aligned', 'ignored', { head_votes: ['ignored', 'aligned'] })], SETTINGS)
    expect(noise).toMatchObject({
      from: 'votes_of_head',
      expected_flips: 1,
      reason: expect.stringContaining('one side'),
    })
  })
})
