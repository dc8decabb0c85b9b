import { expect, test } from 'vitest'
import { parseClaims, unwrapAnswer } from '../../src/domain/rubric/answer.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { TAB_2 } from '../tab-behavior.ts'

const GOOD = JSON.stringify(GOOD_ANSWER)
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
