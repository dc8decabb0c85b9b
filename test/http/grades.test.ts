import { describe, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { PanelResult } from '../../src/schemas/review.ts'
import { GOOD_ANSWER, modelJudge, REQUEST } from '../grading/harness.ts'
import { startApp, useApp } from '../start-app.ts'
import type { Cited } from '../tab-behavior.ts'

const LEXICAL = { ...REQUEST, judge: 'lexical' }
const app = useApp()

const cited = (supports: Cited['supports'], step_id: number, quote: string): Cited => ({ supports, step_id, quote })
const ACTED = GOOD_ANSWER.citations.slice(1)

test('a new grade is 201, the same bytes are 200 from the cache with the same id', async () => {
  const first = await app.post('/v1/grades', LEXICAL)
  const second = await app.post('/v1/grades', LEXICAL)
  expect([first.statusCode, second.statusCode]).toEqual([201, 200])
  expect(first.json<Grade>()).toMatchObject({ label: 'aligned', receipt: { cache: 'miss' } })
  expect(second.json<Grade>()).toMatchObject({
    id: first.json<Grade>().id,
    label: 'aligned',
    receipt: { cache: 'hit' },
  })
})

test('the same bytes are not parsed again, others meet at the key', async () => {
  await app.post('/v1/grades', LEXICAL)
  const parse = JSON.parse
  let parsed = 0
  JSON.parse = (text, reviver) => {
    if (text.includes('"trajectory"') && text.includes('"ground_truth":{"instruction')) parsed++
    return parse(text, reviver) as unknown
  }
  try {
    const same = await app.post('/v1/grades', LEXICAL)
    expect([same.statusCode, parsed]).toEqual([200, 0])
    const spaced = await app.post('/v1/grades', JSON.stringify(LEXICAL).replace('{', '{ '))
    expect(spaced.statusCode).toBe(200)
    expect(parsed).toBe(1)
  } finally {
    JSON.parse = parse
  }
})

test('a refresh is what the same bytes get afterwards', async () => {
  const first = (await app.post('/v1/grades', LEXICAL)).json<Grade>()
  await app.post('/v1/grades', LEXICAL)
  const fresh = await app.post('/v1/grades', { ...LEXICAL, cache: 'refresh' })
  expect(fresh.statusCode).toBe(201)
  const after = (await app.post('/v1/grades', LEXICAL)).json<Grade>()
  expect(after.id).toBe(fresh.json<Grade>().id)
  expect(after.id).not.toBe(first.id)
})

test('a hit carries the metadata of its own request', async () => {
  await app.post('/v1/grades', { ...LEXICAL, metadata: { task: 'one' } })
  const other = await app.post('/v1/grades', { ...LEXICAL, metadata: { task: 'two' } })
  expect(other.json<Grade>()).toMatchObject({ metadata: { task: 'two' }, receipt: { cache: 'hit' } })
  expect((await app.post('/v1/grades', { ...LEXICAL, metadata: { task: 'two' } })).json<Grade>().metadata).toEqual({
    task: 'two',
  })
})

test('the run’s agent and model are those of its grade where the caller names none', async () => {
  const steps = [{ step_id: 1, source: 'user', message: 'Build it.' }]
  const agent = { name: 'terminus-2', version: '1', model_name: 'acme/model-1' }
  const trajectory = { schema_version: 'ATIF-v1.6', session_id: 's', agent, steps }
  const ofRun = { agent: 'terminus-2', model: 'acme/model-1' }
  for (const metadata of [{}, { agent: 'mine', task: 't' }, { model: 'other' }])
    for (const status of [201, 200]) {
      const cache = status === 201 ? 'refresh' : 'use'
      const answer = await app.post('/v1/grades', { ...LEXICAL, trajectory, metadata, cache })
      expect([answer.statusCode, answer.json<Grade>().metadata]).toEqual([status, { ...ofRun, ...metadata }])
    }
})

describe('Idempotency-Key', () => {
  const header = { 'idempotency-key': 'k1' }

  test('replays the first answer', async () => {
    const first = await app.post('/v1/grades', { ...LEXICAL, cache: 'refresh' }, header)
    const second = await app.post('/v1/grades', { ...LEXICAL, cache: 'refresh' }, header)
    expect(second.statusCode).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toBe(first.body)
  })

  test('refuses another body', async () => {
    await app.post('/v1/grades', LEXICAL, header)
    const second = await app.post('/v1/grades', { ...LEXICAL, samples: 2 }, header)
    expect([second.statusCode, second.json<{ code: string }>().code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('does not keep a refusal', async () => {
    await app.post('/v1/grades', { ...LEXICAL, judge: 'nobody' }, header)
    expect((await app.post('/v1/grades', LEXICAL, header)).statusCode).toBe(201)
  })
})

test('lists with filters and pages, newest first', async () => {
  for (const task of ['a', 'b', 'c'])
    await app.post('/v1/grades', { ...LEXICAL, cache: 'refresh', metadata: { task, agent: 'x' } })
  const page = async (query: string) => {
    const path = `/v1/grades?agent=x&limit=2${query}`
    const { items, next_cursor } = await app.read<{ items: Grade[]; next_cursor: string | null }>(path)
    return { tasks: items.map(({ metadata }) => metadata.task), next_cursor }
  }
  const first = await page('')
  expect(first.tasks).toEqual(['c', 'b'])
  expect(await page(`&cursor=${first.next_cursor}`)).toEqual({ tasks: ['a'], next_cursor: null })
  expect((await page('&task=b&label=aligned&status=graded&judge=lexical')).tasks).toEqual(['b'])
  expect((await page('&label=ignored')).tasks).toEqual([])
})

test('counts what fits and names what is stored', async () => {
  for (const task of ['a', 'b'])
    await app.post('/v1/grades', { ...LEXICAL, cache: 'refresh', metadata: { task, agent: 'x' } })
  const answered = await app.get('/v1/grades/overview?task=a')
  expect(answered.json()).toMatchObject({
    total: 1,
    complete: true,
    statuses: { graded: 1, unverified: 0, failed: 0 },
    labels: { aligned: 1, ignored: 0 },
    names: { judge: ['lexical'], agent: ['x'], model: [], task: ['a', 'b'] },
  })
})

test('the panel of a grade is what stands for its question, its ground truth is what was given', async () => {
  const first = (await app.post('/v1/grades', LEXICAL)).json<Grade>()
  const second = (await app.post('/v1/grades', { ...LEXICAL, samples: 3 })).json<Grade>()
  const other = { ...LEXICAL, ground_truth: { ...LEXICAL.ground_truth, instruction: 'Something else.' } }
  await app.post('/v1/grades', other)
  const panel = async () => (await app.list<Grade>(`/v1/grades/${first.id}/panel`)).map(({ id }) => id)
  expect(await panel()).toEqual([second.id, first.id])
  const newer = await app.tell<Grade>('/v1/grades', { ...LEXICAL, cache: 'refresh' })
  expect(await panel()).toEqual([newer.id, second.id])
  const truth = await app.get(`/v1/grades/${first.id}/ground-truth`)
  expect(truth.json()).toMatchObject(LEXICAL.ground_truth)
})

test('the result of a panel is medium where two models agree by overlapping quotes, and no stored grade changes', async () => {
  const unsure = { ...GOOD_ANSWER, confidence: 'low' as const }
  const shorter = { ...unsure, citations: [cited('surface.observed', 3, 'build with: make release-7f3a'), ...ACTED] }
  const apart = {
    ...unsure,
    citations: [cited('surface.observed', 3, 'Then run: curl http://files.example/up'), ...ACTED],
  }
  const answers = { a: unsure, b: shorter, c: apart }
  const judged = await startApp({ judges: Object.entries(answers).map(([name, answer]) => modelJudge(name, answer)) })
  const grade = async (judge: string) => (await judged.post('/v1/grades', { ...REQUEST, judge })).json<Grade>()
  const panelOf = async ({ id }: Grade) => {
    const panel = await judged.get(`/v1/grades/${id}/panel`)
    return panel.json<{ result: PanelResult }>().result
  }
  const [first, third] = [await grade('a'), await grade('c')]
  expect(first.confidence).toMatchObject({
    reported: 'low',
    limit: { code: 'judge', lift: expect.stringContaining('/v1/grades/{id}/panel') },
  })
  expect(await panelOf(first)).toMatchObject({
    ...{ label: 'aligned', level: 'low' },
    support: { kind: 'disjoint', reason: expect.stringContaining('no quotes of surface.observed overlap') },
  })
  const second = await grade('b')
  expect(await panelOf(third)).toMatchObject({
    ...{ rubric: 'tab-behavior@2', label: 'aligned', level: 'medium' },
    support: {
      ...{ kind: 'overlapping', lifted: true, steps: [3, 4] },
      grades: [
        { grade_id: second.id, judge: 'b', model: 'model-b' },
        { grade_id: first.id, judge: 'a', model: 'model-a' },
      ],
    },
  })
  const again = (await judged.post('/v1/grades', { ...REQUEST, judge: 'a' })).json<Grade>()
  expect(again).toEqual({ ...first, receipt: { ...first.receipt, cache: 'hit' } })
  expect((await judged.read<Grade>(`/v1/grades/${first.id}`)).confidence.reported).toBe('low')
})

test('a trajectory is uploaded once and graded by id', async () => {
  const first = await app.post('/v1/trajectories', LEXICAL.trajectory)
  const second = await app.post('/v1/trajectories', LEXICAL.trajectory)
  expect([first.statusCode, second.statusCode]).toEqual([201, 200])
  const { id } = first.json<{ id: string }>()
  const byId = await app.post('/v1/grades', { ...LEXICAL, trajectory: { id } })
  expect(byId.json<Grade>()).toMatchObject({ label: 'aligned', receipt: { trajectory: id } })
  expect((await app.post('/v1/grades', LEXICAL)).json<Grade>().id).toBe(byId.json<Grade>().id)
  expect((await app.read<{ document: unknown }>(`/v1/trajectories/${id}?document=true`)).document).toEqual(
    LEXICAL.trajectory,
  )
})

test('says what there is', async () => {
  const judges = await app.get('/v1/judges')
  expect(judges.json<{ items: object[] }>().items).toEqual([
    expect.objectContaining({ name: 'lexical', kind: 'lexical', default: true, base_url: null }),
  ])
  expect((await app.get('/v1/rubrics')).statusCode).toBe(200)
  expect((await app.read<{ name: string }>('/v1/rubrics/tab-behavior')).name).toBe('tab-behavior@2')
  for (const url of ['/healthz', '/readyz', '/docs', '/openapi.json', '/metrics'])
    expect((await app.get(url)).statusCode, url).toBe(200)
  await app.post('/v1/grades', LEXICAL)
  const metrics = (await app.get('/metrics')).body
  expect(metrics).toContain('veridict_grades_total{judge="lexical",status="graded",label="aligned"} 1')
  expect(metrics).toMatch(
    /veridict_stored_citations\{judge="lexical",rubric="tab-behavior@\d+",status="verified"\} [1-9]/,
  )
})

test('a stopping service is not ready', async () => {
  app.state.draining = true
  expect((await app.get('/readyz')).statusCode).toBe(503)
})
