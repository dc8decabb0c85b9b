import { request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { REQUEST } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { listen } from './raw-http.ts'

const BODY = JSON.stringify({ ...REQUEST, judge: 'lexical' })
const JSON_TYPE = { 'content-type': 'application/json' }
let app: TestApp
let origin: string
beforeEach(async () => {
  app = await startApp()
  origin = await listen(app)
})
afterEach(() => app.stop())

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

const ask = (method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const asked = request(`${origin}${path}`, { method, headers: { ...headers, ...length } }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('error', reject).end(body)
  })
const post = (headers: Record<string, string> = {}, body = BODY) =>
  ask('POST', '/v1/grades', { ...JSON_TYPE, ...headers }, body)
const codeOf = ({ text }: Answer) => (JSON.parse(text) as Problem).code

/** Makes the grade, and a hit of it. */
async function makeHit(): Promise<Grade> {
  const { status, text } = await post()
  expect(status).toBe(201)
  expect((await post()).status).toBe(200)
  return JSON.parse(text) as Grade
}

test('hits are counted, and have their lines in the log', async () => {
  await makeHit()
  const { id } = JSON.parse((await post()).text) as Grade
  await ask('GET', `/v1/grades/${id}`, {})
  const metrics = (await app.get('/metrics')).body
  expect(metrics).toContain('veridict_cache_total{result="hit"} 2')
  expect(metrics).toMatch(/request_seconds_bucket\{le="\+Inf",route="\/v1\/grades",method="POST",status="200"\} 2\n/)
  expect(metrics).toMatch(/request_seconds_count\{route="\/v1\/grades",method="POST",status="201"\} 1\n/)
  expect(metrics).toMatch(/request_seconds_count\{route="\/v1\/grades\/:id",method="GET",status="200"\} 1\n/)
  const lines = app.logs.map((line) => JSON.parse(line) as Record<string, unknown>)
  const answered = lines.filter(({ msg, method, status }) => msg === 'answered' && method === 'POST' && status === 200)
  expect(answered).toHaveLength(2)
  for (const { reqId } of answered) expect(lines.filter((line) => line['reqId'] === reqId)).toHaveLength(2)
})

test('what a guard refuses is refused, hit or not', async () => {
  const { id } = await makeHit()
  const refused = await Promise.all([
    post({ host: 'elsewhere.example' }),
    ask('GET', `/v1/grades/${id}`, { host: 'elsewhere.example' }),
    post({ origin: 'https://elsewhere.example' }),
    post({ 'sec-fetch-site': 'cross-site' }),
    post({ authorization: 'Bearer of nothing' }),
    ask('GET', `/v1/grades/${id}`, { authorization: 'Bearer of nothing' }),
    post({ 'content-type': 'text/plain' }),
    post({ 'content-encoding': 'lzma' }),
  ])
  expect(refused.map((one) => [one.status, codeOf(one)])).toEqual([
    [421, 'wrong_host'],
    [421, 'wrong_host'],
    [403, 'cross_origin'],
    [403, 'cross_origin'],
    [401, 'unauthorized'],
    [401, 'unauthorized'],
    [415, 'unsupported_media_type'],
    [415, 'unsupported_encoding'],
  ])
  app.state.draining = true
  expect(codeOf(await post())).toBe('draining')
  expect(codeOf(await ask('GET', `/v1/grades/${id}`, {}))).toBe('draining')
})

test('a request that was arriving when the stop came is answered', async () => {
  const body = Buffer.from(BODY)
  const answered = new Promise<number>((resolve, reject) => {
    const asked = request(
      `${origin}/v1/grades`,
      { method: 'POST', headers: { ...JSON_TYPE, 'content-length': body.length } },
      (response) => resolve(response.resume().statusCode ?? 0),
    )
    asked.on('error', reject)
    asked.write(body.subarray(0, 100))
    setTimeout(() => {
      app.state.draining = true
      asked.end(body.subarray(100))
    }, 100)
  })
  expect(await answered).toBe(201)
})
