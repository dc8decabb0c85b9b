import { expect, test } from 'vitest'
import { renderPage } from '../../src/cli/appendix-page.ts'
import { AppendixTally } from '../../src/cli/appendix-tally.ts'
import { newBatch } from './stand-in-batch.ts'

test('an appendix of a cancelled batch has no heading with nothing below it', () => {
  const tally = new AppendixTally()
  tally.addItem({
    ...{ item_id: 'a', index: 0, status: 'cancelled', label: null, grade_id: null, grade: null },
    ...{ failure: null, cached: false, base_grade_id: null, metadata: {} },
  })
  const page = renderPage({ batch: newBatch(1, 1, {}, 'grade'), tally, rubrics: new Map(), files: [], version: '1' })
  expect(page).toContain('| cancelled | 1 | 100.0% |')
  expect(page).not.toMatch(/## (?:Settings|Prompt)/)
  expect(page).not.toContain('outcome of the call')
})
