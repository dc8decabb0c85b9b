import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import { apart, cohenKappa } from '../../../src/domain/statistics/coefficients.ts'
import type { Agreement, AgreementRequest, Rating } from '../../../src/schemas/agreement.ts'
import { readTables } from '../../tables.ts'
import { answer, letters, ratingsOf, ratingsOfCounts, ratingsOfMatrix, table } from './oracles.ts'

const FEW = { draws: 100, seed: 1 }
const STATISTICS = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const
type Statistic = (typeof STATISTICS)[number]

const answerTo = (ratings: readonly Rating[]) => answer({ ratings: [...ratings], bootstrap: FEW })

interface Published extends Partial<Record<Statistic, number | string>> {
  readonly source: string
  readonly matrix?: string
  readonly counts?: string
  readonly ratings?: string
  readonly digits: number
}
interface Tables {
  readonly published: readonly Published[]
  readonly krippendorff_c: string
}
const TABLES = readTables<Tables>('domain/tables/agreement')

test.each(TABLES.published)('$source', ({ matrix, counts, ratings = '', digits, ...wanted }) => {
  const given = matrix
    ? ratingsOfMatrix(table(matrix))
    : counts
      ? ratingsOfCounts(table(counts))
      : ratingsOf(letters(ratings))
  const found = answerTo(given)
  for (const name of STATISTICS) {
    const due = wanted[name]
    if (typeof due === 'number') expect(found[name].value, name).toBeCloseTo(due, digits)
    else if (due !== undefined) expect(found[name]).toEqual({ value: null, ci95: null, reason: due })
  }
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
    expect(cohenKappa(cells, 3, apart([0, 1, 2], 1)).value).toBeCloseTo(1 - 2 / (32 / 6), 12)
    expect(cohenKappa(cells, 3, apart([0, 1, 2], 2)).value).toBeCloseTo(1 - 4 / 8, 12)
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
  const ratings: Rating[] = ratingsOf(letters(TABLES.krippendorff_c))
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
