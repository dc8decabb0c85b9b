import { expect, test } from 'vitest'
import { atif, read } from './make.ts'

test('step ids never put an endless name into a header', () => {
  const [step] = read(atif([{ source: 'user', message: 'a', step_id: 'x'.repeat(100_000) }])).steps
  expect(step?.name?.length).toBeLessThan(300)
})
