import { expect, test } from 'vitest'
import { renderPage } from '../../src/cli/results/appendix-page.ts'
import { AppendixTally } from '../../src/cli/results/appendix-tally.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { newBatch } from './stand-in-batch.ts'

const CANCELLED: BatchResult = {
  ...{
    item_id: 'a',
    index: 0,
    status: 'cancelled',
    label: null,
    judge: 'gpt|mini',
    rubric: 'r@1',
    grade_id: null,
    grade: null,
  },
  ...{ failure: null, cached: false, base_grade_id: null, metadata: {} },
}
const FAILED: BatchResult = {
  ...CANCELLED,
  ...{ item_id: 'b', index: 1, status: 'failed', judge: 'gpt' },
  failure: { code: 'internal', message: 'x', retryable: false, retry_after_s: null },
}

function pageOf(results: readonly BatchResult[], counts: Partial<Batch['counts']>, more: Partial<Batch> = {}): string {
  const tally = new AppendixTally()
  for (const result of results) tally.addItem(result, null, false)
  const made = newBatch(1, results.length, {}, 'grade')
  const batch = { ...made, ...more, counts: { ...made.counts, pending: 0, ...counts } }
  return renderPage({ batch, tally, prompts: new Map(), judges: [], files: [], version: '1' })
}

test('an appendix of a cancelled batch has no heading with nothing below it', () => {
  const page = pageOf([CANCELLED], { cancelled: 1 })
  expect(page).toContain('| cancelled | 1 | 100.0% |')
  // Why it has no label is said there as in `failures.ndjson`.
  expect(page).toContain('| cancelled: the batch was, before the item was graded | 1 |')
  expect(page).not.toMatch(/## (?:Settings|Prompt)/)
  expect(page).not.toContain('outcome of the call')
})

test('an appendix names the judge of what was never graded, and how each trial ended', () => {
  const page = pageOf([CANCELLED, FAILED], { cancelled: 1, failed: 1 }, { failures: { internal: 1 } })
  expect(page).toContain(
    '2 of 2 trials have no grade. Judge that was configured: `gpt\\|mini` (1; under rubric `r@1`), `gpt` (1; under rubric `r@1`).',
  )
  expect(page).toContain('| a | cancelled | – | – | `gpt\\|mini` | – |\n| b | failed | – | – | `gpt` | internal |')
  expect(pageOf([CANCELLED], { cancelled: 1 })).toContain('1 of 1 trial has no grade.')
})

test('an appendix counts what its batch counts', () => {
  const page = pageOf([FAILED], { failed: 1 }, { failures: { internal: 1 } })
  expect(page).toContain('| internal | 1 |')
  expect(page).toContain('0 items are answered by 0 grades')
})
