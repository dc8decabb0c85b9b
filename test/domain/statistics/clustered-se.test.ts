import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clusteredMean } from '../../../src/domain/statistics/shares/clustered-se.ts'
import { hasOracles, readOracles } from './oracles.ts'

const scoresOf = (values: readonly number[], clusters: readonly (string | number)[]) =>
  values.map((score, index) => ({ score, cluster: String(clusters[index]) }))

/** Ten scores of four tasks, by formula (`../shared/oracles/statistics.json`). */
test('four tasks', () => {
  const found = clusteredMean(scoresOf([1, 1, 0, 0, 0, 1, 1, 1, 0, 1], [0, 0, 0, 1, 1, 2, 2, 2, 2, 3]))
  expect(found.mean).toBeCloseTo(0.6, 12)
  expect(found.se_independent).toBeCloseTo(0.15491933384829668, 12)
  expect(found.se_clustered).toBeCloseTo(0.1414213562373095, 12)
  expect(found).toMatchObject({ n: 10, n_clusters: 4, reason: null })
})

test('what cannot be known', () => {
  expect(clusteredMean([])).toMatchObject({ mean: null, se_independent: null, se_clustered: null, reason: 'no_cases' })
  expect(clusteredMean(scoresOf([1], ['a']))).toMatchObject({ mean: 1, se_independent: null, reason: 'too_few_units' })
  const one = clusteredMean(scoresOf([1, 0], ['a', 'a']))
  expect(one).toMatchObject({ mean: 0.5, se_clustered: null, reason: 'too_few_units' })
  expect(one.se_independent).toBeCloseTo(Math.sqrt(0.5) / 2, 12)
  expect(() => clusteredMean(scoresOf([Number.NaN, 1], ['a', 'b']))).toThrow(RangeError)
})

const values = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 2, maxLength: 40 })

test('clusters of one: the two standard errors are one', () => {
  fc.assert(
    fc.property(values, (all) => {
      const found = clusteredMean(scoresOf(all, [...all.keys()]))
      expect(found.se_clustered).toBeCloseTo(found.se_independent ?? Number.NaN, 10)
    }),
  )
})

test('each score m times as one cluster: the clustered error is that of the scores once', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 6 }), (all, m) => {
      const once = clusteredMean(scoresOf(all, [...all.keys()]))
      const repeated = all.flatMap((score, cluster) =>
        Array.from({ length: m }, () => ({ score, cluster: `${cluster}` })),
      )
      expect(clusteredMean(repeated).se_clustered).toBeCloseTo(once.se_independent ?? Number.NaN, 10)
    }),
  )
})

test('it is the sum over pairs of the formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 })), { minLength: 2 }),
      (all) => {
        const scores = scoresOf(
          all.map(([score]) => score),
          all.map(([, cluster]) => cluster),
        )
        const found = clusteredMean(scores)
        fc.pre(found.n_clusters > 1)
        const mean = found.mean ?? Number.NaN
        let sum = 0
        for (const [i, one] of scores.entries())
          for (const [j, other] of scores.entries())
            if (i === j || one.cluster === other.cluster) sum += (one.score - mean) * (other.score - mean)
        expect((found.se_clustered ?? Number.NaN) ** 2).toBeCloseTo(sum / scores.length ** 2, 10)
      },
    ),
  )
})

describe.skipIf(!hasOracles)('every number of the oracle file', () => {
  test('clustered_se', () => {
    const { s, cluster, mean, se_clt_ddof0, se_clustered } = readOracles().clustered_se
    const found = clusteredMean(scoresOf(s, cluster))
    expect(found.mean).toBeCloseTo(mean, 9)
    expect(found.se_independent).toBeCloseTo(se_clt_ddof0, 9)
    expect(found.se_clustered).toBeCloseTo(se_clustered, 9)
  })
})
