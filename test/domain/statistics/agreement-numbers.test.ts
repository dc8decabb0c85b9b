import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import {
  cohenKappa,
  fleissKappa,
  groupRatings,
  gwetAc1,
  type ItemTable,
  itemTable,
  krippendorffAlpha,
  linear,
  quadratic,
  rawAgreement,
} from '../../../src/domain/statistics/coefficients.ts'
import type { Agreement, AgreementRequest, Rating } from '../../../src/schemas/agreement.ts'
import {
  answer,
  COHEN,
  DISTRIB_6_RATERS,
  FLEISS_1971,
  KRIPPENDORFF,
  KRIPPENDORFF_C,
  ratingsOf,
  ratingsOfCounts,
  ratingsOfMatrix,
  table,
  WIKIPEDIA_FLEISS,
} from './oracles.ts'

const FEW = { draws: 100, seed: 1 }

function tableOf(counts: readonly (readonly number[])[]): ItemTable {
  const grouped = groupRatings(ratingsOfCounts(counts))
  if (!grouped.ok) throw new Error(JSON.stringify(grouped.error))
  return itemTable(grouped.value)
}

test.each(COHEN)('Cohen’s κ: %s %j', (_source, matrix, kappa, digits) => {
  expect(cohenKappa(matrix.flat(), matrix.length).value).toBeCloseTo(kappa, digits)
  expect(answerTo(ratingsOfMatrix(matrix)).cohen_kappa.value).toBeCloseTo(kappa, digits)
})

test('Gwet’s paradox: much agreement, κ below 0, AC1 high', () => {
  const paradox = answerTo(ratingsOfMatrix(table('118 5 / 2 0')))
  expect(paradox.raw_agreement.value).toBeCloseTo(0.944, 12)
  expect(paradox.cohen_kappa.value).toBeCloseTo(-0.02339181286549608, 12)
  expect(paradox.gwet_ac1.value).toBeCloseTo(0.9407763376087177, 12)
})

test('irrCAC 1.0, cont3x3abstractors: every statistic of two raters', () => {
  const found = answerTo(ratingsOfMatrix(table('13 0 0 / 0 20 7 / 0 4 56')))
  expect(found.raw_agreement.value).toBeCloseTo(0.89, 12)
  expect(found.cohen_kappa.value).toBeCloseTo(0.7964094, 7)
  expect(found.fleiss_kappa.value, 'of two raters it is Scott’s π').toBeCloseTo(0.7962397, 7)
  expect(found.gwet_ac1.value).toBeCloseTo(0.8493305, 7)
  expect(found.krippendorff_alpha.value).toBeCloseTo(0.7972585, 7)
})

test.each([
  ['Wikipedia, Fleiss’ kappa', WIKIPEDIA_FLEISS, 0.20993070442195522, 12],
  ['Fleiss 1971, as irr 0.84 gives it', FLEISS_1971, 0.4302445, 7],
  ['Randolph’s calculator, in the tests of statsmodels', table('7 1 / 3 5'), 0.161905, 6],
  ['irrCAC 1.0, distrib.6raters', DISTRIB_6_RATERS, 0.4139265, 7],
] as const)('Fleiss’ κ: %s', (_source, counts, kappa, digits) => {
  expect(fleissKappa(tableOf(counts)).value).toBeCloseTo(kappa, digits)
  expect(answerTo(ratingsOfCounts(counts)).fleiss_kappa.value).toBeCloseTo(kappa, digits)
})

test.each(KRIPPENDORFF)('Krippendorff’s α: %s', (_source, rows, alpha, digits) => {
  expect(answerTo(ratingsOf(rows)).krippendorff_alpha.value).toBeCloseTo(alpha, digits)
})

test('irrCAC 1.0 on Krippendorff’s C, with missing ratings', () => {
  const missing = answerTo(ratingsOf(KRIPPENDORFF_C))
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

const ask = (request: AgreementRequest) => agreement({ bootstrap: { draws: 100, seed: 1 }, ...request })
function weighted(request: AgreementRequest) {
  const answer = ask(request)
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value.weighted
}

/** Cohen (1968), table 1: shares of 200 cases, and his own weights of disagreement; κw = 0.348. */
test('the example of Cohen 1968, with its weights', () => {
  const shares = [44, 7, 9, 5, 20, 5, 1, 3, 6]
  const weights = table('0 1 3 / 1 0 6 / 3 6 0')
  const { value } = cohenKappa(shares, 3, (one, other) => weights[one]?.[other] ?? 0)
  expect(value).toBeCloseTo(0.348, 3)
})

describe('κ of places', () => {
  // By hand: n 6, margins (3, 2, 1) and (2, 2, 2). Linear: observed 2, expected (6 + 12 + 4 + 4 + 4 + 2) / 6 = 32 / 6; quadratic: observed 4,
  // expected (6 + 24 + 4 + 4 + 8 + 2) / 6 = 8.
  const matrix = table('2 0 1 / 0 1 1 / 0 1 0')
  const cells = [2, 0, 1, 0, 2, 0, 0, 0, 1]

  test('linear and quadratic by hand', () => {
    expect(cohenKappa(cells, 3, linear([0, 1, 2])).value).toBeCloseTo(1 - 2 / (32 / 6), 12)
    expect(cohenKappa(cells, 3, quadratic([0, 1, 2])).value).toBeCloseTo(1 - 4 / 8, 12)
  })

  test('two categories: both are Cohen’s κ', () => {
    const answer = ask({
      ratings: ratingsOfMatrix(table('20 5 / 10 15')),
      labels: ['0', '1'],
      scale: 'ordinal',
    })
    if (!answer.ok) throw new Error('it can be computed')
    expect(answer.value.weighted?.linear_kappa.value).toBeCloseTo(0.4, 12)
    expect(answer.value.weighted?.quadratic_kappa.value).toBeCloseTo(0.4, 12)
    expect(answer.value.weighted?.quadratic_kappa.ci95).toEqual(answer.value.cohen_kappa.ci95)
  })

  test('interval labels are apart by their numbers, ordinal ones by their places', () => {
    const ratings = ratingsOfMatrix(matrix).map((one) => ({ ...one, label: ['1', '2', '9'][Number(one.label)] ?? '' }))
    const labels = ['1', '2', '9']
    const places = weighted({ ratings, labels, scale: 'ordinal' })
    const numbers = weighted({ ratings, scale: 'interval' })
    expect(numbers?.linear_kappa.value).not.toBeCloseTo(places?.linear_kappa.value ?? 0, 3)
    const swapped = weighted({ ratings, labels: ['2', '1', '9'], scale: 'ordinal' })
    expect(swapped?.linear_kappa.value).not.toBeCloseTo(places?.linear_kappa.value ?? 0, 3)
  })
})

describe('Krippendorff’s α, example C of the source: four raters with gaps', () => {
  const ratings: Rating[] = ratingsOf(KRIPPENDORFF_C)
  const labels = ['1', '2', '3', '4', '5']

  test.each([
    ['ordinal', 0.8153875037548814],
    ['interval', 0.8491071428571428],
  ] as const)('%s', (scale, alpha) => {
    expect(weighted({ ratings, labels, scale })?.krippendorff_alpha.value).toBeCloseTo(alpha, 12)
    expect(weighted({ ratings, labels, scale })?.linear_kappa).toMatchObject({ value: null, reason: 'not_two_raters' })
  })
})

test('labels without an order have nothing weighted, and an order that is not given is asked for', () => {
  const ratings = [{ item: 'i', rater: 'a', label: 'x' }]
  expect(weighted({ ratings })).toBeUndefined()
  expect(ask({ ratings, scale: 'ordinal' })).toMatchObject({ ok: false, error: [{ path: '/labels' }] })
  expect(ask({ ratings, scale: 'interval' })).toMatchObject({ ok: false, error: [{ path: '/ratings/0/label' }] })
  expect(ask({ ratings: [{ ...ratings[0], label: ' ' } as Rating], scale: 'interval' }).ok).toBe(false)
})

const STATISTICS = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const

const answerTo = (ratings: readonly Rating[]) => answer({ ratings: [...ratings], bootstrap: FEW })

const cell = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: null, freq: 6 })
const anyRows = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 15 }))
  .chain(([raters, items]) =>
    fc.array(fc.array(cell, { minLength: items, maxLength: items }), { minLength: raters, maxLength: raters }),
  )
const anyRatings = anyRows.map(ratingsOf)

function expectSame(one: Agreement, other: Agreement): void {
  for (const name of STATISTICS) {
    const { value } = other[name]
    if (value === null) expect(one[name], name).toMatchObject({ value: null, reason: other[name].reason })
    else expect(one[name].value, name).toBeCloseTo(value, 10)
  }
}

test('other names of the labels change nothing', () => {
  const renamed = new Map([...'abcd'].map((label, at) => [label, 'zyba'[at] ?? '']))
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      expectSame(answerTo(ratings.map((one) => ({ ...one, label: renamed.get(one.label) ?? '' }))), answerTo(ratings))
    }),
  )
})

test('nor does the order of the ratings', () => {
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      expectSame(answerTo([...ratings].reverse()), answerTo(ratings))
    }),
  )
})

test('raters who say the same are in full agreement, or it is undefined', () => {
  const row = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(row, fc.integer({ min: 2, max: 5 }), (labels, raters) => {
      const found = answerTo(ratingsOf(Array.from({ length: raters }, () => labels)))
      const full = new Set(labels).size > 1 ? 1 : null
      expect(found.raw_agreement.value).toBe(1)
      expect(found.krippendorff_alpha.value).toBe(full)
      expect(found.fleiss_kappa.value).toBe(full)
      expect(found.gwet_ac1.value).toBe(full)
      expect(found.cohen_kappa.value).toBe(raters === 2 ? full : null)
    }),
  )
})

test('α against its definition: the coincidence matrix', () => {
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      const expected = alphaByCoincidences(ratings)
      const { value } = answerTo(ratings).krippendorff_alpha
      if (expected === null) expect(value).toBeNull()
      else expect(value).toBeCloseTo(expected, 10)
    }),
  )
})

test('two raters, no rating missing: α = 1 − (1 − π)(2n − 1) / 2n, with Scott’s π, which is Fleiss’ κ of two', () => {
  const pairs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c')), { minLength: 2 })
  fc.assert(
    fc.property(pairs, (all) => {
      const found = answerTo(ratingsOf([all.map(([one]) => one), all.map(([, other]) => other)]))
      const { value: pi } = found.fleiss_kappa
      const size = 2 * all.length
      if (pi === null) expect(found.krippendorff_alpha.value).toBeNull()
      else expect(found.krippendorff_alpha.value).toBeCloseTo(1 - ((1 - pi) * (size - 1)) / size, 10)
    }),
  )
})

test('values stay where they can be, intervals hold finite numbers in order, counts add up', () => {
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      const found = answerTo(ratings)
      for (const name of STATISTICS) {
        const { value, ci95, reason } = found[name]
        expect(reason === null).toBe(value !== null && ci95 !== null)
        if (value !== null) expect(value >= -1 - 1e-12 && value <= 1 + 1e-12, `${name} ${value}`).toBe(true)
        if (ci95 !== null) expect((ci95[0] ?? Number.NaN) <= (ci95[1] ?? Number.NaN)).toBe(true)
        expect(found.bootstrap.undefined[name]).toBeLessThanOrEqual(100)
      }
      const shares = Object.values(found.prevalence).reduce((sum, share) => sum + share, 0)
      if (ratings.length > 0) expect(shares).toBeCloseTo(1, 10)
      expect(found.n_ratings).toBe(ratings.length)
    }),
  )
})

/** Sections B and C of Krippendorff 2011, step by step; no item is folded with another. */
function alphaByCoincidences(ratings: readonly Rating[]): number | null {
  const units = [...Map.groupBy(ratings, (one) => one.item).values()].filter((unit) => unit.length > 1)
  const labels = ['a', 'b', 'c', 'd']
  const given = (unit: readonly Rating[], label: string) => unit.filter((one) => one.label === label).length
  const unlike = labels.flatMap((one) => labels.filter((other) => other !== one).map((other) => [one, other] as const))
  const n = units.flat().length
  const observed = unlike.map(([one, other]) =>
    sum(units.map((unit) => (given(unit, one) * given(unit, other)) / (unit.length - 1))),
  )
  const expected = unlike.map(([one, other]) => (given(units.flat(), one) * given(units.flat(), other)) / (n - 1))
  return n === 0 || sum(expected) === 0 ? null : 1 - sum(observed) / sum(expected)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
