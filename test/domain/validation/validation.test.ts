import { describe, expect, test } from 'vitest'
import { wilson } from '../../../src/domain/statistics/intervals.ts'
import { type JudgedItem, measuresOf, type Question, shareOf } from '../../../src/domain/statistics/validation.ts'

const item = (made: Partial<JudgedItem> & { readonly item: string }): JudgedItem => ({
  ...{
    group: null,
    cluster: null,
    status: 'graded',
    human: {},
    claimed: {},
    confidence: 'high',
  },
  ...made,
})

describe('a share', () => {
  const some = (count: number, n: number, clusterOf: (index: number) => string | null) =>
    Array.from({ length: n }, (_, index) => ({ cluster: clusterOf(index), fits: index < count }))

  test('of independent items has Wilson’s interval', () => {
    expect(
      shareOf(
        some(7, 20, () => null),
        ({ fits }) => fits,
      ),
    ).toEqual({
      ...{ n: 20, count: 7, share: 0.35, ci95: wilson(7 / 20, 20) },
    })
  })

  test('of items in clusters is as wide as its clusters make it', () => {
    const [low = 0, high = 0] =
      shareOf(
        some(50, 100, (index) => String(Math.floor(index / 10))),
        ({ fits }) => fits,
      ).ci95 ?? []
    const [least = 0, most = 0] = wilson(0.5, 100)
    expect(high - low).toBeGreaterThan(1.5 * (most - least))
  })

  test('of all items in clusters is no more certain than so many clusters', () => {
    const all = shareOf(
      some(100, 100, (index) => String(index % 5)),
      ({ fits }) => fits,
    )
    expect(all.share).toBe(1)
    // SciPy: t.ppf(.975, 4) = 2.7764451051977987
    expect(all.ci95).toEqual([expect.closeTo(wilson(1, 5, 2.7764451051977987)[0], 9), 1])
  })

  test('of nothing is none', () => {
    expect(shareOf([], () => true)).toEqual({ n: 0, count: 0, share: null, ci95: null })
  })
})

describe('measures', () => {
  const enumerated: Question = { id: 'kind', type: 'enum', values: ['a', 'b', 'c'] }

  test('an item without a verdict is not right, and a claim that was refused is counted apart', () => {
    const items = [
      item({ item: '1', human: { kind: 'a' }, claimed: { kind: 'a' } }),
      item({ item: '2', human: { kind: 'a' }, claimed: { kind: 'b' } }),
      item({ item: '3', human: { kind: 'a' }, claimed: { kind: 'a' }, status: 'unverified' }),
      item({ item: '4', human: { kind: 'b' }, status: 'failed' }),
      item({ item: '5', claimed: { kind: 'c' } }),
    ]
    const [all, ...more] = measuresOf(enumerated, items)
    expect(more).toEqual([])
    expect(all).toMatchObject({
      right: { n: 4, count: 1 },
      right_of_graded: { n: 2, count: 1 },
      refused_right: 1,
      majority: { value: 'a', right: { count: 3, n: 4 } },
    })
  })

  test('κ is of the items with a verdict', () => {
    // Cohen’s own formula: po = 35/50, pe = (25·30 + 25·20)/50² = 1/2.
    const cells = [
      [20, 5],
      [10, 15],
    ] as const
    const items = cells.flatMap((row, human) =>
      row.flatMap((n, judge) =>
        Array.from({ length: n }, (_, index) =>
          item({
            item: `${human}${judge}${index}`,
            human: { kind: 'ab'[human] ?? '' },
            claimed: { kind: 'ab'[judge] ?? '' },
          }),
        ),
      ),
    )
    const unproved = item({ item: 'x', human: { kind: 'a' }, claimed: { kind: 'b' }, status: 'unverified' })
    expect(measuresOf(enumerated, [...items, unproved])[0]?.cohen_kappa?.value).toBeCloseTo(0.4, 12)
  })

  test('groups are measured apart', () => {
    const question: Question = { id: 'agent', type: 'agent', values: [] }
    const one = (name: string, group: string, said: string) =>
      item({ item: name, group, human: { agent: 'A' }, claimed: { agent: said } })
    const measures = measuresOf(question, [one('1', 'x', 'A'), one('2', 'y', 'B'), one('3', 'y', 'A')])
    expect(measures.map(({ group, right }) => [group, right.count, right.n])).toEqual([
      [null, 2, 3],
      ['x', 1, 1],
      ['y', 1, 2],
    ])
    expect(measures[0]).toMatchObject({ cohen_kappa: null, gwet_ac1: null })
  })
})
