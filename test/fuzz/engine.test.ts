import { describe, expect, test } from 'vitest'
import { errorOf, fuzz } from './engine.ts'
import { JSON_INPUTS } from './near.ts'
import type { Target } from './target.ts'

const target = (check: (input: unknown) => void): Target<unknown> => ({
  ...JSON_INPUTS,
  name: 'planted',
  law: '',
  corpus: 'none',
  check,
})

interface Item {
  readonly id?: unknown
  readonly words?: unknown
}
const itemsOf = (input: unknown): readonly Item[] =>
  Array.isArray(input) ? input.filter((item) => typeof item === 'object' && item !== null) : []

const SEED = [
  { id: 'a', words: 'one' },
  { id: 'b', words: 'two' },
]
const OPTIONS = { seed: 7, seconds: 60, maxFinds: 1, maxRuns: 20_000 }

/** Bugs that were in readers once. */
describe('the fuzzer finds, and makes small,', () => {
  test('an id that is an object without a toString', async () => {
    const planted = target((input) => {
      for (const { id } of itemsOf(input)) String(id)
    })
    const { finds } = await fuzz(planted, [SEED], OPTIONS)
    expect(finds[0]?.error).toContain('Cannot convert object to primitive value')
    expect(JSON.stringify(finds[0]?.input).length).toBeLessThan(50)
  })
})

test('what throws in the end of a promise is a find, and what is no error too', async () => {
  const late = { ...target(() => undefined), check: () => Promise.reject(new Error('late')) }
  expect(await errorOf(late, null)).toContain('Error: late')
  const odd = target(() => {
    throw null
  })
  expect(await errorOf(odd, null)).toBe('threw something that is no error')
})
