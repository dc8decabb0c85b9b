import { expect, test } from 'vitest'
import { chooseEstimator, type Design } from '../../../src/domain/statistics/shares/corrected-shares.ts'
import { SAMPLING_DESIGNS } from '../../../src/schemas/audit/review.ts'

const TABLE: readonly (readonly [Design, string | null, RegExp])[] = [
  [{ sampling: 'random' }, 'post_stratified', /random sample/],
  [{ sampling: 'random', weights: [3, 3, 3] }, 'post_stratified', /random sample/],
  [{ sampling: 'random', weights: [3, 1, 3] }, 'inverse_probability', /known probability/],
  [{ sampling: 'stratified' }, 'post_stratified', /judge’s label/],
  [{ sampling: 'stratified', weights: [1, 4] }, 'post_stratified', /judge’s label/],
  [{ sampling: 'disagreement' }, null, /disagreement/],
  [{ sampling: 'disagreement', weights: [] }, null, /disagreement/],
  [{ sampling: 'disagreement', weights: [null, undefined] }, null, /disagreement/],
  [{ sampling: 'disagreement', weights: [1, 10, 10] }, 'inverse_probability', /known probability/],
  [{ sampling: 'disagreement', weights: [1, null, 10] }, null, /some have none/],
  [{ sampling: 'disagreement', weights: [1, 0] }, null, /above 0/],
  [{ sampling: 'disagreement', weights: [1, Number.NaN] }, null, /above 0/],
  [{ sampling: 'disagreement', weights: [1, Infinity] }, null, /finite/],
  [{ sampling: 'disagreement', weights: [1, -2] }, null, /above 0/],
  [{ sampling: 'chosen' }, null, /by hand/],
  [{ sampling: 'chosen', weights: [1, 2] }, null, /by hand/],
]

test.each(TABLE)('%j → %s', (design, estimator, reason) => {
  const choice = chooseEstimator(design)
  expect(choice.estimator).toBe(estimator)
  expect(choice.reason).toMatch(reason)
})

test('every sampling has its own reason', () => {
  const reasons = SAMPLING_DESIGNS.map((sampling) => chooseEstimator({ sampling }).reason)
  expect(new Set(reasons).size).toBe(SAMPLING_DESIGNS.length)
})
