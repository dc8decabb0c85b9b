import { beforeEach, expect, test } from 'vitest'
import type { Agreement } from '../../src/schemas/agreement.ts'
import { type Batch, type BatchResult, BatchResultSchema } from '../../src/schemas/batch.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { Disagreement } from '../../src/schemas/review.ts'
import { GOOD_ANSWER, IGNORED } from '../grading/harness.ts'
import { startApp, type TestApp, useApp } from '../start-app.ts'
import { answeringJudge, finish, makeItems, readLines, startBatch, UNREAD_ITEM, untilBatch } from './make-batch.ts'

let app: TestApp

const JUDGE = answeringJudge((run) => {
  if (run === 2) return { fail: 'refused' }
  return run === 0 ? GOOD_ANSWER : { ...GOOD_ANSWER, citations: GOOD_ANSWER.citations.slice(0, 1) }
})
const ITEMS = [
  ...makeItems(3),
  UNREAD_ITEM,
  ...makeItems(1, { item_id: 'nothing stored', cache: 'only', samples: 2 }),
  ...makeItems(1, { item_id: 'again' }),
]

/** What the line should say, by the grade that it names. */
async function expectOwnGrade({ grade_id, grade }: BatchResult): Promise<void> {
  const stored = await app.read<Grade>(`/v1/grades/${grade_id}`)
  const { receipt, citations, confidence, contradictions, unmet, claimed_label, outcome, claims } = stored
  const held = citations.filter(({ status }) => status === 'verified' || status === 'normalized').length
  const { judge, cost_usd, unread, warnings } = receipt
  const evidence = { cited: citations.length, held }
  expect(grade).toEqual({
    judge,
    confidence,
    claimed_label,
    outcome,
    claims,
    contradictions,
    unmet,
    evidence,
    cost_usd,
    unread,
    warnings: warnings.length,
  })
}

test('every line says how far its label can be trusted, as its grade does', async () => {
  app = await startApp({ judges: [JUDGE] })
  const { id } = await startBatch(app, ITEMS)
  const { results } = await finish(app, id)
  expect(results.map(({ item_id, status }) => [item_id, status])).toEqual([
    ['trial-0', 'graded'],
    ['trial-1', 'unverified'],
    ['trial-2', 'failed'],
    ['unread', 'graded'],
    ['nothing stored', 'failed'],
    ['again', 'graded'],
  ])
  expect(results[3]?.grade).toMatchObject({ judge: 'lexical', unread: { records: 3, actions: 2 } })
  expect(results[4]).toMatchObject({ judge: JUDGE.info.name, grade_id: null, grade: null })
  expect(results.map(({ judge }) => judge === 'lexical')).toEqual(results.map((_, at) => at === 3))
  for (const result of results.filter(({ grade_id }) => grade_id !== null)) await expectOwnGrade(result)
  const response = await app.get(`/v1/batches/${id}/results`)
  expect(readLines(response.body)).toEqual(results)
  expect(results.flatMap((result) => inputIssues(BatchResultSchema, result))).toEqual([])
})

/** Where the first judge is asked again it says something else; the second always says what the first said at last. */
let held: PromiseWithResolvers<void> | null = null
const JUDGES = [
  answeringJudge(async (_, call) => {
    await held?.promise
    return call % 2 === 1 ? GOOD_ANSWER : IGNORED
  }),
  answeringJudge(() => IGNORED, 'other'),
]

const audited = useApp({ judges: JUDGES, config: { concurrency: { initial: 2, min: 1, max: 2 } } })
beforeEach(() => {
  held = null
  for (const { calls } of JUDGES) calls.length = 0
})

async function grade(items: readonly object[], query = ''): Promise<Batch> {
  const { id } = await startBatch(audited, items, query)
  return (await finish(audited, id)).batch
}

const report = (query: string) => audited.read<Report>(`/v1/reports?draws=100&${query}`)
const disagreements = (query: string) => audited.list<Disagreement>(`/v1/disagreements?kind=judges&${query}`)
const agreement = (raters: readonly string[], query: object) =>
  audited.tell<Agreement>('/v1/agreement', { stored: { raters, query }, bootstrap: { draws: 100 } }, 200)

test('agreement and disagreements of a batch are those of its own grades, and of those that it did not ask', async () => {
  const first = await grade(makeItems(2))
  const other = await grade(makeItems(2, { judge: 'other' }))
  const before = await disagreements(`batch=${first.id}`)
  expect(before.map(({ grades }) => grades.map(({ label }) => label).sort())).toEqual([
    ['aligned', 'ignored'],
    ['aligned', 'ignored'],
  ])
  const raters = ['judge:scripted', 'judge:other']
  expect((await agreement(raters, { batch: first.id })).raw_agreement.value).toBe(0)

  const refreshed = await grade(makeItems(2), '?cache=refresh')
  expect(await disagreements(`batch=${first.id}`)).toEqual(before)
  expect(await disagreements(`batch=${refreshed.id}`)).toEqual([])
  expect((await agreement(raters, { batch: first.id })).raw_agreement.value).toBe(0)
  expect((await agreement(raters, { batch: refreshed.id })).raw_agreement.value).toBe(1)
  // The other judge’s batch did not ask the first: what stands of it is meant.
  expect((await agreement(raters, { batch: other.id })).raw_agreement.value).toBe(1)
})

test('filters and ids choose among the trials of the batch', async () => {
  const items = makeItems(3).map((item, at) => ({ ...item, metadata: { task: at === 0 ? 'one' : 'two' } }))
  const { id } = await grade(items)
  await grade(items, '?cache=refresh')
  const countOf = async (query: object) =>
    (await agreement(['judge:scripted'], { batch: id, ...query })).coverage?.[0]?.n
  expect(await countOf({ task: 'two' })).toBe(2)
  expect(await countOf({ label: 'aligned' })).toBe(3)
  expect(await countOf({ label: 'ignored' })).toBe(0)
  expect(await countOf({ judge: 'other' })).toBe(0)
  const { results } = await finish(audited, id)
  const ids = results.slice(0, 1).map(({ grade_id }) => grade_id)
  expect(await countOf({ ids })).toBe(1)
  expect((await report(`batch=${id}&task=two`)).overall?.counts).toMatchObject({ n: 2, graded: 2 })
  expect((await report(`batch=${id}&judge=other`)).overall?.counts.n).toBe(0)

  const regraded = await audited.post('/v1/regrades', { query: { batch: id, ids }, judge: 'other' })
  expect(regraded.json<Batch>().counts.total).toBe(1)
  const foreign = await audited.post('/v1/regrades', { query: { batch: id, ids: ['grd_none'] }, judge: 'other' })
  expect(foreign.statusCode).toBe(400)
})

test('of a batch that still runs the report says how many have not ended', async () => {
  held = Promise.withResolvers()
  const { id } = await startBatch(audited, [...makeItems(1, { judge: 'other' }), ...makeItems(3).slice(1)])
  await untilBatch(audited, id, ({ counts }) => counts.graded > 0)
  const { overall, notes } = await report(`batch=${id}`)
  expect(overall?.counts).toMatchObject({ n: 1, graded: 1 })
  expect(notes).toContain('2 of the 3 trials of the batch have not ended: they are not counted')
  const metrics = (await audited.get('/metrics')).body
  expect(metrics).toContain('veridict_batch_items_ended{end="graded"} 1')
  expect(metrics).toContain('veridict_batch_items_ended{end="failed"} 0')
  held.resolve()
  await finish(audited, id)
})
