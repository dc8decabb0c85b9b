import { describe, expect, test } from 'vitest'
import { exitCodeInText, outcomeWithCode, soundsTurnedDown } from '../../src/formats/tools/outcomes.ts'
import { openCall } from '../../src/formats/tools/tool-table.ts'
import { readTables } from '../tables.ts'

interface Words {
  readonly exit_codes: [harness: string | null, text: string, code: number | null][]
  readonly turned_down: string[]
  readonly printed: string[]
  readonly looks: string
  readonly acts: string
}
const WORDS = readTables<Words>('formats/tables/tool-words')

describe('the exit code that a result tells', () => {
  test.each(WORDS.exit_codes)('%s: %j', (harness, text, code) => {
    expect(exitCodeInText(harness, text)).toBe(code)
  })

  test.each([
    ['ran', null, 'ran'],
    ['ran', 0, 'ran'],
    ['ran', 1, 'failed'],
    ['ran', 130, 'interrupted'],
    ['failed', 124, 'interrupted'],
    ['failed', 1, 'failed'],
    ['rejected', 1, 'rejected'],
  ] as const)('makes of a call that %s with %s: %s', (said, code, outcome) => {
    expect(outcomeWithCode(said, code)).toBe(outcome)
  })
})

describe('a result sounds like the words of a harness that turned a call down', () => {
  test.each(WORDS.turned_down)('%s', (text) => {
    expect(soundsTurnedDown(text)).toBe(true)
  })

  test.each([
    ...WORDS.printed,
    // Whatever follows the first lines was printed.
    `${'README\n'.repeat(100)}The user rejected this tool call.`,
    `The user rejected this tool call.\n${'x'.repeat(2000)}`,
  ])('and so does not: %j', (text) => {
    expect(soundsTurnedDown(text)).toBe(false)
  })
})

test.each(WORDS.looks.split(' '))('%s says that its tool looks, plans or tries', (name) =>
  expect(openCall(name)).toEqual({ tool: name, outcome: 'unknown', looks: true }),
)

test.each(WORDS.acts.split(' '))('%s says no such thing', (name) => expect(openCall(name).looks).toBe(false))

test('a name that is as long as a file is one of which nothing is known', () => {
  expect(openCall(`send_${'x'.repeat(100_000)}`).looks).toBe(true)
})
