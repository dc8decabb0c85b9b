import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvRow } from '../../src/audit/csv.ts'

describe('a row of a table', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [-1.5, '-1.5'],
    [false, 'false'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    [['x', 'y, z'], '"x; y, z"'],
    ['=1+1', "'=1+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1', "'＝1"],
    ['  +1', "'  +1"],
    ['\t=1', '⟨U+0009⟩=1'],
    ['a=1', 'a=1'],
    ['one\r\ntwo', 'one⟨U+000D⟩⟨U+000A⟩two'],
    ['\u001b[2J\u0000', '⟨U+001B⟩[2J⟨U+0000⟩'],
    ['a\u202eb\u200bc\ufeffd\u{e0041}e', 'a⟨U+202E⟩b⟨U+200B⟩c⟨U+FEFF⟩d⟨U+E0041⟩e'],
    ['\ud83d\ude00 \ud83d', '\ud83d\ude00 ⟨U+D83D⟩'],
    ['na\u00efve', 'na\u00efve'],
  ])('%j is written %j', (value, text) => {
    expect(csvRow([value])).toBe(`${text}\r\n`)
  })

  test('has as many cells as it was given, whatever they hold, and no cell begins a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 5 }), (cells) => {
        const rows = parse(csvRow(cells), { relax_column_count: false }) as string[][]
        expect(rows).toHaveLength(1)
        expect(rows[0]).toHaveLength(cells.length)
        for (const cell of rows[0] ?? []) expect(cell).not.toMatch(/^\s*[=+\-@]/)
      }),
    )
  })
})
