import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob, matchesName } from '../../src/archives/tasks/task-files.ts'

describe('a glob', () => {
  test.each([
    ['environment/main.py', 'environment/main.py', true],
    ['./environment//main.py', 'environment/main.py', true],
    ['environment/*.py', 'environment/main.py', true],
    ['environment/*.py', 'environment/src/main.py', false],
    ['environment/**/*.py', 'environment/main.py', true],
    ['environment/**/*.py', 'environment/a/b/main.py', true],
    ['**', 'a/b/c', true],
    ['**/c', 'a/b/c', true],
    ['a/**', 'a', true],
    ['a/**', 'b/a', false],
    ['?.txt', 'a.txt', true],
    ['?.txt', 'ab.txt', false],
    ['[a].txt', 'a.txt', false],
    ['[a].txt', '[a].txt', true],
    ['a/**/b/**/c', 'a/x/b/y/z/c', true],
    ['a/**/b/**/c', 'a/x/y/z/c', false],
    ['', 'a', false],
  ])('%s of %s: %s', (glob, path, is) => expect(matchesGlob(glob, path)).toBe(is))

  test('says what the regular expression of it says', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 })
    const path = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(name, path, (glob, text) => {
        const pattern = glob.replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesName(glob, text)).toBe(new RegExp(`^${pattern}$`).test(text))
      }),
    )
  })
})
