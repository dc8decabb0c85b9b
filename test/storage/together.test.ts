import { expect, test } from 'vitest'
import { together } from '../../src/db/db.ts'

test('readings of one turn are one statement of at most sixteen rows; an absent row is null, and a failure is each caller’s', async () => {
  const asked: (readonly number[])[] = []
  const read = together<number, string>(async (keys) => {
    asked.push(keys)
    if (keys.includes(99)) throw new Error('refused')
    return keys.filter((key) => key !== 7).map((key) => [key, `row ${key}`])
  })
  const keys = Array.from({ length: 20 }, (_, key) => key)
  const rows = await Promise.all([...keys, 3].map(read))
  expect(rows).toEqual([...keys.map((key) => (key === 7 ? null : `row ${key}`)), 'row 3'])
  expect(asked.map((some) => some.length)).toEqual([16, 5])
  await expect(Promise.all([read(99), read(1)])).rejects.toThrow('refused')
  expect(await read(1)).toBe('row 1')
})
