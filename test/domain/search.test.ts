import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findNeedle, stringNeedles } from '../../src/domain/sights/needle-search.ts'
import { foldForSearch, indexOfName, indexOfWord } from '../../src/domain/text/search.ts'
import { hostileText } from './hostile-text.ts'

const find = (text: string, ...needles: string[]) => findNeedle(stringNeedles(needles), { text })

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
        // Of NULs alone nothing shows.
        fc.pre(wanted.replaceAll('\0', '').trim() !== '' && needle.trim() !== '')
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

describe('a name in a text', () => {
  test.each<[string, string, boolean, boolean]>([
    ['make test-all-slow', 'test-all', true, false],
    ['git tag release-7.1', 'release-7', true, false],
    ['git tag v1.2.3', 'v1.2', true, false],
    ['git push origin main-backup', 'main', true, false],
    ['cp x conf/flags.bak', 'conf/flags', true, false],
    ['curl https://h.io/a-b', 'https://h.io/a', true, false],
    ['curl https://stats.example.net.evil.org/', 'stats.example.net', true, false],
    ['curl https://evil.stats.example.net/', 'stats.example.net', true, false],
    ['npm run build:prod', 'build', true, false],
    ['curl https://stats.example.net@evil.org/', 'stats.example.net', true, false],
    ['make no-test-all', 'test-all', true, false],
    ['git push origin dev:main-2', 'main-2', true, false],
    ['make test-all-slow test-all', 'test-all', true, true],
    ['Run make test-all.', 'test-all', true, true],
    ['curl https://stats.example.net/ping', 'stats.example.net', true, true],
    ['curl https://stats.example.net:8080', 'stats.example.net', true, true],
    ['sed -n 12p a/file.sh:12', 'file.sh', true, true],
    ['tool --audit=off', '--audit', true, true],
    ['tool --test-all', 'test-all', true, true],
    ['cat ./conf/flags.ini', 'flags.ini', true, true],
    ['config.set_audit(1)', 'set_audit', true, true],
    ['curl https://h.io/a?x=1', 'https://h.io/a', true, true],
    ['npm i left-pad@1.2', 'left-pad', true, true],
    ['le café', 'é', false, false],
    ['le cafe\u0301', 'cafe', false, false],
    ['請執行release吧', 'release', true, true],
  ])('%j, %j: as a word %s, for itself %s', (text, needle, word, name) => {
    expect([indexOfWord(text, needle, 0) !== -1, indexOfName(text, needle, 0) !== -1]).toEqual([word, name])
  })
})
