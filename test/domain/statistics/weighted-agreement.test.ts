import { describe, expect, test } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement/agreement.ts'
import { cohenKappa, linear, quadratic } from '../../../src/domain/statistics/agreement/coefficients.ts'
import type { AgreementRequest, Rating } from '../../../src/schemas/audit/agreement.ts'
import { ratingsOf, ratingsOfMatrix } from './oracles.ts'
import { KRIPPENDORFF_C } from './published.ts'

const ask = (request: AgreementRequest) => agreement({ bootstrap: { draws: 100, seed: 1 }, ...request })
function weighted(request: AgreementRequest) {
  const answer = ask(request)
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value.weighted
}

/** Cohen (1968), table 1: shares of 200 cases, and his own weights of disagreement; κw = 0.348. */
test('the example of Cohen 1968, with its weights', () => {
  const shares = [44, 7, 9, 5, 20, 5, 1, 3, 6]
  const weights = [
    [0, 1, 3],
    [1, 0, 6],
    [3, 6, 0],
  ]
  const { value } = cohenKappa(shares, 3, (one, other) => weights[one]?.[other] ?? 0)
  expect(value).toBeCloseTo(0.348, 3)
})

describe('κ of places', () => {
  // By hand: n 6, margins (3, 2, 1) and (2, 2, 2). Linear: observed 2, expected (6 + 12 + 4 + 4 + 4 + 2) / 6 = 32 / 6; quadratic: observed 4,
  // expected (6 + 24 + 4 + 4 + 8 + 2) / 6 = 8.
  const matrix = [
    [2, 0, 1],
    [0, 1, 1],
    [0, 1, 0],
  ]
  const cells = [2, 0, 1, 0, 2, 0, 0, 0, 1]

  test('linear and quadratic by hand', () => {
    expect(cohenKappa(cells, 3, linear([0, 1, 2])).value).toBeCloseTo(1 - 2 / (32 / 6), 12)
    expect(cohenKappa(cells, 3, quadratic([0, 1, 2])).value).toBeCloseTo(1 - 4 / 8, 12)
  })

  test('two categories: both are Cohen’s κ', () => {
    const answer = ask({
      ratings: ratingsOfMatrix([
        [20, 5],
        [10, 15],
      ]),
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
