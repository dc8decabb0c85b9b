import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Trouble } from '../../src/batches/run-chunk.ts'
import { providerDefaults } from '../../src/config/judges.ts'
import { StorageError } from '../../src/db/errors.ts'
import type { Context } from '../../src/http/context.ts'
import { createMetrics, measureContext } from '../../src/http/plugins/metrics.ts'
import { logBatches } from '../../src/process/log.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { answeringJudge, makeItems, readLines, startBatch } from './make-batch.ts'
import { talk } from './raw-http.ts'

/** Everything that is sent, asked or answered carries this mark; no line of the log may, at any level. */
const MARK = 'PLANTED-4711'
const LEXICAL = { ...REQUEST, judge: 'lexical' }

let app: TestApp
const log = () => app.logs.join('')
const lines = () => app.logs.map((line) => JSON.parse(line) as Record<string, unknown>)

test('a grade by a model leaves its ids in the log, and nothing of key, prompt, trajectory or reply', async () => {
  const provider = await startMockProvider([{ text: JSON.stringify({ ...GOOD_ANSWER, notes: MARK }) }])
  const model = { ...providerDefaults('openai'), api: 'chat', base_url: `${provider.origin}/v1` } as const
  app = await startApp({ env: { OPENAI_API_KEY: `sk-${MARK}` }, config: { judges: { model } } })
  const steps = [...(REQUEST.trajectory['steps'] as object[]), { actor: 'agent_message', text: MARK }]
  const body = {
    trajectory: { steps },
    ground_truth: { ...REQUEST.ground_truth, instruction: MARK },
    judge: 'model',
    metadata: { task: MARK },
  }
  const response = await app.post('/v1/grades', body, {
    authorization: `Basic ${MARK}`,
    cookie: `veridict_session=${MARK}`,
    'idempotency-key': MARK,
  })
  expect(response.statusCode).toBe(201)
  expect(JSON.stringify(provider.requests)).toContain(MARK)
  const graded = lines().find((line) => line['msg'] === 'graded')
  expect(graded).toMatchObject({ grade_id: response.json<Grade>().id, judge: 'model', label: 'aligned' })
  expect(graded?.['reqId']).toBeTruthy()
  expect(log()).not.toContain(MARK)
})

test('one line a request, with route and status; a fast success is only a debug line', async () => {
  app = await startApp()
  await app.get('/v1/grades/grd_x')
  await app.post('/v1/grades', LEXICAL)
  await app.post('/v1/grades', LEXICAL)
  const answered = lines().filter((line) => line['msg'] === 'answered')
  expect(answered.map((line) => [line['method'], line['route'], line['status'], line['level']])).toEqual([
    ['GET', '/v1/grades/:id', 404, 30],
    ['POST', '/v1/grades', 201, 20],
    ['POST', '/v1/grades', 200, 20],
  ])
  expect(
    lines()
      .filter((line) => line['msg'] === 'graded')
      .map((line) => line['level']),
  ).toEqual([30, 20])
  expect(lines().filter((line) => line['msg'] === 'incoming request')).toEqual([])
  const metrics = (await app.get('/metrics')).body
  expect(metrics).toContain('veridict_cache_total{result="hit"} 1')
  for (const labels of ['"/v1/grades",method="POST",status="201"', '"/v1/grades",method="POST",status="200"'])
    expect(metrics).toContain(`request_seconds_count{route=${labels}} 1\n`)
  expect(metrics).toContain('request_seconds_count{route="/v1/grades/:id",method="GET",status="404"} 1\n')
})

test('what cannot be read, judged or stored leaves no content either', async () => {
  app = await startApp()
  await app.post('/v1/grades', `{"a": ${MARK}`)
  await app.post('/v1/grades', { ...LEXICAL, trajectory: { steps: [{ actor: MARK, text: 7 }] } })
  await app.post('/v1/grades', { ...LEXICAL, judge: MARK })
  await app.post('/v1/grades', { ...LEXICAL, [MARK]: 1 })
  await app.post('/v1/trajectories', MARK, { 'content-type': 'text/plain' })
  expect((await app.post('/v1/grades', LEXICAL, { authorization: `Bearer ${MARK}` })).statusCode).toBe(401)
  expect((await app.post('/v1/session', { key: MARK })).statusCode).toBe(401)
  await talk(await app.listen(), `${MARK}\r\n\r\n`).answer
  expect(log()).not.toContain(MARK)
})

test('an unexpected error is found in the log by the id that the caller got, without its message', async () => {
  app = await startApp()
  Object.assign(app.context.service, {
    grade: () => Promise.reject(new SyntaxError(`Unexpected token in ${MARK}`)),
  })
  const response = await app.post('/v1/grades', LEXICAL)
  expect(response.statusCode).toBe(500)
  expect(response.json<Problem>().code).toBe('internal')
  expect(response.body).not.toContain(MARK)
  const line = lines().find((one) => one['msg'] === 'unexpected error')
  expect(line).toMatchObject({ reqId: response.headers['x-request-id'], err: { name: 'SyntaxError' } })
  expect(JSON.stringify(line)).toContain('logs.test.ts')
  expect(log()).not.toContain(MARK)
})

function logged(trouble: Trouble): Record<string, unknown> {
  const stream = new PassThrough()
  logBatches(pino({ base: null, timestamp: false }, stream)).onTrouble?.(trouble)
  return JSON.parse(String(stream.read())) as Record<string, unknown>
}

const refused = new StorageError('storage_busy', 'the server is gone')

test.each<[string, Trouble, Record<string, unknown>]>([
  [
    'of the store and no batch',
    { batch: '', error: refused },
    {
      ...{ code: 'storage_busy', detail: 'the server is gone' },
      msg: 'work on batches met an error',
    },
  ],
  [
    'of the store and a batch',
    { batch: 'bat_1', error: new StorageError('storage_full', 'full') },
    { batch: 'bat_1', code: 'storage_full', detail: 'full', msg: 'a batch met an error' },
  ],
])('trouble %s is told without a stack', (_of, trouble, line) => {
  expect(logged(trouble)).toEqual({ level: 50, ...line })
})

test('a mistake of our own brings its stack', () => {
  expect(logged({ batch: 'bat_1', error: new TypeError('oops') })).toMatchObject({
    msg: 'a batch met an error',
    err: { type: 'TypeError', stack: expect.stringContaining('logs.test.ts') },
  })
})

test('a batch is logged as it begins, parks and ends, and no item of it', async () => {
  let isOut = true
  const judge = answeringJudge(() => (isOut ? { fail: 'quota_exhausted' } : GOOD_ANSWER))
  const app = await startApp({ judges: [judge] })
  const told = () =>
    readLines<{ msg: string; batch: string; status: string; items: number; counts: object; cost_usd: number }>(
      app.logs.join(''),
    ).filter(({ msg }) => msg.startsWith('a batch is'))
  const first = await startBatch(app, makeItems(3))
  await expect.poll(() => told().map(({ status }) => status)).toEqual(['running', 'parked'])
  isOut = false
  await app.post(`/v1/batches/${first.id}/resume`)
  await expect.poll(() => told().length).toBe(3)
  expect(told()[2]).toMatchObject({
    ...{ level: 30, batch: first.id, status: 'done', items: 3, cost_usd: expect.any(Number) },
    counts: { graded: 3, pending: 0 },
  })
  isOut = true
  const second = await startBatch(app, makeItems(3, { cache: 'refresh' }))
  await expect.poll(() => told().length).toBe(5)
  await app.post(`/v1/batches/${second.id}/cancel`)
  await expect
    .poll(() =>
      told()
        .slice(3)
        .map(({ batch, status }) => [batch, status]),
    )
    .toEqual([
      [second.id, 'running'],
      [second.id, 'parked'],
      [second.id, 'cancelled'],
    ])
})

const never = () => new Promise<never>(() => undefined)

test('a database that never answers costs a scrape its figures of batches and nothing else', {
  timeout: 9_000,
}, async () => {
  const metrics = createMetrics()
  let asked = 0
  const list = () => {
    asked += 1
    return never()
  }
  const context = {
    ...{ listen: () => undefined, judges: new Map(), laneOf: never },
    stores: { batches: { list }, grades: { countEvidence: never } },
  }
  measureContext(metrics, context as unknown as Context)
  expect(await metrics.registry.metrics()).not.toMatch(/^veridict_batches\{/m)
  // Nobody asks again while the first question is open; the second scrape would take as long as the first.
  void metrics.registry.metrics()
  await new Promise(setImmediate)
  expect(asked).toBe(3)
})
