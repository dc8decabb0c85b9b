import { expect, test } from 'vitest'
import { answered, batchOf, besideText } from '../../bench/soak/beside-text.ts'

test.each([
  [batchOf(500, 500), 1, '1 batch of 500 graded'],
  [batchOf(2000, 2000), 3, '3 batches of 2000 graded'],
  [batchOf(2000, 1999), 1, '1 batch of 2000, 1999 graded'],
  [answered(500), 1, '1 × HTTP 500'],
  [answered(413), 36, '36 × HTTP 413'],
])('%j, %i times, does not look like another thing', (one, count, text) => {
  expect(besideText(one, count)).toBe(text)
})
