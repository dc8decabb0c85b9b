import { describe, expect, test } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement/agreement.ts'
import {
  cohenKappa,
  fleissKappa,
  gwetAc1,
  krippendorffAlpha,
  rawAgreement,
} from '../../../src/domain/statistics/agreement/coefficients.ts'
import { type ItemTable, itemTable } from '../../../src/domain/statistics/agreement/item-table.ts'
import { groupRatings } from '../../../src/domain/statistics/agreement/ratings.ts'
import type { Agreement, Rating } from '../../../src/schemas/audit/agreement.ts'
import { ratingsOf, ratingsOfCounts, ratingsOfMatrix } from './oracles.ts'
import { COHEN, DISTRIB_6_RATERS, FLEISS_1971, KRIPPENDORFF, KRIPPENDORFF_C, WIKIPEDIA_FLEISS } from './published.ts'

const FEW = { draws: 100, seed: 1 }

function tableOf(counts: readonly (readonly number[])[]): ItemTable {
  const grouped = groupRatings(ratingsOfCounts(counts))
  if (!grouped.ok) throw new Error(JSON.stringify(grouped.error))
  return itemTable(grouped.value)
}

function answer(ratings: readonly Rating[]): Agreement {
  const result = agreement({ ratings: [...ratings], bootstrap: FEW })
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

describe('Cohen’s κ', () => {
  test.each(COHEN)('%s %j', (_source, matrix, kappa, digits) => {
    expect(cohenKappa(matrix.flat(), matrix.length).value).toBeCloseTo(kappa, digits)
    expect(answer(ratingsOfMatrix(matrix)).cohen_kappa.value).toBeCloseTo(kappa, digits)
  })

  test('scikit-learn’s documented lists', () => {
    const y1 = ['negative', 'positive', 'negative', 'neutral', 'positive']
    const y2 = ['negative', 'positive', 'negative', 'neutral', 'negative']
    expect(answer(ratingsOf([y1, y2])).cohen_kappa.value).toBeCloseTo(0.6875, 12)
  })
})

test('Gwet’s paradox: much agreement, κ below 0, AC1 high', () => {
  const paradox = answer(
    ratingsOfMatrix([
      [118, 5],
      [2, 0],
    ]),
  )
  expect(paradox.raw_agreement.value).toBeCloseTo(0.944, 12)
  expect(paradox.cohen_kappa.value).toBeCloseTo(-0.02339181286549608, 12)
  expect(paradox.gwet_ac1.value).toBeCloseTo(0.9407763376087177, 12)
})

test('irrCAC 1.0, cont3x3abstractors: every statistic of two raters', () => {
  const table = answer(
    ratingsOfMatrix([
      [13, 0, 0],
      [0, 20, 7],
      [0, 4, 56],
    ]),
  )
  expect(table.raw_agreement.value).toBeCloseTo(0.89, 12)
  expect(table.cohen_kappa.value).toBeCloseTo(0.7964094, 7)
  expect(table.fleiss_kappa.value, 'of two raters it is Scott’s π').toBeCloseTo(0.7962397, 7)
  expect(table.gwet_ac1.value).toBeCloseTo(0.8493305, 7)
  expect(table.krippendorff_alpha.value).toBeCloseTo(0.7972585, 7)
})

test.each([
  ['Wikipedia, Fleiss’ kappa', WIKIPEDIA_FLEISS, 0.20993070442195522, 12],
  ['Fleiss 1971, as irr 0.84 gives it', FLEISS_1971, 0.4302445, 7],
  [
    'Randolph’s calculator, in the tests of statsmodels',
    [
      [7, 1],
      [3, 5],
    ],
    0.161905,
    6,
  ],
  ['irrCAC 1.0, distrib.6raters', DISTRIB_6_RATERS, 0.4139265, 7],
] as const)('Fleiss’ κ: %s', (_source, counts, kappa, digits) => {
  expect(fleissKappa(tableOf(counts)).value).toBeCloseTo(kappa, digits)
  expect(answer(ratingsOfCounts(counts)).fleiss_kappa.value).toBeCloseTo(kappa, digits)
})

test.each(KRIPPENDORFF)('Krippendorff’s α: %s', (_source, rows, alpha, digits) => {
  expect(answer(ratingsOf(rows)).krippendorff_alpha.value).toBeCloseTo(alpha, digits)
})

test('irrCAC 1.0 on Krippendorff’s C, with missing ratings', () => {
  const missing = answer(ratingsOf(KRIPPENDORFF_C))
  expect(missing.n_ratings).toBe(41)
  expect(missing.raw_agreement.value).toBeCloseTo(0.8181818, 7)
  expect(missing.gwet_ac1.value).toBeCloseTo(0.77544, 5)
  expect(missing.fleiss_kappa).toEqual({ value: null, ci95: null, reason: 'unequal_ratings' })
  expect(missing.cohen_kappa).toEqual({ value: null, ci95: null, reason: 'not_two_raters' })
})

test('irrCAC 1.0, distrib.6raters, and Fleiss 1971: α, AC1', () => {
  const table = tableOf(DISTRIB_6_RATERS)
  expect(rawAgreement(table).value).toBeCloseTo(0.5511111, 7)
  expect(gwetAc1(table).value).toBeCloseTo(0.4448007, 7)
  expect(krippendorffAlpha(table).value).toBeCloseTo(0.4204384, 7)
  expect(krippendorffAlpha(tableOf(FLEISS_1971)).value).toBeCloseTo(0.43341, 5)
})
