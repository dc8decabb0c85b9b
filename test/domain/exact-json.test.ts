import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson } from '../../src/domain/text/exact-json.ts'

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
