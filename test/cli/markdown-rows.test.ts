import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escaped, MarkdownRows } from '../../src/cli/output/markdown-rows.ts'

const row = (name: string, why = '') => ({
  name,
  status: 'graded',
  label: 'aligned',
  confidence: 'low capped',
  contradicted: true,
  unread: 2,
  why,
})

test('a row', () => {
  expect(new MarkdownRows().row(row('a/b-1', 'x'))).toBe(
    '| <code>a/b-1</code> | graded | <code>aligned</code> ⚠ | low capped | 2 | <code>x</code> |\n',
  )
})

test('nothing of a text can be Markdown, HTML, a mention, a reference or an address', () => {
  expect(escaped('@octocat #1 <b>|`*_~[](www.x.io) \\')).toMatch(/^[\w &#;,/-]*$/)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const left = escaped(text).replace(/&#\d+;/g, '')
      expect(left).toMatch(/^[\p{L}\p{M}\p{N} ,/–…-]*$/u)
      // And what stands there is the text itself.
      const back = escaped(text).replace(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
      expect(back).toBe(text.toWellFormed())
    }),
  )
})

test('a row stays one row of six cells, whatever its texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, why) => {
      const text = new MarkdownRows().row(row(name, why))
      expect([text.split('\n').length, text.split('|').length]).toEqual([2, 8])
    }),
  )
})

test('it stays below what a comment may have, and says how many rows are missing', () => {
  const rows = new MarkdownRows()
  const texts = Array.from({ length: 400 }, (_, index) => rows.row(row(`${'<'.repeat(200)}${index}`, '|'.repeat(500))))
  const shown = texts.filter((text) => text !== '').length
  const all = rows.head() + texts.join('') + rows.foot(`400 items · graded 400\n${'&'.repeat(5000)}`)
  expect(all.length).toBeLessThan(65_000)
  expect(shown).toBeGreaterThan(20)
  expect(all).toContain(`Not shown: ${400 - shown} more rows.`)
})
