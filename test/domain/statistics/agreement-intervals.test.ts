import { describe, expect, test } from 'vitest'
import type { Rating } from '../../../src/schemas/agreement.ts'
import { answer, letters, ratingsOf, simulated } from './oracles.ts'

describe('the bootstrap', () => {
  test('is the same for a seed, another for another', () => {
    const ratings = simulated(1, 60, 3, 800)
    const of = (seed: number) => answer({ ratings, bootstrap: { seed, draws: 300 } })
    const older = ratings.toSorted((one, other) => Number(other.item) - Number(one.item))
    expect(answer({ ratings: older, bootstrap: { seed: 5, draws: 300 } }), 'in another order').toEqual(of(5))
    expect(of(5).krippendorff_alpha.ci95).not.toEqual(of(6).krippendorff_alpha.ci95)
    expect(of(5).bootstrap).toMatchObject({ draws: 300, seed: 5 })
  })

  test('resamples clusters where there are any; an item without is its own', () => {
    const found = answer({ ratings: simulated(2, 60, 2, 800, (item) => `task ${item % 12}`) })
    expect(found.bootstrap).toMatchObject({ unit: 'cluster', n_units: 12 })
    const some = simulated(2, 60, 2, 800).map((one) => (Number(one.item) < 10 ? { ...one, cluster: 'task' } : one))
    expect(answer({ ratings: some }).bootstrap).toMatchObject({ unit: 'cluster', n_units: 51 })
  })

  test('a cluster named like an item is not that item', () => {
    const ratings = ratingsOf(letters('a b a / a a a'))
    const named = ratings.map((one) => (one.item === 'item 1' ? { ...one, cluster: 'item 0' } : one))
    expect(answer({ ratings: named }).bootstrap.n_units).toBe(3)
  })

  test('clusters of one item each give the intervals of items', () => {
    const alone = answer({ ratings: simulated(3, 50, 3, 700) })
    const clustered = answer({ ratings: simulated(3, 50, 3, 700, (item) => `task ${item}`) })
    expect(clustered.krippendorff_alpha).toEqual(alone.krippendorff_alpha)
  })

  test('copies of an item in a cluster do not narrow the interval; as items they would', () => {
    const copies = (clustered: boolean) =>
      simulated(4, 40, 2, 700).flatMap((one) =>
        [0, 1, 2, 3].map((copy) => ({ ...one, item: `${one.item}/${copy}`, ...(clustered && { cluster: one.item }) })),
      )
    const width = (ratings: Rating[]) => {
      const [low = 0, high = 0] = answer({ ratings }).raw_agreement.ci95 ?? []
      return high - low
    }
    const once = width(simulated(4, 40, 2, 700))
    expect(width(copies(true))).toBeCloseTo(once, 10)
    expect(width(copies(false))).toBeLessThan(once * 0.6)
  })

  test('a raw agreement’s interval is close to Wilson’s', () => {
    const [low = 0, high = 0] = answer({ ratings: simulated(5, 500, 2, 800) }).raw_agreement.ci95 ?? []
    // ± 1.96 √(p q / n) with p about 0.7
    expect(high - low).toBeGreaterThan(0.07)
    expect(high - low).toBeLessThan(0.09)
  })

  test('covers the true α and AC1 of a simulation, 0.64, in 95% of samples', () => {
    const samples = 500
    let alpha = 0
    let ac1 = 0
    for (let seed = 0; seed < samples; seed++) {
      const found = answer({ ratings: simulated(seed, 100, 3, 800), bootstrap: { draws: 1000, seed } })
      const holds = ([low = 1, high = 0]: readonly number[]) => low <= 0.64 && 0.64 <= high
      if (holds(found.krippendorff_alpha.ci95 ?? [])) alpha++
      if (holds(found.gwet_ac1.ci95 ?? [])) ac1++
    }
    for (const covered of [alpha, ac1]) {
      expect(covered / samples).toBeGreaterThanOrEqual(0.93)
      expect(covered / samples).toBeLessThanOrEqual(0.97)
    }
  })
})
