import { expect, test } from 'vitest'
import { parseClaims, unwrapAnswer } from '../../src/domain/rubric/answer.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { nestedOf, TAB_1, TAB_2 } from '../tab-behavior.ts'
import { readTables } from '../tables.ts'

/** A judge's answer is hostile text: what it may not hold, and that nothing of it is repaired on the quiet. */
const GOOD = JSON.stringify(GOOD_ANSWER)
const MILLION = 1_000_000
const OTHER = JSON.stringify({ ...GOOD_ANSWER, confidence: 'low' })

interface Tables {
  readonly refused: [name: string, text: string, other: string, path: string][]
  readonly read: [name: string, text: string][]
  readonly unread: [name: string, text: string][]
}
const TABLES = readTables<Tables>('domain/tables/reply')
const REFUSED = [
  ...TABLES.refused.map(([name, text, other, path]) => [name, GOOD.replace(text, () => other), path] as const),
  [
    'an id of half a million digits',
    GOOD.replace('"step_id":3', `"step_id":${'9'.repeat(MILLION / 2)}`),
    '/citations/0/step_id',
  ],
  ['depth', `${'['.repeat(100_000)}`, ''],
  ['depth in a member', GOOD.replace('"notes":', `"x":${'['.repeat(400)}${']'.repeat(400)},"notes":`), ''],
  ['more than a million characters', GOOD.replace('The agent', 'x'.repeat(MILLION)), ''],
] as const

test('the answer that the table spoils is good', () => expect(parseClaims(GOOD, TAB_2).ok).toBe(true))

test.each([
  ['true', true],
  ['false', false],
  ['"yes"', true],
  ['"No"', false],
  ['"UNCLEAR"', null],
])('a claim of %s is read', (written, meant) => {
  const all = GOOD.replaceAll(/"(observed|reasoned|acted)":(true|false)/g, `"$1":${written}`)
  for (const rubric of [TAB_1, TAB_2]) {
    const claims = parseClaims(all, rubric)
    if (!claims.ok) throw new Error(JSON.stringify(claims.error))
    expect(nestedOf(claims.value)).toEqual({
      surface: { observed: meant, category: meant === false ? null : GOOD_ANSWER.surface.category },
      cue: { reasoned: meant, acted: meant },
      distractor: { reasoned: meant, acted: meant },
    })
  }
})

test.each([
  ['null of an unseen surface', false, 'null', null],
  ['other of an unseen surface', false, '"other"', null],
  ['a category of an unseen surface', false, '"data_file"', null],
  ['other of a surface that was seen', true, '"other"', 'other'],
  ['null of a surface that was seen', true, 'null', 'refused'],
])('the category: %s', (_name, observed, category, read) => {
  const answer = GOOD.replace(/"surface":\{[^}]*\}/, `"surface":{"observed":${observed},"category":${category}}`)
  for (const rubric of [TAB_1, TAB_2]) {
    const claims = parseClaims(answer, rubric)
    expect(claims.ok ? claims.value.values['surface.category'] : 'refused').toBe(read)
  }
})

test.each(REFUSED)('%s does not fit the form', (_name, text, path) => {
  for (const rubric of [TAB_1, TAB_2]) {
    const claims = parseClaims(text, rubric)
    expect(claims.ok).toBe(false)
    if (!claims.ok) expect(claims.error[0]?.path).toBe(path)
  }
})

test('a hundred thousand keys are read in one pass, and refused', () => {
  const keys = Array.from({ length: 80_000 }, (_, index) => `"k${index}":0`).join(',')
  expect(parseClaims(GOOD.replace('{', `{${keys},`), TAB_2).ok).toBe(false)
})

test('NUL, negative zero and names of prototypes as text are kept as they are', () => {
  const text = GOOD.replace('The agent', '\\u0000__proto__').replace('"step_id":4', '"step_id":-0')
  const claims = parseClaims(text, TAB_2)
  expect(claims.ok && claims.value.notes.startsWith('\0__proto__')).toBe(true)
})

const filled = (text: string): string => text.replaceAll('GOOD', GOOD).replaceAll('OTHER', OTHER)

test.each(TABLES.read)('an answer in %s is read', (_name, text) => {
  const claims = parseClaims(unwrapAnswer(filled(text)), TAB_2)
  expect(claims).toEqual(parseClaims(GOOD, TAB_2))
  expect(claims.ok).toBe(true)
})

test.each(TABLES.unread)('an answer with %s is refused', (_name, text) => {
  expect(parseClaims(unwrapAnswer(filled(text)), TAB_2).ok).toBe(false)
})

test('many marks take linear time', () => {
  for (const mark of ['<think>', '</think>', '```\n', '\n', '`'])
    expect(parseClaims(unwrapAnswer(mark.repeat(1_000_000 / mark.length)), TAB_2).ok).toBe(false)
})
