import { expect, test } from 'vitest'
import { parseCount, parseDollars, parseSamples } from '../../src/cli/options.ts'
import { parseValues } from '../../src/cli/output/inspect-scores.ts'
import { realCommand } from './real-command.ts'

test.each([
  ['a cap', parseDollars, '0.50', 0.5],
  ['a cap without a zero', parseDollars, '.5', 0.5],
  ['a count', parseCount, '20', 20],
  ['samples', parseSamples, '3', 3],
] as const)('%s is read', (_name, parse, text, n) => expect(parse(text)).toBe(n))

test.each(['0x10', '0b1', '1e1', '+5', ' ', '', '5.', '１'])('a number is decimal digits, and not %j', (text) => {
  for (const parse of [parseDollars, parseCount, parseSamples]) expect(() => parse(text)).toThrow(/^It is a /)
  expect(() => parseValues(`aligned=${text}`)).toThrow('with a number')
})

test('values of labels may be below zero', () => expect(parseValues('aligned=-.5').get('aligned')).toBe(-0.5))

test('a command says on stderr which variable there is not, and does its work', async () => {
  const { run } = realCommand({ VERIDICT_MAX_COST_USD_PERDAY: '5', VERIDICT_LAUNCHER: 'veridict' })
  const { code, out, err } = await run('judges', '-o', 'ndjson')
  expect([code, err.split('\n')[0]]).toEqual([
    0,
    'warning  VERIDICT_MAX_COST_USD_PERDAY is no variable of Veridict, and is ignored: is VERIDICT_MAX_COST_USD_PER_DAY meant?',
  ])
  expect(out).toContain('lexical')
})
