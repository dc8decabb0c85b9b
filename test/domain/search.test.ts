import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NeedleSearch } from '../../src/domain/sights/needle-search.ts'
import { stringNeedles } from '../../src/domain/sights/sight-needles.ts'
import { foldForSearch, indexOfWord } from '../../src/domain/text/search.ts'
import { hostileText } from './hostile-text.ts'

const find = (text: string, ...needles: string[]) => new NeedleSearch(stringNeedles(needles)).find(text)

describe('a needle is found', () => {
  test.each<[string, string, string, string | null]>([
    ['as it is', 'run make all now', 'make all', 'make all'],
    ['over a line break', 'run make\n   all now', 'make all', 'make\n   all'],
    ['with other quotes', 'say “done” now', 'say "done" now', 'say “done” now'],
    ['under colours', 'run \u001b[1mmake\u001b[0m \u001b[32mall\u001b[0m', 'make all', 'make\u001b[0m \u001b[32mall'],
    ['not inside a longer number', 'port 14231', '423', null],
    ['not inside a longer word', 'remake all', 'make all', null],
    ['behind a word that only looks like it', 'remake all; make all', 'make all', 'make all'],
    ['not with another letter', 'run make al', 'make all', null],
    ['not when a window title hides a word', 'do \u001b]0;not\u0007 run', 'do run', null],
  ])('%s', (_name, text, needle, found) => {
    const hit = find(text, needle)
    expect(hit === null ? null : text.slice(hit.start, hit.end)).toBe(found)
  })

  test('wherever folding both sides finds it', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), fc.nat(), fc.nat(), (text, other, a, b) => {
        const needle = a % 3 === 0 ? other.slice(0, 20) : text.slice(a % (text.length + 1)).slice(0, 1 + (b % 30))
        const wanted = foldForSearch(needle)
        fc.pre(wanted !== '' && needle.trim() !== '')
        if (indexOfWord(foldForSearch(text), wanted, 0) !== -1) expect(find(text, needle)).not.toBeNull()
      }),
      { numRuns: 2000 },
    )
  })
})

test('the needle that ends first wins, whatever the order of the needles', () => {
  expect(find('beta then alpha', 'alpha', 'beta')).toMatchObject({ needle: 'beta', start: 0, end: 4 })
})

test('whole words are found behind many occurrences that overlap and are none', () => {
  const needle = 'a'.repeat(500)
  expect(indexOfWord(`${'a'.repeat(5000)} ${needle} b`, needle, 0)).toBe(5001)
  expect(indexOfWord('a'.repeat(5000), needle, 0)).toBe(-1)
})

test('a blank needle stands nowhere', () => {
  expect(find('make all', ' ')).toBe(null)
})
