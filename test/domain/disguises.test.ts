import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findNeedle, stringNeedles } from '../../src/domain/sights/needle-search.ts'
import { foldText, plainForm } from '../../src/domain/text/normal-text.ts'

const find = (text: string, needle: string) => findNeedle(stringNeedles([needle]), { text })

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
