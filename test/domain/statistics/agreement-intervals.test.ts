import { describe, expect, test } from 'vitest'
import type { Rating } from '../../../src/schemas/agreement.ts'
import { answer, letters, ratingsOf, ratingsOfMatrix, simulated, table } from './oracles.ts'

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

  // Raters who see the truth with the chance s and else guess one of five labels: κ, α and AC1 are s². The second row has about two disagreements.
  test.each([
    [100, 3, 800, 0.93],
    [50, 2, 970, 0.91],
  ])('%i items, %i raters, s %i of 1000: 95% of the intervals hold κ, α and AC1', (items, raters, skill, least) => {
    const [samples, truth] = [300, (skill / 1000) ** 2]
    const names =
      raters === 2 ? (['cohen_kappa', 'krippendorff_alpha'] as const) : (['krippendorff_alpha', 'gwet_ac1'] as const)
    const held = names.map(() => 0)
    for (let seed = 0; seed < samples; seed++) {
      const labels = [0, 1, 2, 3, 4].map((label) => `label ${label}`)
      const found = answer({ ratings: simulated(seed, items, raters, skill), labels, bootstrap: { draws: 400, seed } })
      for (const [place, name] of names.entries()) {
        const [low = 1, high = 0] = found[name].ci95 ?? []
        held[place] = (held[place] ?? 0) + Number(low <= truth && truth <= high)
      }
    }
    for (const count of held) expect(count / samples).toBeGreaterThanOrEqual(least)
    for (const count of held) expect(count / samples).toBeLessThanOrEqual(0.98)
  })

  test('one disagreement in 52 pairs leaves κ nearly open, and none in 52 does not show κ 1 alone', () => {
    const of = (matrix: string) => answer({ ratings: ratingsOfMatrix(table(matrix)), labels: [...'01234'] })
    const flip = of('51 0 0 / 0 0 1 / 0 0 0')
    expect(flip.cohen_kappa.value).toBeCloseTo(0.495, 3)
    expect(flip.cohen_kappa.ci95?.[0]).toBeLessThan(0.2)
    expect(flip.cohen_kappa.ci95?.[1]).toBeGreaterThan(0.8)
    expect(flip.bootstrap.undefined.cohen_kappa).toBe(0)
    const full = of('26 0 / 0 26').cohen_kappa
    expect(full).toEqual({ value: 1, ci95: [expect.any(Number), 1], reason: null })
    expect(full.ci95?.[0]).toBeLessThan(0.93)
  })
})
