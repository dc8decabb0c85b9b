import { describe, expect, test } from 'vitest'
import { type RemoteVeridict, remote, ServiceError, UnreachableError } from '../../src/client/index.ts'
import { GOOD_ANSWER, GROUND_TRUTH, REQUEST, scriptedJudge, TRAJECTORY } from '../grading/harness.ts'
import { answeringJudge } from '../http/make-batch.ts'
import { serve } from '../local-server.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { GUARDED, startApp } from '../start-app.ts'
import { makeAnswers, runService } from './running-service.ts'

const LEXICAL = { trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH }
const { grade: answer } = await makeAnswers()
const refusalOf = async (work: Promise<unknown>): Promise<ServiceError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

test('a grade has its label, and the same request again is the same grade', async () => {
  const client = remote((await runService()).origin)
  const outcome = await client.grade(LEXICAL)
  expect(outcome).toMatchObject({ status: 'graded', label: 'aligned', failure: null })
  expect((await client.grade(LEXICAL)).id).toBe(outcome.id)
  expect(await client.readGrade(outcome.id)).toMatchObject({ id: outcome.id, label: 'aligned' })
})

describe('a judge that failed', () => {
  test('is an outcome without a label, with its stored grade; the provider was asked for real', async () => {
    const provider = await startMockProvider([{ status: 401, code: 'invalid_api_key' }])
    const env = {
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      VERIDICT_OPENAI_MODEL: 'mock-1',
    }
    const client = remote((await runService({ env })).origin)
    const outcome = await client.grade({ ...LEXICAL, judge: 'openai' })
    expect(outcome).toMatchObject({ status: 'failed', label: null, failure: { code: 'authentication' } })
    expect(provider.requests).toHaveLength(1)
    expect(await client.readGrade(outcome.id)).toMatchObject({ status: 'failed', label: null })
  })

  test('is not asked again by the client, and says when to try again', async () => {
    const judge = scriptedJudge([{ fail: 'quota_exhausted', retry_after_s: 7 }])
    const client = remote((await runService({ judges: [judge] })).origin)
    const { failure, status } = await client.grade(REQUEST)
    expect([status, failure]).toEqual([
      'failed',
      { code: 'quota_exhausted', message: 'quota_exhausted', retryable: true, retry_after_s: 7 },
    ])
    expect(judge.requests).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test('names the place that is wrong', async () => {
    const client = remote((await runService()).origin)
    const refused = await refusalOf(client.grade({ ...LEXICAL, ground_truth: { instruction: 'x', cue: { text: '' } } }))
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request', gradeId: null })
    expect(refused.errors.map(({ path }) => path)).toContain('/ground_truth/cue/text')
  })

  test('of a missing key is an error, and a key opens', async () => {
    const app = await startApp({ env: GUARDED })
    const baseUrl = await app.listen()
    expect(await refusalOf(remote(baseUrl).grade(LEXICAL))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    })
    const client = remote(baseUrl, await app.give())
    expect(await client.grade(LEXICAL)).toMatchObject({ label: 'aligned' })
    const reader = remote(baseUrl, await app.give(['read']))
    expect(await refusalOf(reader.grade(LEXICAL))).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await reader.call('listGrades', { query: { label: 'aligned' } })).items).toHaveLength(1)
  })

  test.each([
    ['a page', 'text/html', '<!doctype html>', 'not_json'],
    ['nothing', 'application/json', '', 'not_json'],
    ['null', 'application/json', 'null', 'strange_answer'],
    ['an object of its own', 'application/json', '{"label": "aligned"}', 'strange_answer'],
    ['a failed grade', 'application/json', '{"status": "failed", "label": "aligned"}', 'strange_answer'],
    ['a whole failed grade', 'application/json', JSON.stringify({ ...answer, status: 'failed' }), 'strange_answer'],
  ])('%s is no answer of a service', async (_name, type, body, code) => {
    const fetch = () => Promise.resolve(new Response(body, { headers: { 'content-type': type } }))
    const client = remote('http://127.0.0.1:1', undefined, { fetch })
    expect((await refusalOf(client.grade(LEXICAL))).code).toBe(code)
  })
})

describe('tries', () => {
  /** A service that refuses some requests, and what it was asked. */
  const plays = (...answers: (() => Response)[]) => {
    const asked: Request[] = []
    const play: typeof fetch = (url, init) => {
      asked.push(new Request(url, init))
      const answer = answers[Math.min(asked.length, answers.length) - 1]
      return answer === undefined ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(answer())
    }
    return { asked, play }
  }
  const busy =
    (status: number, wait?: number, more: object = {}) =>
    () =>
      Response.json(
        { type: 'about:blank', title: 'x', status, code: 'overloaded', detail: 'busy', ...more },
        { status, headers: wait === undefined ? {} : { 'retry-after': String(wait) } },
      )
  const good = () => Response.json(answer, { status: 201 })
  const clientOf = (play: typeof fetch, tries = 4) =>
    remote('http://127.0.0.1:1', undefined, { fetch: play, retries: { tries } })

  test('go on where the service is busy, after what it says', async () => {
    const { asked, play } = plays(busy(503, 0), busy(429, 0), good)
    expect(await clientOf(play).grade(LEXICAL)).toMatchObject({ label: 'aligned' })
    expect(asked).toHaveLength(3)
  })

  test.each([
    ['are bounded', 0, 3],
    ['do not wait for hours', 7200, 1],
  ] as const)('%s', async (_, wait, made) => {
    const { asked, play } = plays(busy(503, wait))
    expect(await refusalOf(clientOf(play, 3).grade(LEXICAL))).toMatchObject({ status: 503, retryAfterS: wait })
    expect(asked).toHaveLength(made)
  })

  test('are not made of what is wrong, nor of a judge that failed', async () => {
    const failure = { code: 'rate_limited', message: 'busy', retryable: true, retry_after_s: 0 }
    const failed = () => Response.json({ ...answer, id: 'grd_9', status: 'failed', label: null, failure })
    const refusal = busy(503, 0, { code: 'rate_limited', grade_id: 'grd_9', retryable: true })
    const { asked, play } = plays(busy(400), refusal, failed)
    await refusalOf(clientOf(play).grade(LEXICAL))
    expect(await clientOf(play).grade(LEXICAL)).toMatchObject({ id: 'grd_9', failure: { retry_after_s: 0 } })
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET'])
  })

  test.each([403, 500])('are told by their refusal where the read of the failed grade answers %i', async (status) => {
    const { play } = plays(busy(503, 0, { code: 'rate_limited', grade_id: 'grd_9' }), busy(status))
    expect(await refusalOf(clientOf(play).grade(LEXICAL))).toMatchObject({ status: 503, gradeId: 'grd_9' })
  })

  const noBatch = () => Response.json({ items: [], next_cursor: null })
  const send = (client: RemoteVeridict, signal?: AbortSignal) => client.createBatch([LEXICAL], { signal })
  test.each([
    ['a review', ['POST'], noBatch, (client: RemoteVeridict) => client.review('grd_9', { rater: 'ann' })],
    ['a batch', ['POST', 'GET', 'GET'], noBatch, send],
    ['a batch that the key may not read', ['POST', 'GET', 'GET'], busy(403), send],
  ])('send %s no second time that a proxy’s 504 may hide', async (_, methods, then, work) => {
    const { asked, play } = plays(busy(504, 0), then)
    expect(await refusalOf(work(clientOf(play, 2)))).toMatchObject({ status: 504 })
    expect(asked.map(({ method }) => method)).toEqual(methods)
  })

  test('end with the reason of the signal while a lost batch is looked for', async () => {
    const control = new AbortController()
    const { play } = plays(busy(504, 0), () => control.abort('enough') as never)
    await expect(send(clientOf(play), control.signal)).rejects.toBe('enough')
  })

  test.each([
    ['grade', (client: RemoteVeridict) => client.grade({ ...LEXICAL, cache: 'refresh' })],
    ['call', (client: RemoteVeridict) => client.call('createGrade', { body: { ...LEXICAL, cache: 'refresh' } })],
  ])('of a request that asks again for certain carry one key, so that it is paid for once: %s', async (_, ask) => {
    const { asked, play } = plays(busy(503, 0), good)
    await ask(clientOf(play))
    const keys = asked.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^client:[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0])
  })

  test('end where nobody is there', async () => {
    const { asked, play } = plays()
    await expect(clientOf(play, 1).grade(LEXICAL)).rejects.toBeInstanceOf(UnreachableError)
    expect(asked).toHaveLength(1)
  })
})

test('a signal ends a call with its reason, while a judge thinks, too', async () => {
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const judge = answeringJudge(() => {
    asked()
    return new Promise((resolve) => setTimeout(() => resolve(GOOD_ANSWER), 300))
  })
  const client = remote((await runService({ judges: [judge] })).origin)
  const control = new AbortController()
  const outcome = client.grade(REQUEST, { signal: control.signal })
  await isAsked
  control.abort(new Error('enough'))
  await expect(outcome).rejects.toThrow('enough')
})

test('an answer that takes too long is no answer', async () => {
  const hang: typeof fetch = (request) => {
    const { signal } = new Request(request)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const client = remote('http://127.0.0.1:1', undefined, { fetch: hang, timeoutMs: 20, retries: { tries: 1 } })
  await expect(client.grade(LEXICAL)).rejects.toThrow(/^no answer from .*timeout/)
})

test('what cannot be a key is refused without showing it', () => {
  expect(() => remote('http://127.0.0.1:1', 'vk_secret\nx: y')).toThrow(
    /^the token is not a key: a key looks like vk_…$/,
  )
})

test('a key goes nowhere else: a redirect is not followed', async () => {
  const { origin } = await runService()
  const baseUrl = await serve((_request, response) =>
    response.writeHead(307, { location: `${origin}/v1/grades` }).end(),
  )
  const client = remote(baseUrl, 'vk_secret', { retries: { tries: 1 } })
  await expect(client.grade(LEXICAL)).rejects.toThrow(/redirect/)
})
