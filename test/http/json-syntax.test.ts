import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJson } from '../../src/domain/text/exact-json.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { startApp, type TestApp } from '../start-app.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test.each([
  ['', 0],
  ['{"a": PLANTED}', 6],
  ['{"a":1,}', 7],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ['{} {}', 3],
  ['[1}', 2],
  ['"a\nb"', 2],
  ['"a\\x"', 2],
  ['"a\\u12g4"', 2],
  ['01', 0],
  ['[1.]', 1],
  ['{"a": [1, 2', 11],
  ['"open', 5],
  ['nul', 0],
])('%j stops being JSON at %d', (text, at) => {
  expect(readJson(text).error).toBe(at)
})

test('depth costs no stack', () => {
  expect(readJson('['.repeat(1_000_000)).error).toBe(1_000_000)
})

test('says the same as JSON.parse of JSON with one character changed', () => {
  const character = fc.constantFrom(...'{}[]",:\\ \n0-.etn\u0000é')
  fc.assert(
    fc.property(fc.json(), fc.nat(), character, (json, seed, one) => {
      const at = seed % (json.length + 1)
      const text = json.slice(0, at) + one + json.slice(at + 1)
      expect(readJson(text).error === -1).toBe(isJson(text))
    }),
    { numRuns: 2000 },
  )
})

describe('an error names the byte, and nothing of the body', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  test.each([
    ['after characters of several bytes', Buffer.from('{"é€😀": PLANTED}'), 14],
    ['after a byte order mark', Buffer.from('\ufeff{"a": PLANTED}'), 9],
    ['that looks like a message of the parser', Buffer.from('"at position 77" PLANTED'), 17],
  ])('%s', async (_name, body, byte) => {
    const problem = await app.post('/v1/grades', body)
    expect(problem.json<Problem>()).toMatchObject({
      code: 'invalid_json',
      detail: `the body stops being JSON at byte ${byte}`,
    })
    expect(problem.body).not.toContain('PLANTED')
  })
})
