import { describe, expect, test } from 'vitest'
import { wilson } from '../../../src/domain/statistics/intervals.ts'
import { equivalenceOf, type PairedItem, tangoInterval } from '../../../src/domain/validation/equivalence.ts'
import type { JudgedItem, Question } from '../../../src/domain/validation/judged-item.ts'
import { measuresOf } from '../../../src/domain/validation/measure.ts'
import { shareOf } from '../../../src/domain/validation/share.ts'

const item = (made: Partial<JudgedItem> & { readonly item: string }): JudgedItem => ({
  ...{
    group: null,
    cluster: null,
    status: 'graded',
    human: {},
    claimed: {},
    confidence: 'high',
    steps: null,
    agents: null,
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
      ...{ n: 20, count: 7, share: 0.35, method: 'wilson', ci95: wilson(7, 20).ci95 },
    })
  })

  test('of items in clusters is as wide as its clusters make it', () => {
    const [low = 0, high = 0] =
      shareOf(
        some(50, 100, (index) => String(Math.floor(index / 10))),
        ({ fits }) => fits,
      ).ci95 ?? []
    const [least = 0, most = 0] = wilson(50, 100).ci95 ?? []
    expect(high - low).toBeGreaterThan(1.5 * (most - least))
  })

  test('of all items in clusters is no more certain than so many clusters', () => {
    const all = shareOf(
      some(100, 100, (index) => String(index % 5)),
      ({ fits }) => fits,
    )
    expect(all).toMatchObject({ share: 1, ci95: wilson(5, 5).ci95, method: 'wilson' })
  })

  test('of nothing is none', () => {
    expect(shareOf([], () => true)).toEqual({ n: 0, count: 0, share: null, ci95: null, method: null })
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
      chance: 1 / 3,
    })
    expect(all?.confusion?.counts).toEqual([
      [1, 1, 0, 1],
      [0, 0, 0, 1],
      [0, 0, 0, 0],
    ])
    expect(all?.classes[0]).toMatchObject({
      value: 'a',
      n_human: 3,
      n_judge: 1,
      n_both: 1,
      precision: 1,
      recall: 1 / 3,
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

  test('steps near the labelled one, with what a step drawn at random would have', () => {
    const question: Question = { id: 'step', type: 'step', values: [] }
    const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    const items = [5, 6, 8, 10].map((said) =>
      item({ item: String(said), steps, human: { step: 5 }, claimed: { step: said } }),
    )
    const [all] = measuresOf(question, items)
    expect(all).toMatchObject({ right: { count: 1 }, chance: 0.1, confusion: null, cohen_kappa: null })
    expect(all?.near.map(({ within, right, chance }) => [within, right.count, chance])).toEqual([
      [1, 2, 0.3],
      [3, 3, 0.7],
      [5, 4, 1],
    ])
  })

  test('chance of an agent is one of those of the run; groups are measured apart', () => {
    const question: Question = { id: 'agent', type: 'agent', values: [] }
    const one = (name: string, group: string, agents: readonly string[]) =>
      item({ item: name, group, agents, human: { agent: 'A' }, claimed: { agent: 'A' } })
    const measures = measuresOf(question, [one('1', 'x', ['A', 'B']), one('2', 'y', ['A', 'B', 'C', 'D'])])
    expect(measures.map(({ group, chance }) => [group, chance])).toEqual([
      [null, 0.375],
      ['x', 0.5],
      ['y', 0.25],
    ])
  })
})

/** Tango’s score, with the restricted maximum found by search over the likelihood instead of by its formula. */
function scoreBySearch(difference: number, b: number, c: number, n: number): number {
  const likelihood = (q: number): number => {
    const both = q + difference
    const rest = 1 - q - both
    if (q < 0 || both < 0 || rest < 0) return Number.NEGATIVE_INFINITY
    const term = (count: number, p: number) => (count === 0 ? 0 : count * Math.log(p))
    return term(b, both) + term(c, q) + term(n - b - c, rest)
  }
  const [low, high] = [Math.max(0, -difference), (1 - difference) / 2]
  let best = low
  for (let index = 0; index <= 200_000; index++) {
    const q = low + ((high - low) * index) / 200_000
    if (likelihood(q) > likelihood(best)) best = q
  }
  return (b - c - n * difference) / Math.sqrt(n * (2 * best + difference * (1 - difference)))
}

describe('equivalence', () => {
  const Z = 1.959963984540054

  test.each([
    [12, 2, 58],
    [5, 3, 30],
    [1, 0, 100],
    [20, 25, 184],
  ])('Tango’s limits for %i and %i of %i are where the score is z', (b, c, n) => {
    const [low, high] = tangoInterval(b, c, n)
    expect(scoreBySearch(low, b, c, n)).toBeCloseTo(Z, 3)
    expect(scoreBySearch(high, b, c, n)).toBeCloseTo(-Z, 3)
  })

  test('where nothing differs it is z² / (n + z²)', () => {
    const [low, high] = tangoInterval(0, 0, 100)
    expect([-low, high]).toEqual([
      expect.closeTo((Z * Z) / (100 + Z * Z), 10),
      expect.closeTo((Z * Z) / (100 + Z * Z), 10),
    ])
  })

  const pairs = (
    counts: { both: number; base: number; head: number; none: number },
    cluster?: number,
  ): PairedItem[] => {
    const kinds = [
      [true, true, counts.both],
      [true, false, counts.base],
      [false, true, counts.head],
      [false, false, counts.none],
    ] as const
    return kinds
      .flatMap(([base, head, n]) => Array.from({ length: n }, () => [base, head] as const))
      .map(([base, head], index) => ({
        cluster: cluster === undefined ? null : String(index % cluster),
        base: { right: base, answer: base ? 'r' : 'w' },
        head: { right: head, answer: head ? 'r' : 'w' },
      }))
  }

  test.each([
    ['the same judge on 184 runs', pairs({ both: 90, base: 0, head: 0, none: 94 }), 'equivalent'],
    ['the same judge on 30 runs is too few', pairs({ both: 15, base: 0, head: 0, none: 15 }), 'not_shown'],
    [
      'the same judge on 184 runs of 30 tasks is too few',
      pairs({ both: 90, base: 0, head: 0, none: 94 }, 30),
      'not_shown',
    ],
    ['as many right, but others', pairs({ both: 20, base: 70, head: 70, none: 24 }), 'not_shown'],
    [
      'almost the same judge on runs of 30 tasks is no better known than the same',
      pairs({ both: 90, base: 1, head: 0, none: 93 }, 30),
      'not_shown',
    ],
    ['much worse', pairs({ both: 50, base: 80, head: 5, none: 49 }), 'different'],
    ['much worse in clusters', pairs({ both: 50, base: 80, head: 5, none: 49 }, 92), 'different'],
    ['nothing', [], 'not_shown'],
  ])('%s', (_what, items, verdict) => {
    expect(equivalenceOf(items, 0.05).verdict).toBe(verdict)
  })
})
