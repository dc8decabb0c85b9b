import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/domain/statistics/random.ts'
import { at, sum } from '../../../src/domain/statistics/shares/linear-algebra.ts'
import { bootstrapMultiClass } from '../../../src/domain/statistics/shares/multi-class-bootstrap.ts'
import {
  type MultiClassEstimate,
  type MultiClassInput,
  multiClassCorrection,
} from '../../../src/domain/statistics/shares/multi-class-correction.ts'
import { coverage, drawsFrom, evenJudge, judgedShares } from './draws.ts'

const estimate = (input: MultiClassInput): MultiClassEstimate => {
  const found = multiClassCorrection(input)
  if (found.shares === null) throw new Error(found.reason)
  return found
}
const near = (seen: readonly number[], wanted: readonly number[], digits = 10) => {
  expect(seen).toHaveLength(wanted.length)
  seen.forEach((value, k) => {
    expect(value).toBeCloseTo(at(wanted, k), digits)
  })
}

test('.8 on the diagonal, .05 off: closed form π = (q − .05)/.75 (judge-science.md 4.2)', () => {
  const confusion = evenJudge(5, 0.8).map((row) => row.map((rate) => rate * 100))
  const found = estimate({ judgeCounts: [350, 275, 162.5, 125, 87.5], confusion })
  near(found.shares, [0.4, 0.3, 0.15, 0.1, 0.05])
  expect(found.conditionNumber).toBeCloseTo(1 / 0.75, 10)
})

/** Matrix and vectors computed in numpy 2.4 (`linalg.inv`, the formula of the delta method, `linalg.cond`). */
const CONFUSION = [
  [52, 4, 2, 1, 1],
  [3, 38, 2, 2, 0],
  [2, 3, 30, 4, 1],
  [1, 2, 3, 22, 2],
  [0, 1, 1, 2, 21],
]

test('five labels with an uneven matrix: numpy', () => {
  const found = estimate({ judgeCounts: [360, 310, 230, 170, 130], confusion: CONFUSION })
  near(
    found.shares,
    [0.31025921155483005, 0.2478888058763937, 0.20384574212088805, 0.1317142746402958, 0.10629196580759237],
  )
  near(
    found.se,
    [0.027813151394307567, 0.03060970095051204, 0.03271112472279652, 0.031257106263292686, 0.018940103204978218],
  )
  expect(found.conditionNumber).toBeCloseTo(1.5807349999889244, 10)
})

test('outside the simplex: the constrained least squares of scipy (SLSQP)', () => {
  const found = estimate({ judgeCounts: [620, 300, 60, 20, 0], confusion: CONFUSION })
  near(
    found.unconstrained,
    [0.6908038914764261, 0.29916200445327135, 0.03359558323459026, -0.009618562145512988, -0.013942917018774995],
  )
  near(found.shares, [0.6850649883065931, 0.2924367578558962, 0.022498253837510782, 0, 0], 6)
  found.ci95.forEach(([low, high], k) => {
    expect(low).toBeLessThanOrEqual(at(found.shares, k))
    expect(high).toBeGreaterThanOrEqual(at(found.shares, k))
    expect(high).toBeGreaterThan(0)
  })
})

test('two labels: the plain standard error of Rogan and Gladen (code of Lee et al.)', () => {
  const found = estimate({
    judgeCounts: [600, 400],
    confusion: [
      [140, 60],
      [20, 180],
    ],
  })
  near(found.shares, [1 - 1 / 6, 1 / 6])
  near(found.se, [0.052219267055865985, 0.052219267055865985])
})

const shares = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 5, maxLength: 5 })

test('a perfect judge is left as it is', () => {
  fc.assert(
    fc.property(shares, (judgeCounts) => {
      const confusion = judgeCounts.map((_, i) => judgeCounts.map((_one, j) => (i === j ? 30 : 0)))
      near(
        estimate({ judgeCounts, confusion }).shares,
        judgeCounts.map((count) => count / sum(judgeCounts)),
      )
    }),
  )
})

test('shares are never negative and add to 1; the plain solution adds to 1 too', () => {
  const rows = fc.array(fc.array(fc.nat(8), { minLength: 5, maxLength: 5 }), { minLength: 5, maxLength: 5 })
  fc.assert(
    fc.property(shares, rows, (judgeCounts, noise) => {
      const confusion = noise.map((row, k) => row.map((count, j) => count + (j === k ? 25 : 0)))
      const found = estimate({ judgeCounts, confusion })
      expect(sum(found.shares)).toBeCloseTo(1, 9)
      expect(sum(found.unconstrained)).toBeCloseTo(1, 9)
      expect(Math.min(...found.shares)).toBeGreaterThanOrEqual(0)
      expect(Math.min(...found.intervalSe)).toBeGreaterThan(0)
    }),
  )
})

test.each([
  {
    why: 'a label with few reviews',
    input: {
      judgeCounts: [5, 5],
      confusion: [
        [19, 0],
        [0, 40],
      ],
      names: ['aligned', 'ignored'],
    },
    reason: /^label aligned has 19 reviews/,
  },
  {
    why: 'a label with none, even if none is asked for',
    input: {
      judgeCounts: [5, 5],
      confusion: [
        [0, 0],
        [0, 40],
      ],
      minPerLabel: 0,
    },
    reason: /label 1 has 0/,
  },
  {
    why: 'a judge that tells nothing',
    input: {
      judgeCounts: [5, 5],
      confusion: [
        [20, 20],
        [20, 20],
      ],
    },
    reason: /condition number/,
  },
  {
    why: 'a judge that tells little',
    input: {
      judgeCounts: [5, 5],
      confusion: [
        [21, 20],
        [20, 21],
      ],
    },
    reason: /condition number 41\.0, over 20/,
  },
  {
    why: 'no graded item',
    input: {
      judgeCounts: [0, 0],
      confusion: [
        [20, 0],
        [0, 20],
      ],
    },
    reason: /no graded/,
  },
])('refuses $why', ({ input, reason }) => {
  const found = multiClassCorrection(input)
  expect(found.shares).toBeNull()
  expect(found.reason).toMatch(reason)
})

test('the bootstrap agrees with the delta method, and a seed repeats', () => {
  const input = { judgeCounts: [360, 310, 230, 170, 130], confusion: CONFUSION }
  const found = estimate(input)
  const check = bootstrapMultiClass(input, seededRandom(5), 2000)
  expect(check?.undefinedDraws).toBe(0)
  check?.se.forEach((se, k) => {
    expect(Math.abs(se / at(found.se, k) - 1)).toBeLessThan(0.12)
  })
  expect(check?.ci95).toHaveLength(5)
  expect(bootstrapMultiClass(input, seededRandom(5), 2000)).toEqual(check)
  expect(bootstrapMultiClass(input, seededRandom(6), 2000)).not.toEqual(check)
})

test('too many items to draw anew: no check', () => {
  expect(
    bootstrapMultiClass(
      {
        judgeCounts: [1e6, 1e6],
        confusion: [
          [20, 0],
          [0, 20],
        ],
      },
      seededRandom(1),
    ),
  ).toBeNull()
})

test.each([
  { reviews: 50, right: 0.85, seed: 11 },
  { reviews: 40, right: 0.95, seed: 12 },
])('intervals with $reviews reviews a label, judge right in $right: 93 to 97% overall', ({ reviews, right, seed }) => {
  const { pickMany } = drawsFrom(seed)
  const truth = [0.4, 0.3, 0.15, 0.1, 0.05]
  const rates = evenJudge(5, right)
  const judged = judgedShares(truth, rates)
  const held: boolean[] = []
  for (let trial = 0; trial < 2500; trial++) {
    const confusion = rates.map((row) => pickMany(reviews, row))
    const found = estimate({ judgeCounts: pickMany(1000, judged), confusion })
    held.push(...found.ci95.map(([low, high], k) => low <= at(truth, k) && at(truth, k) <= high))
  }
  expect(coverage(held)).toBeGreaterThan(0.93)
  expect(coverage(held)).toBeLessThan(0.97)
})
