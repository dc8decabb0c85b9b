import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import type { Agreement, Rating } from '../../../src/schemas/agreement.ts'
import { ratingsOf } from './oracles.ts'

const STATISTICS = ['raw_agreement', 'cohen_kappa', 'fleiss_kappa', 'krippendorff_alpha', 'gwet_ac1'] as const

function answer(ratings: readonly Rating[]): Agreement {
  const result = agreement({ ratings: [...ratings], bootstrap: { draws: 100 } })
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

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
  const renamed = new Map([
    ['a', 'z'],
    ['b', 'y'],
    ['c', 'b'],
    ['d', 'a'],
  ])
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      expectSame(answer(ratings.map((one) => ({ ...one, label: renamed.get(one.label) ?? '' }))), answer(ratings))
    }),
  )
})

test('nor does the order of the ratings', () => {
  fc.assert(
    fc.property(anyRatings, (ratings) => {
      expectSame(answer([...ratings].reverse()), answer(ratings))
    }),
  )
})

test('raters who say the same are in full agreement, or it is undefined', () => {
  const row = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(row, fc.integer({ min: 2, max: 5 }), (labels, raters) => {
      const found = answer(ratingsOf(Array.from({ length: raters }, () => labels)))
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
      const { value } = answer(ratings).krippendorff_alpha
      if (expected === null) expect(value).toBeNull()
      else expect(value).toBeCloseTo(expected, 10)
    }),
  )
})

test('two raters, no rating missing: α = 1 − (1 − π)(2n − 1) / 2n, with Scott’s π, which is Fleiss’ κ of two', () => {
  const pairs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c')), { minLength: 2 })
  fc.assert(
    fc.property(pairs, (all) => {
      const found = answer(ratingsOf([all.map(([one]) => one), all.map(([, other]) => other)]))
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
      const found = answer(ratings)
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
