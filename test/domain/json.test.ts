import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactJson, readJson } from '../../src/domain/text/json.ts'
import { readTables } from '../tables.ts'

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

interface Tables {
  readonly broken: [text: string, at: number][]
}
const TABLES = readTables<Tables>('domain/tables/json')

test.each(TABLES.broken)('%j stops being JSON at %d', (text, at) => {
  expect(readJson(text).error).toBe(at)
})

test('depth costs little stack', () => {
  expect(readJson('['.repeat(1_000_000)).error).toBe(2000)
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
