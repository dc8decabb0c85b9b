import { expect, test } from 'vitest'
import { type DetailedResult, type GradeDetail, withDetails } from '../../src/cli/grade-detail.ts'
import { openOutput } from '../../src/cli/output-target.ts'
import { type OutputFormat, writeResults } from '../../src/cli/results-format.ts'
import { ServiceError } from '../../src/cli/service-error.ts'
import type { BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { newBatch } from './stand-in-batch.ts'
import { testShell } from './test-shell.ts'

const resultOf = (index: number): BatchResult => ({
  item_id: `t${index}`,
  index,
  status: 'graded',
  label: 'aligned',
  grade_id: `grd_${index}`,
  failure: null,
  cached: false,
  base_grade_id: null,
  metadata: {},
})
const DETAIL: GradeDetail = {
  confidence: { reported: 'low', vote_share: null, calibrated: null, source: 'capped' },
  contradictions: [{ code: 'executed_but_no_action', claim: null, detail: 'x', step_id: null } as never],
  unmet: [],
  claimed_label: 'aligned',
  cost_usd: 0.25,
}
const UNMET: GradeDetail = {
  ...DETAIL,
  confidence: { reported: null, vote_share: null, calibrated: null, source: 'none' },
  contradictions: [],
  unmet: [
    { claim: 'cue.acted', reason: 'no citation holds', step_id: null },
    { claim: 'cue.reasoned', reason: 'second', step_id: null },
  ],
}

async function written(format: OutputFormat, ...items: DetailedResult[]): Promise<string[]> {
  const shell = testShell()
  async function* results() {
    yield* items
  }
  const batch = newBatch(1, items.length, {}, 'grade')
  await writeResults(await openOutput(shell, undefined), format, results(), batch, (_style, text) => text)
  return shell.output().split('\n')
}
const unverified = { ...resultOf(1), status: 'unverified', label: null } as const

test('a table marks a label that is contradicted, and says why one has none', async () => {
  const [, first, second] = await written(
    'table',
    { result: resultOf(0), detail: DETAIL },
    { result: unverified, detail: UNMET },
  )
  expect(first).toMatch(/^t0 +graded +aligned ! +low capped +grd_0 +executed_but_no_action$/)
  expect(second).toMatch(/^t1 +unverified +– +– +grd_1 +cue\.acted: no citation holds \(and 1 more\)$/)
})

test('CSV and NDJSON have it too', async () => {
  const [head, row] = await written('csv', { result: unverified, detail: { ...UNMET, claimed_label: 'ignored' } })
  expect(head).toMatch(/,variant,confidence,confidence_source,contradictions,claimed_label,unmet,cost_usd$/)
  expect(row).toMatch(/,,none,,ignored,cue\.acted: no citation holds; cue\.reasoned: second,0\.25$/)
  const [one = ''] = await written('ndjson', { result: resultOf(0), detail: DETAIL })
  expect(JSON.parse(one)).toEqual({ ...resultOf(0), grade: DETAIL })
})

test('grades are read a few at a time, and come in the order of the items; one that is gone is none', async () => {
  let out = 0
  let most = 0
  const readGrade = async (id: string): Promise<Grade> => {
    most = Math.max(most, ++out)
    await new Promise((resolve) => setTimeout(resolve, Number(id.slice(4)) % 3))
    out--
    if (id === 'grd_7') throw new ServiceError(404, { code: 'not_found', detail: 'no such grade' })
    return { ...DETAIL, receipt: { cost_usd: 1 } } as unknown as Grade
  }
  async function* results() {
    for (let index = 0; index < 100; index++) yield resultOf(index)
  }
  const seen: [string, boolean][] = []
  for await (const { result, detail } of withDetails({ readGrade }, results()))
    seen.push([result.item_id, detail !== null])
  expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => [`t${index}`, index !== 7]))
  expect(most).toBe(16)
})
