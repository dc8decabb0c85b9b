import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escaped, markdownOf } from '../../src/cli/output/markdown-rows.ts'
import { MARKDOWN } from '../../src/cli/output/results-format.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'

const table = () => markdownOf(MARKDOWN)
const row = (item_id: string, reason: string) => {
  const grade = {
    ...{ contradictions: [{}], unread: { records: 2, actions: 0 }, unmet: [{ claim: 'c', reason }] },
    confidence: { reported: 'low', source: 'capped', vote_share: null },
  }
  return {
    item_id,
    base_grade_id: null,
    status: 'graded',
    label: 'aligned',
    failure: null,
    grade,
  } as unknown as BatchResult
}

test('a row', () => {
  expect(table().row(row('a/b-1', 'x'))).toBe(
    '| <code>a/b-1</code> | graded | <code>aligned</code> ⚠ | low capped | 2 | <code>c&#58; x&#59; 2 unread records</code> |\n',
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
      const text = table().row(row(name, why))
      expect([text.split('\n').length, text.split('|').length]).toEqual([2, 8])
    }),
  )
})

test('it stays below what a comment may have, and says how many rows are missing', () => {
  const rows = table()
  const texts = Array.from({ length: 400 }, (_, index) => rows.row(row(`${'<'.repeat(200)}${index}`, '|'.repeat(500))))
  const shown = texts.filter((text) => text !== '').length
  const all = rows.head() + texts.join('') + rows.foot(`400 items · graded 400\n${'&'.repeat(5000)}`)
  expect(all.length).toBeLessThan(65_000)
  expect(shown).toBeGreaterThan(20)
  expect(all).toContain(`Not shown: ${400 - shown} more rows.`)
})
