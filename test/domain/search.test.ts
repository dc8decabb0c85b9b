import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasDisguise } from '../../src/domain/disguises.ts'
import { fold } from '../../src/domain/fold.ts'
import { findFirst, findInText, foldForSearch, indexOfWord } from '../../src/domain/search.ts'
import { hostileText } from './hostile-text.ts'
import { makeTrajectory } from './make.ts'

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
    const hit = findInText(text, [needle])
    expect(hit === null ? null : text.slice(hit.start, hit.end)).toBe(found)
  })

  test('wherever folding both sides finds it: the short cut loses nothing', () => {
    fc.assert(
      fc.property(hostileText(), hostileText(), fc.nat(), fc.nat(), (text, other, a, b) => {
        const needle = a % 3 === 0 ? other.slice(0, 20) : text.slice(a % (text.length + 1)).slice(0, 1 + (b % 30))
        const wanted = foldForSearch(needle)
        fc.pre(wanted !== '' && needle.trim() !== '')
        const slow = indexOfWord(fold(text, { ansi: true, disguises: true }).text, wanted, 0) !== -1
        const eligible = text.includes('\u001b') || hasDisguise(text) || /[\s'"‘’‚‛“”„‟]/.test(needle)
        if (slow && eligible) expect(findInText(text, [needle])).not.toBeNull()
      }),
      { numRuns: 2000 },
    )
  })
})

test('the earliest part in the order of events wins, whatever the order of the needles', () => {
  const trajectory = makeTrajectory([
    [['tool_output', 'nothing']],
    [
      ['agent_action', 'beta'],
      ['tool_output', 'beta then alpha'],
    ],
    [['tool_output', 'alpha']],
  ])
  const hit = findFirst(trajectory, ['alpha', 'beta'], (part) => part.actor === 'tool_output')
  expect(hit).toMatchObject({ needle: 'beta', step_id: 2, position: { step: 1, part: 1 }, start: 0, end: 4 })
  expect(findFirst(trajectory, ['', '  '], () => true)).toBeNull()
})

test('whole words are found behind many occurrences that overlap and are none', () => {
  const needle = 'a'.repeat(500)
  expect(indexOfWord(`${'a'.repeat(5000)} ${needle} b`, needle, 0)).toBe(5001)
  expect(indexOfWord('a'.repeat(5000), needle, 0)).toBe(-1)
})

test('a blank needle stands nowhere', () => {
  expect(findInText('make all', [' '])).toBe(null)
})
