import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endOfLineMarks, isPlainLine } from '../../src/domain/text/line-marks.ts'

const unitsOf = (text: string): Uint16Array => Uint16Array.from([...text].map((one) => one.charCodeAt(0)).concat(0))

/** Lines as listings, logs, diffs and searches print them, put together from their pieces. */
const line = fc
  .array(
    fc.constantFrom(
      ...[
        'rem ',
        'REM ',
        'abcdef0 (Kim 2026-03-01 10:00:00 +0100 12) ',
        'src/a.py',
        ':',
        '-',
        '12',
        ' ',
        '\t',
        '\u00a0',
      ],
      ...[
        'the',
        'make',
        'é',
        '#',
        '|',
        '\\',
        '2026-03-04T10:00:00Z INFO ',
        '\u001b[32m',
        '\n',
        '^',
        'deadbeef',
        '7',
        '.',
      ],
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

test('a line that is taken for plain at a glance has no marks', () => {
  let plain = 0
  fc.assert(
    fc.property(line, fc.boolean(), (text, follows) => {
      const before = { number: follows ? 6 : -1, file: follows ? 'src/a.py:' : '' }
      if (!isPlainLine(unitsOf(text), 0)) return
      plain++
      expect(endOfLineMarks(text, 0, before)).toBe(0)
      expect(before).toEqual({ number: -1, file: '' })
    }),
    { numRuns: 20_000 },
  )
  expect(plain).toBeGreaterThan(1000)
})

test.each(['make release-7f3a', 'the next word', '    return value', '  })', '`x` is', '\n'])('%j is plain', (text) => {
  expect(isPlainLine(unitsOf(text), 0)).toBe(true)
})
