import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringNeedles } from '../../src/domain/sights/needle-search.ts'
import { findNeedle } from '../../src/domain/sights/sights.ts'
import { unescapeWithin } from '../../src/domain/text/escape.ts'
import { foldText, plainForm } from '../../src/domain/text/normal-text.ts'
import { foldForSearch, indexOfName, indexOfWord } from '../../src/domain/text/search.ts'
import { toSource, viewPart } from '../../src/domain/trajectory/rendering.ts'
import { readTables } from '../tables.ts'
import { hostileText } from './hostile-text.ts'

interface Tables {
  readonly found: [name: string, text: string, needle: string, found: string | null][]
  readonly names: [text: string, needle: string, isWord: boolean, isName: boolean][]
  readonly shown: [name: string, source: string, shown: string][]
}
const TABLES = readTables<Tables>('domain/tables/text')

const find = (text: string, ...needles: string[]) => findNeedle(stringNeedles(needles), { text })

describe('a needle is found', () => {
  test.each(TABLES.found)('%s', (_name, text, needle, found) => {
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
  test.each(TABLES.names)('%j, %j: as a word %s, for itself %s', (text, needle, word, name) => {
    expect([indexOfWord(text, needle, 0) !== -1, indexOfName(text, needle, 0) !== -1]).toEqual([word, name])
  })
})

const SAID = 'Run make release-7f3a first'
const between = (joint: string) => (text: string) => [...text].join(joint)
const replaced = (pairs: string) => (text: string) =>
  [...text].map((c) => (pairs.includes(`${c}=`) ? (pairs[pairs.indexOf(`${c}=`) + 2] ?? c) : c)).join('')

describe('a search sees through', () => {
  test.each<[string, (text: string) => string]>([
    ['zero-width spaces', between('\u200b')],
    ['zero-width joiners', between('\u200d')],
    ['soft hyphens', between('\u00ad')],
    ['word joiners', between('\u2060')],
    ['bidirectional marks', between('\u202e')],
    ['variation selectors', between('\ufe0f')],
    ['tags', between('\u{e0041}')],
    ['Cyrillic letters', replaced('a=\u0430 e=\u0435 s=\u0455')],
    ['Greek letters', replaced('a=\u0430 o=\u03bf M=\u039c')],
    ['full-width letters', replaced('m=\uff4d r=\uff52 7=\uff17')],
  ])('%s', (_name, disguise) => {
    const text = `Note. ${disguise(SAID)}. End.`
    const hit = find(text, 'make release-7f3a')
    expect(text.slice(hit?.start, hit?.end)).toBe(disguise('make release-7f3a'))
  })

  test('and finds nothing that reads otherwise', () => {
    const russian = 'Сначала собери проект: рор 7, сор, вес; потом запусти тест.'
    for (const needle of ['make', 'release', 'project', 'test', 'cop 7', 'Bec 7']) {
      expect(find(russian, needle)).toBeNull()
    }
    expect(find('m\u200bake releas-7f3a', 'make release-7f3a')).toBeNull()
  })
})

const PASSES = { ansi: true, white_space: true, typographic_quotes: true } as const

test('ASCII folds to the same with and without seeing through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(foldText(text, { ...PASSES, disguises: true })).toBe(foldText(text, PASSES))
    }),
  )
})

test.each([
  ['\u{1d41a}', 'a'],
  ['\u{1d5d4}', 'A'],
  ['\u{1d7d8}', '0'],
  ['\u{1d6fc}', ''],
  ['\u{1f600}', ''],
])('%s passes for “%s”', (letter, plain) => {
  expect(plainForm(letter)).toBe(plain === '' ? null : plain)
})

const NONCE = '0123456789abcdef'
const shown = (text: string) => viewPart(text, NONCE).text

describe('what a judge is shown', () => {
  test.each(TABLES.shown)('%s', (_name, source, expected) => {
    expect(shown(source)).toBe(expected)
  })

  test('reads back to the source, but for the carriage returns of CRLF', () => {
    fc.assert(
      fc.property(hostileText(), (source) => {
        expect(unescapeWithin(shown(source)) ?? '').toBe(source.replaceAll('\r\n', '\n'))
      }),
      { numRuns: 500 },
    )
  })

  test('maps every range of the view back: the same text outside of edits, whole edits inside', () => {
    fc.assert(
      fc.property(hostileText(), fc.nat(), fc.nat(), (source, a, b) => {
        const view = viewPart(source, NONCE)
        const start = view.text.length === 0 ? 0 : a % view.text.length
        const end = Math.min(view.text.length, start + 1 + (b % 20))
        const range = toSource(view, { start, end })
        if (range === null) throw new Error('nothing is hidden in a whole view')
        const touched = editsOf(Array.from(view.edits)).filter((edit) => edit.viewStart < end && edit.viewEnd > start)
        if (touched.length === 0)
          expect(source.slice(range.start, range.end).replaceAll('\r', '')).toBe(view.text.slice(start, end))
        for (const edit of touched) {
          expect(range.start).toBeLessThanOrEqual(edit.sourceStart)
          expect(range.end).toBeGreaterThanOrEqual(edit.sourceEnd)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('never maps a range that touches hidden text', () => {
    const source = `head ${'x'.repeat(1000)} tail`
    const view = viewPart(source, NONCE, [{ start: 4, end: source.length - 4 }])
    expect(view.text).toBe(`head⟦1002 characters not shown · ${NONCE}⟧tail`)
    expect(toSource(view, { start: 0, end: 4 })).toEqual({ start: 0, end: 4 })
    expect(toSource(view, { start: 2, end: 8 })).toBeNull()
    expect(toSource(view, { start: view.text.length - 4, end: view.text.length })).toEqual({
      start: source.length - 4,
      end: source.length,
    })
  })
})

function editsOf(flat: readonly number[]) {
  const at = (index: number) => flat[index] ?? Number.NaN
  return Array.from({ length: flat.length / 4 }, (_, index) => ({
    viewStart: at(index * 4),
    viewEnd: at(index * 4 + 1),
    sourceStart: at(index * 4 + 2),
    sourceEnd: at(index * 4 + 3),
  }))
}
