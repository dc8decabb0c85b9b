import { expect, test } from 'vitest'
import { toResults } from '../../src/batches/follow.ts'
import { type BatchResult, BatchResultSchema } from '../../src/schemas/batch.ts'
import { schemaIssues } from '../../src/schemas/check.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, GROUND_TRUTH, REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { answeringJudge, finish, makeItems, readLines, startBatch } from './make-batch.ts'

let app: TestApp

/** A run of which a line was cut, and one of a kind that no reader knows. */
const UNREAD = {
  records: [
    { type: 'session_meta', payload: { id: 's', instructions: null } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
    },
    { type: 'response_item', payload: { type: 'mood', text: 'fine' } },
  ],
  unread_lines: 1,
}

const JUDGE = answeringJudge((run) => {
  if (run === 2) return { fail: 'refused' }
  return run === 0 ? GOOD_ANSWER : { ...GOOD_ANSWER, citations: GOOD_ANSWER.citations.slice(0, 1) }
})
const ITEMS = [
  ...makeItems(3),
  { item_id: 'unread', trajectory: UNREAD, ground_truth: GROUND_TRUTH, judge: 'lexical' },
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

async function expectTrustInLines(env: NodeJS.ProcessEnv): Promise<void> {
  app = await startApp({ env, judges: [JUDGE] })
  await app.context.start()
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
  expect(results[3]?.grade).toMatchObject({ judge: 'lexical', unread: { records: 2, actions: 1 } })
  expect(results[4]).toMatchObject({ judge: JUDGE.info.name, grade_id: null, grade: null })
  expect(results.map(({ judge }) => judge === 'lexical')).toEqual(results.map((_, at) => at === 3))
  for (const result of results.filter(({ grade_id }) => grade_id !== null)) await expectOwnGrade(result)
  const response = await app.get(`/v1/batches/${id}/results`)
  expect(readLines(response.body)).toEqual(results)
  expect(results.flatMap((result) => schemaIssues(BatchResultSchema, result))).toEqual([])
}

const NAME = 'every line says how far its label can be trusted, as its grade does'

test(NAME, () => expectTrustInLines({}))

describePostgres('on PostgreSQL', (tools) => {
  test(NAME, () => expectTrustInLines({ VERIDICT_DATABASE_URL: tools().server.url }), 60_000)
})

test('the grades of a page are read at once; one of an old version, or none, is null', async () => {
  app = await startApp()
  const made = (await app.post('/v1/grades', { ...REQUEST, judge: 'lexical' })).json<Grade>()
  const { unread, ...receipt } = made.receipt
  expect(unread).toEqual({ records: 0, actions: 0 })
  const asked: (readonly string[])[] = []
  const grades = {
    async getMany(ids: readonly string[]) {
      asked.push(ids)
      return [{ ...made, id: 'grd_old', receipt }]
    },
  }
  const item = {
    ...{ index: 0, item_id: 'a', trajectory: made.receipt.trajectory as `sha256:${string}`, failure: null },
    ...({ status: 'graded', label: 'aligned', cached: false, base_grade: null, request: REQUEST } as const),
  }
  const page = ['grd_old', 'grd_gone', 'grd_old', null].map((grade_id, index) => ({ ...item, index, grade_id }))
  const results = await toResults(grades, page)
  expect(asked).toEqual([['grd_old', 'grd_gone']])
  expect(results.map(({ grade }) => grade?.unread)).toEqual([null, undefined, null, undefined])
  expect(results.map(({ grade }) => grade === null)).toEqual([false, true, false, true])
})
