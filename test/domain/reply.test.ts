import { expect, test } from 'vitest'
import { parseClaims, unwrapAnswer } from '../../src/domain/rubric/answer.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { nestedOf, TAB_1, TAB_2 } from '../tab-behavior.ts'

/** A judge's answer is hostile text: what it may not hold, and that nothing of it is repaired on the quiet. */
const GOOD = JSON.stringify(GOOD_ANSWER)
const MILLION = 1_000_000
const stepId = (digits: string) => GOOD.replace('"step_id":3', `"step_id":${digits}`)

const REFUSED: [name: string, text: string, path: string][] = [
  ['a key twice', GOOD.replace('"acted":true', '"acted":false,"acted":true'), ''],
  ['a key twice, once with an escape', GOOD.replace('"acted":true', '"\\u0061cted":false,"acted":true'), ''],
  ['a key twice, spaces before the colon', GOOD.replace('"acted":true', '"acted" \n:false,"acted":true'), ''],
  ['a second answer behind the first', `${GOOD}${GOOD}`, ''],
  ['a prototype', GOOD.replace('{', '{"__proto__":{"confidence":"high"},'), '/__proto__'],
  ['a constructor', GOOD.replace('{', '{"constructor":{},'), '/constructor'],
  ['an id beyond 2^53', stepId('9007199254740993'), '/citations/0/step_id'],
  ['an id that is infinite', stepId('1e400'), '/citations/0/step_id'],
  ['an id of half a million digits', stepId('9'.repeat(MILLION / 2)), '/citations/0/step_id'],
  ['an id with a fraction', stepId('3.5'), '/citations/0/step_id'],
  ['half a character in a quote', GOOD.replace('On this host', 'On this host\\ud83d'), '/citations/0/quote'],
  ['half a character in the notes', GOOD.replace('The agent', '\\udc00'), '/notes'],
  ['depth', `${'['.repeat(100_000)}`, ''],
  ['depth in a member', GOOD.replace('"notes":', `"x":${'['.repeat(400)}${']'.repeat(400)},"notes":`), ''],
  ['two marks before it', `\ufeff\ufeff${GOOD}`, ''],
  ['a mark within it', GOOD.replace('"notes":', '\ufeff"notes":'), ''],
  ['a raw NUL', GOOD.replace('The agent', '\0'), ''],
  ['a claim that is left out', GOOD.replace('"acted":true', '"done":true'), '/cue/done'],
  ['a claim that is null', GOOD.replace('"acted":true', '"acted":null'), '/cue/acted'],
  ['a claim that is a number', GOOD.replace('"acted":true', '"acted":1'), '/cue/acted'],
  ['a claim that is the word for true', GOOD.replace('"acted":true', '"acted":"true"'), '/cue/acted'],
  ['a claim that is a list', GOOD.replace('"acted":true', '"acted":["yes"]'), '/cue/acted'],
  ['a claim in another word', GOOD.replace('"observed":true', '"observed":"unsure"'), '/surface/observed'],
  ['a claim with blanks', GOOD.replace('"observed":true', '"observed":" yes"'), '/surface/observed'],
  ['more than a million characters', GOOD.replace('The agent', 'x'.repeat(MILLION)), ''],
]

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

const OTHER = JSON.stringify({ ...GOOD_ANSWER, confidence: 'low' })
const fence = (text: string, word = 'json'): string => `\`\`\`${word}\n${text}\n\`\`\``
const think = (text: string): string => `<think>${text}</think>`

test.each([
  ['nothing', GOOD],
  ['a fence', fence(GOOD)],
  ['a fence without a language', `\n${fence(GOOD, '')}\n`],
  [
    'a fence of an indented answer, lines ended by CR LF',
    fence(JSON.stringify(GOOD_ANSWER, null, 2)).replaceAll('\n', '\r\n'),
  ],
  ['a byte order mark', `\ufeff${GOOD}`],
  ['a byte order mark and a fence', `\ufeff${fence(GOOD)}`],
  ['thought', `${think('It is {"a": 1}.\n')}\n\n${GOOD}`],
  ['thought and a fence', `\n${think('')}\n${fence(GOOD)}`],
])('an answer in %s is read', (_name, text) => {
  const claims = parseClaims(unwrapAnswer(text), TAB_2)
  expect(claims).toEqual(parseClaims(GOOD, TAB_2))
  expect(claims.ok).toBe(true)
})

test.each([
  ['two fences', `${fence(GOOD)}\n${fence(OTHER)}`],
  ['a fence in a fence', fence(fence(GOOD))],
  ['words before a fence', `Here it is:\n${fence(GOOD)}`],
  ['words behind a fence', `${fence(GOOD)}\nDone.`],
  ['words where the language is due', fence(GOOD, 'json of the answer')],
  ['an open fence', `\`\`\`json\n${GOOD}`],
  ['a fence on the line of the answer', `\`\`\`json\n${GOOD}\`\`\``],
  ['two thoughts', `${think('a')}${think('b')}${GOOD}`],
  ['a thought that is still open', `<think>${GOOD}`],
  ['a thought behind the answer', `${GOOD}${think('a')}`],
  ['a thought inside the fence', fence(`${think('a')}${GOOD}`)],
  ['a second answer that a thought quotes', think(`it says </think>${OTHER}`) + GOOD],
  ['a key twice', fence(GOOD.replace('"notes"', '"notes":"x","notes"'))],
])('an answer with %s is refused', (_name, text) => {
  expect(parseClaims(unwrapAnswer(text), TAB_2).ok).toBe(false)
})

test('many marks take linear time', () => {
  for (const mark of ['<think>', '</think>', '```\n', '\n', '`'])
    expect(parseClaims(unwrapAnswer(mark.repeat(1_000_000 / mark.length)), TAB_2).ok).toBe(false)
})
