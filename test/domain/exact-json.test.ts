import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson, readJson } from '../../src/domain/text/json.ts'

test('a name with an escape is what it says, whatever was read before', () => {
  expect(parseExactJson('{"a":1,"\\\\":2}')).toEqual({ a: 1, '\\': 2 })
  expect(Object.keys(parseExactJson('{"a":1,"\\n":2}') as object)).toEqual(['a', '\n'])
  expect(Object.keys(parseExactJson('[{"x":[{"a":1,"\\"":2}]}]') as [{ x: [object] }])).toEqual(['0'])
  expect(JSON.stringify(parseExactJson('[{"x":[{"a":1,"\\"":2}]}]'))).toBe('[{"x":[{"a":1,"\\"":2}]}]')
})

test('a written value is read as it was, names with escapes among them', () => {
  const name = fc.oneof(fc.constantFrom('\\', '\n', '"', 'a', '__proto__'), fc.string())
  const value = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.integer(),
      fc.string(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree')),
    ),
  })).tree
  fc.assert(
    fc.property(value, (one) => {
      const text = JSON.stringify(one)
      expect(JSON.stringify(parseExactJson(text))).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test('deep nesting without such names is no matter', () => {
  const text = '['.repeat(5000) + ']'.repeat(5000)
  expect(parseExactJson(text)).toBeInstanceOf(Array)
})

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
