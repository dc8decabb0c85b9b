import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inputIssues } from '../../src/schemas/check.ts'
import { Closed, Nullable, Type } from '../../src/schemas/type.ts'

const Item = Closed({
  name: Type.String({ minLength: 2, description: 'the name' }),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
  either: Type.Optional(Nullable(Type.Boolean())),
})
const List = Closed({ items: Type.Array(Item) })

test('each fault is told at its place, with the value found and the values expected', () => {
  const value = { items: [{ nam: 'x', count: 0 }, { name: 7, either: 'yes' }, 'no'], 'a/b': 1 }
  expect(inputIssues(List, value)).toEqual([
    { path: '/a~1b', message: 'is not a known property; there are: items' },
    { path: '/items/0/name', message: 'is missing: the name' },
    { path: '/items/0/nam', message: 'is not a known property; there are: name, count, either' },
    { path: '/items/0/count', message: 'must be >= 1' },
    { path: '/items/1/name', message: 'must be string, not number: the name' },
    { path: '/items/1/either', message: 'must match a schema in anyOf' },
    { path: '/items/2', message: 'must be object, not string' },
  ])
  expect(inputIssues(List, { items: [] })).toEqual([])
})

test('a million faults cost no more than the first, and at most twenty are told', () => {
  const items = Array.from({ length: 1_000_000 }, () => 1)
  const before = process.memoryUsage().heapUsed
  expect(inputIssues(List, { items })).toEqual([{ path: '/items/0', message: 'must be object, not number' }])
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  expect(inputIssues(List, { items: items.slice(0, 1000) })).toHaveLength(20)
})

test('names of prototypes are members like any other', () => {
  const schema = Closed({ constructor: Type.Optional(Type.String()), toString: Type.String() })
  expect(inputIssues(schema, {})).toEqual([{ path: '/toString', message: 'is missing' }])
  const own = JSON.parse('{"toString":"x","__proto__":1}') as unknown
  expect(inputIssues(schema, own).map(({ path }) => path)).toEqual(['/__proto__'])
})

test('texts become numbers and booleans in queries alone', () => {
  const schema = Closed({ n: Type.Integer(), yes: Type.Boolean() })
  const query = { n: '7', yes: 'true' }
  expect(inputIssues(schema, { ...query })).toHaveLength(2)
  expect([inputIssues(schema, query, { isText: true }), query]).toEqual([[], { n: 7, yes: true }])
})

test('every schema of the contract compiles in strict mode', async () => {
  let count = 0
  for (const file of readdirSync('src/schemas', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const exported = (await import(/* @vite-ignore */ `../../src/schemas/${file}`)) as Record<string, unknown>
    for (const [name, schema] of Object.entries(exported)) {
      if (!name.endsWith('Schema') || typeof schema !== 'object' || schema === null) continue
      count++
      expect(() => inputIssues(schema, Symbol('nothing fits')), name).not.toThrow()
    }
  }
  expect(count).toBeGreaterThan(30)
})
