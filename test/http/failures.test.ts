import { describe, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { FAILURE_CODES, type FailureCode } from '../../src/schemas/vocabulary.ts'
import { GOOD_ANSWER, ONE_TRY, REQUEST, type Script, scriptedJudge } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { judgeOnHold } from './make-batch.ts'

/** A failed judge is never a 2xx, never stored as an answer, and can be read afterwards. */
let app: TestApp
const start = async (...scripts: Script[]) => {
  app = await startApp({ judges: [scriptedJudge(scripts)], config: { retry: ONE_TRY } })
}

const STATUS: Record<FailureCode, number> = {
  judge_unreachable: 502,
  rate_limited: 503,
  quota_exhausted: 503,
  authentication: 502,
  refused: 502,
  truncated: 502,
  schema_invalid: 502,
  context_overflow: 502,
  budget_exceeded: 503,
  timeout: 504,
  cancelled: 503,
  internal: 502,
}

describe.each(FAILURE_CODES)('%s', (fail) => {
  test(`is ${STATUS[fail]} with its code, and its grade can be read`, async () => {
    await start({ fail, retry_after_s: 6.2 })
    const response = await app.post('/v1/grades', REQUEST)
    const problem = response.json<Problem>()
    expect(response.statusCode).toBe(STATUS[fail])
    expect(response.headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '7' })
    expect(problem).toMatchObject({ code: fail, status: STATUS[fail], retryable: true })
    const read = await app.get(`/v1/grades/${problem.grade_id}`)
    expect(read.statusCode).toBe(200)
    expect(read.json<Grade>()).toMatchObject({ status: 'failed', label: null, failure: { code: fail } })
  })
})

test('an answer that is no JSON is schema_invalid, and its raw reply stands in the ledger only where asked for', async () => {
  await start('It looks fine to me.')
  const { grade_id, code } = (await app.post('/v1/grades', REQUEST)).json<Problem>()
  expect(code).toBe('schema_invalid')
  const plain = await app.get(`/v1/grades/${grade_id}/attempts`)
  expect(plain.body).not.toContain('It looks fine')
  const raw = await app.get(`/v1/grades/${grade_id}/attempts?raw=true`)
  expect(raw.body).toContain('It looks fine')
})

test('a failure is not kept under its Idempotency-Key, and no bytes are answered with it', async () => {
  await start({ fail: 'rate_limited' }, GOOD_ANSWER)
  const key = { 'idempotency-key': 'again' }
  expect((await app.post('/v1/grades', REQUEST, key)).statusCode).toBe(503)
  const second = await app.post('/v1/grades', REQUEST, key)
  expect([second.statusCode, second.headers['idempotency-replayed']]).toEqual([201, undefined])
})

test('requests that share one failed call are all told, and its cost is counted once', async () => {
  const judge = judgeOnHold()
  app = await startApp({ judges: [judge], config: { retry: ONE_TRY } })
  const both = [0, 1].map((index) => app.post('/v1/grades', { ...REQUEST, metadata: { run_index: index } }))
  await judge.asked
  await new Promise((resolve) => setImmediate(resolve))
  judge.answer({ fail: 'refused' })
  const codes = (await Promise.all(both)).map((one) => one.json<Problem>().code)
  expect(codes).toEqual(['refused', 'refused'])
  expect(judge.calls).toBe(1)
  const metrics = (await app.get('/metrics')).body
  expect(metrics).toContain('veridict_grades_total{judge="scripted",status="failed",label="none"} 1')
  expect(metrics).toContain('veridict_judge_attempts_total{judge="scripted",outcome="refused"} 1')
})

test('the same Idempotency-Key at the same time is 409, and afterwards a replay', async () => {
  const judge = judgeOnHold()
  app = await startApp({ judges: [judge] })
  const key = { 'idempotency-key': 'one' }
  const first = app.post('/v1/grades', REQUEST, key)
  await judge.asked
  const second = await app.post('/v1/grades', REQUEST, key)
  expect([second.statusCode, second.headers['retry-after']]).toEqual([409, '1'])
  expect(second.json<Problem>().code).toBe('idempotency_key_in_use')
  judge.answer(GOOD_ANSWER)
  const answered = await first
  const third = await app.post('/v1/grades', REQUEST, key)
  expect([third.statusCode, third.headers['idempotency-replayed'], third.body]).toEqual([201, 'true', answered.body])
})

test('a database that refuses is 503 with its code, not an empty answer', async () => {
  await start(GOOD_ANSWER)
  await app.context.stores.close()
  const response = await app.post('/v1/grades', REQUEST)
  expect(response.statusCode).toBe(503)
  expect(response.json<Problem>().code).toBe('storage_error')
  expect((await app.get('/readyz')).statusCode).toBe(503)
  expect((await app.get('/healthz')).statusCode).toBe(200)
})

test.each(['storage_full', 'storage_busy', 'storage_error'])('readiness says %s as the grades do', async (code) => {
  await start(GOOD_ANSWER)
  const { stores } = app.context
  Object.assign(stores.settings, { check: () => Promise.reject(Object.assign(new Error('/a/path'), { code })) })
  const response = await app.get('/readyz')
  expect([response.statusCode, response.json<Problem>().code]).toEqual([503, code])
  expect(response.body).not.toContain('/a/path')
})
