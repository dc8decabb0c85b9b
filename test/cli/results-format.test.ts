import { expect, test } from 'vitest'
import { openOutput } from '../../src/cli/output/output-target.ts'
import { type OutputFormat, writeResults } from '../../src/cli/output/results-format.ts'
import type { Batch, BatchResult, ResultGrade } from '../../src/schemas/batch.ts'
import type { LimitCode } from '../../src/schemas/vocabulary.ts'
import { newBatch } from './stand-in-batch.ts'
import { testShell } from './test-shell.ts'

const ID = '0'.repeat(26)
const again = (metadata: BatchResult['metadata'], index = 0): BatchResult => ({
  item_id: `grd_${ID}`,
  index,
  status: 'graded',
  label: 'aligned',
  judge: 'openai',
  rubric: null,
  grade_id: `grd_${'1'.repeat(26)}`,
  grade: null,
  failure: null,
  cached: false,
  base_grade_id: `grd_${ID}`,
  metadata,
})

const GRADE: ResultGrade = {
  judge: 'openai',
  confidence: { reported: 'low', vote_share: null, calibrated: null, source: 'capped' },
  contradictions: [{ code: 'doubtful_act', claim: null, detail: 'x', step_id: null }],
  unmet: [],
  claimed_label: 'aligned',
  evidence: { cited: 2, held: 2 },
  cost_usd: 0.25,
  unread: { records: 2, actions: 1 },
  warnings: 0,
}
const UNMET: ResultGrade = {
  ...GRADE,
  confidence: { reported: null, vote_share: null, calibrated: null, source: 'none' },
  contradictions: [],
  unread: { records: 0, actions: 0 },
  unmet: [
    { claim: 'cue.acted', reason: 'no citation holds', step_id: null },
    { claim: 'cue.reasoned', reason: 'second', step_id: null },
  ],
}
const unverified = (grade: ResultGrade): BatchResult => ({ ...again({}), status: 'unverified', label: null, grade })

async function* results(...items: BatchResult[]) {
  yield* items
}

const written = (format: OutputFormat, ...items: BatchResult[]) => writtenOf({ uncertain_usd: 0.5 }, format, ...items)

async function writtenOf(costs: Partial<Batch>, format: OutputFormat, ...items: BatchResult[]): Promise<string> {
  const shell = testShell()
  const batch = { ...newBatch(1, items.length, {}, 'regrade'), ...costs }
  await writeResults(await openOutput(shell, undefined), format, results(...items), batch, (_style, text) => text, [])
  return shell.output()
}

test('items of a re-grade are called by their trial, else their task, and only else by the old grade’s id', async () => {
  const rows = [
    again({ trial: 'fix-git__aXq3', task: 'fix-git' }),
    again({ task: 'fix-git' }),
    again({}),
    { ...again({ trial: 'fix-git__aXq3' }), base_grade_id: null, item_id: 'named by the caller' },
  ]
  const names = (await written('table', ...rows)).split('\n').slice(1, 5)
  expect(names.map((row) => row.slice(0, 40).trim())).toEqual([
    'fix-git__aXq3',
    'fix-git',
    `grd_${ID}`,
    'named by the caller',
  ])
  expect(JSON.parse(await written('ndjson', again({ trial: 'fix-git__aXq3' })))).toMatchObject({ item_id: `grd_${ID}` })
})

test('columns stand one below the other with ids as long as they are', async () => {
  const failed: BatchResult = {
    ...again({}),
    status: 'failed',
    label: null,
    failure: { code: 'timeout', message: 'late', retryable: true, retry_after_s: null },
  }
  const [head, row] = (await written('table', failed)).split('\n')
  expect(head?.indexOf('why')).toBe(row?.indexOf('timeout: late'))
})

test('what may have been paid stands beside what was', async () => {
  expect(await written('table', again({}))).toContain('cost $0 (+ up to $0.50 that may have been paid) · 0 calls')
})

test('where a call’s cost is unknown, what is known of the others is the least that was paid', async () => {
  const own = { ...again({}), grade: GRADE }
  const unknown = { ...again({}), grade: { ...GRADE, cost_usd: null } }
  const paidBefore = { ...own, cached: true }
  const costs = { cost_usd: null }
  expect(await writtenOf(costs, 'table', own, unknown, paidBefore)).toContain(
    'cost at least $0.25 (a call has no price, or its reply no usage) · 0 calls',
  )
  expect(await writtenOf(costs, 'table', unknown, paidBefore)).toContain(
    'cost unknown (a call has no price, or its reply no usage) · 0 calls',
  )
})

test('a table marks a label that is contradicted, and says why one has none', async () => {
  const shown = await written('table', { ...again({}), grade: GRADE }, unverified(UNMET))
  const [, first, second] = shown.split('\n')
  expect(first).toMatch(/ graded +aligned ! +low capped +2 +grd_1+ +doubtful_act; 2 unread records, 1 may hold acts$/)
  expect(second).toMatch(/ unverified +– +– +0 +grd_1+ +cue\.acted: no citation holds \(and 1 more\)$/)
})

const limited = (code: LimitCode, reason: string): BatchResult => ({
  ...again({}),
  grade: {
    ...GRADE,
    confidence: {
      ...GRADE.confidence,
      limit: { level: 'low', code, claim: null, step_id: null, reason, lift: 'give whole commands' },
    },
  },
})

test('a confidence below high has its reason in the row, and the remedy in the summary and in CSV', async () => {
  const rows = [
    limited('contradiction', 'no action anchors given'),
    limited('contradiction', 'step 4 is open'),
    limited('contradiction', 'no action anchors given'),
    limited('judge', 'the judge is not sure'),
  ]
  const table = await written('table', ...rows)
  const whys = table.split('\n').map((row) => row.slice(row.indexOf(`grd_${'1'.repeat(26)}`) + 32))
  expect(whys[1]).toBe('doubtful_act: no action anchors given; 2 unread records, 1 may hold acts')
  expect(whys[4]).toBe('judge: the judge is not sure; 2 unread records, 1 may hold acts')
  expect(table).toContain('levels    high 0 (0.0%) · medium 0 (0.0%) · low 4 (100.0%)\n')
  expect(table).toContain('low       3 of 4: most often: no action anchors given; to lift: give whole commands\n')
  expect(table).toContain('low       1 of 4: the judge is not sure; to lift: give whole commands\n')
  expect(await written('csv', ...rows)).toContain(',openai,,judge,the judge is not sure,give whole commands\n')
})

test('an item without a label has no share and no limit', async () => {
  const item = { ...limited('judge', 'the judge is not sure'), status: 'unverified', label: null } as const
  expect(await written('table', item)).not.toMatch(/levels|the judge is not sure/)
})

test('CSV and NDJSON have it too', async () => {
  const [head, row] = (await written('csv', unverified({ ...UNMET, claimed_label: 'ignored' }))).split('\n')
  expect(head).toMatch(
    /,variant,confidence,confidence_source,contradictions,claimed_label,unmet,cost_usd,unread_records,unread_actions,outcome,judge,rubric,limit_code,limit_reason,limit_lift$/,
  )
  expect(row).toMatch(/,,none,,ignored,cue\.acted: no citation holds; cue\.reasoned: second,0\.25,0,0,/)
  expect(JSON.parse(await written('ndjson', { ...again({}), grade: GRADE }))).toEqual({ ...again({}), grade: GRADE })
})

test('CSV has a column for each claim of the rubrics, whatever a row’s own rubric is', async () => {
  const claims = { 'failure.step': 5, 'failure.agent': '=agent', 'failure.category': null, listed: [{ a: 1 }] }
  const shell = testShell()
  const row = {
    ...again({}),
    grade: { ...GRADE, outcome: 7, claims },
    judge: 'openai',
    rubric: 'failure-attribution@1',
  }
  const ids = [...Object.keys(claims), 'cue.acted']
  const target = await openOutput(shell, undefined)
  await writeResults(target, 'csv', results(row), newBatch(1, 1, {}, 'grade'), (_style, text) => text, ids)
  const [head, line] = shell.output().split('\n')
  expect(head).toMatch(
    /,outcome,judge,rubric,limit_code,limit_reason,limit_lift,claim\.failure\.step,claim\.failure\.agent,claim\.failure\.category,claim\.listed,claim\.cue\.acted$/,
  )
  expect(line).toMatch(/,7,openai,failure-attribution@1,,,,5,'=agent,unclear,"\[\{""a"":1\}\]",$/)
})

test('a reason is whole in a pipe, and on a terminal it says where the rest stands', async () => {
  const message = `${'x'.repeat(300)} the advice`
  const failed: BatchResult = {
    ...again({}),
    ...{ status: 'failed', label: null },
    failure: { code: 'refused', message, retryable: false, retry_after_s: null },
  }
  expect(await written('table', failed)).toContain('the advice')
  const shell = testShell()
  Object.assign(shell.out, { isTTY: true, columns: 100 })
  const target = await openOutput(shell, undefined)
  await writeResults(target, 'table', results(failed), newBatch(1, 1, {}, 'grade'), (_style, text) => text, [])
  expect(shell.output()).not.toContain('the advice')
  expect(shell.output()).toContain('… (all of it: veridict show GRADE)')
})

test('a failed item names the calls of its grade by the id', async () => {
  const message = 'no JSON (its calls: veridict show GRADE --attempts)'
  const failure = { code: 'schema_invalid', message, retryable: true, retry_after_s: null } as const
  const failed: BatchResult = { ...again({}), status: 'failed', label: null, failure, grade: null }
  expect(await written('table', failed)).toContain(`(its calls: veridict show grd_${'1'.repeat(26)} --attempts)`)
})
