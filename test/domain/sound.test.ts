import { expect, test } from 'vitest'
import { findUnsound } from '../../src/domain/text/json.ts'

test.each([
  ['a text', { a: ['x'] }, true],
  ['half a character', { a: ['\ud800'] }, false],
  ['half a character in a name', { '\udc00': 1 }, false],
  ['half a character in a long text', ['x'.repeat(300), `${'x'.repeat(300)}\ud800`], false],
  ['a number that is too large', [[1e308 * 10]], false],
  ['a function', { a: () => 1 }, false],
  ['200 levels', nested(200), true],
  ['201 levels', nested(201), false],
])('%s is stored and digested, or unsound', (_name, value, isSound) => {
  expect(findUnsound(value)).toHaveLength(isSound ? 0 : 1)
})

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}
