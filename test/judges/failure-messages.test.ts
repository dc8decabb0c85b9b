import { afterEach, describe, expect, test, vi } from 'vitest'
import type { JudgeReply } from '../../src/ports/judge-ports.ts'
import { PROVIDER_NAMES, type Provider } from '../../src/schemas/providers.ts'
import { cloudCredentials, judgeAt, SECRET } from './any-judge.ts'
import { never, QUESTION } from './judge-under-test.ts'
import { type Played, play } from './played.ts'

afterEach(() => void vi.unstubAllEnvs())

const google = (code: number, status: string, reason?: string, more: object[] = []): Played => ({
  status: code,
  body: {
    error: {
      code,
      status,
      message: `prose with ${SECRET}`,
      details: [
        ...(reason === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }]),
        ...more,
      ],
    },
  },
})
/** The OpenAI-compatible endpoint of Gemini answers a list with one such error. */
const gemini = (...fault: Parameters<typeof google>): Played => ({ ...google(...fault), body: [google(...fault).body] })
const openai = (status: number, code: string | null, type: string): Played => ({
  status,
  body: { error: { message: `prose with ${SECRET}`, type, param: null, code } },
})
const anthropic = (status: number, type: string, error_code?: string): Played => ({
  status,
  body: {
    type: 'error',
    error: { type, message: `prose with ${SECRET}`, ...(error_code && { details: { error_code } }) },
    request_id: 'req_1',
  },
})
const amazon = (status: number, type: string): Played => ({
  status,
  headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: { message: `prose with ${SECRET}` },
})

/**
 * What each provider answers, in the form that it documents, and what is told of it (`HOST` stands for the place). OpenAI: its error codes guide
 * and help article 6614457; Anthropic: the errors of @anthropic-ai/sdk 1.11.0; Google: ai.google.dev/gemini-api/docs/troubleshooting; Azure: its REST
 * reference; Amazon: the Bedrock user guide, troubleshooting API error codes; Vertex AI: the Google Cloud error model.
 */
const TOLD: readonly (readonly [Provider, string, Played, string, string])[] = [
  [
    'openai',
    'a wrong key',
    openai(401, 'invalid_api_key', 'invalid_request_error'),
    'authentication',
    'replace the key in TESTED_KEY, it was refused: HOST answered 401 (invalid_api_key, invalid_request_error)',
  ],
  [
    'openai',
    'a retired model',
    openai(404, 'model_not_found', 'invalid_request_error'),
    'refused',
    'there is no model gpt-x, or no longer: set model of the judge tested to one that is there: HOST answered 404 (model_not_found, invalid_request_error)',
  ],
  [
    'openai',
    'no credit',
    openai(429, 'credit_balance_exhausted', 'insufficient_quota'),
    'quota_exhausted',
    'no credit, or a limit of spending is reached at HOST: pay or raise it, then go on: HOST answered 429 (credit_balance_exhausted, insufficient_quota)',
  ],
  [
    'openai',
    'a country that is not served',
    openai(403, 'unsupported_country_region_territory', 'request_forbidden'),
    'authentication',
    'look at what the key in TESTED_KEY may do: HOST answered 403 (unsupported_country_region_territory, request_forbidden)',
  ],
  [
    'openai',
    'too many calls',
    openai(429, 'rate_limit_exceeded', 'requests'),
    'rate_limited',
    'HOST answered 429 (rate_limit_exceeded, requests)',
  ],
  [
    'anthropic',
    'a wrong key',
    anthropic(401, 'authentication_error'),
    'authentication',
    'replace the key in TESTED_KEY, it was refused: HOST answered 401 (authentication_error)',
  ],
  [
    'anthropic',
    'a retired model',
    anthropic(404, 'not_found_error'),
    'refused',
    'there is no model claude-x, or no longer: set model of the judge tested to one that is there: HOST answered 404 (not_found_error)',
  ],
  [
    'anthropic',
    'the limit of a contract',
    anthropic(429, 'rate_limit_error', 'contract_spend_limit_reached'),
    'quota_exhausted',
    'no credit, or a limit of spending is reached at HOST: pay or raise it, then go on: HOST answered 429 (contract_spend_limit_reached, rate_limit_error)',
  ],
  [
    'anthropic',
    'a permission that is missing',
    anthropic(403, 'permission_error'),
    'authentication',
    'look at what the key in TESTED_KEY may do: HOST answered 403 (permission_error)',
  ],
  [
    'google',
    'a wrong key',
    gemini(400, 'INVALID_ARGUMENT', 'API_KEY_INVALID'),
    'authentication',
    'replace the key in TESTED_KEY, it was refused: HOST answered 400 (API_KEY_INVALID, INVALID_ARGUMENT)',
  ],
  [
    'google',
    'a retired model',
    gemini(404, 'NOT_FOUND'),
    'refused',
    'there is no model gemini-x, or no longer: set model of the judge tested to one that is there: HOST answered 404 (NOT_FOUND)',
  ],
  [
    'google',
    'a key that may not',
    gemini(403, 'PERMISSION_DENIED'),
    'authentication',
    'look at what the key in TESTED_KEY may do: HOST answered 403 (PERMISSION_DENIED)',
  ],
  [
    'google',
    'too many calls',
    gemini(429, 'RESOURCE_EXHAUSTED', undefined, [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
    ]),
    'rate_limited',
    'HOST answered 429 (RESOURCE_EXHAUSTED)',
  ],
  ['google', 'an overload', gemini(503, 'UNAVAILABLE'), 'judge_unreachable', 'HOST answered 503 (UNAVAILABLE)'],
  [
    'azure',
    'a wrong key',
    {
      status: 401,
      body: { error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' } },
    },
    'authentication',
    'replace the key in TESTED_KEY, it was refused: HOST answered 401',
  ],
  [
    'azure',
    'a wrong deployment',
    {
      status: 404,
      body: { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    },
    'refused',
    'there is no deployment my-deployment, or no longer: set model of the judge tested to one that is there: HOST answered 404 (DeploymentNotFound)',
  ],
  [
    'azure',
    'a filter',
    {
      status: 400,
      body: {
        error: {
          code: 'content_filter',
          message: 'prose',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        },
      },
    },
    'refused',
    'the request was refused: HOST answered 400 (content_filter)',
  ],
  [
    'azure',
    'no credit',
    openai(429, 'insufficient_quota', 'insufficient_quota'),
    'quota_exhausted',
    'no credit, or a limit of spending is reached at Azure OpenAI: pay or raise it, then go on: HOST answered 429 (insufficient_quota)',
  ],
  [
    'bedrock',
    'wrong credentials',
    amazon(403, 'UnrecognizedClientException'),
    'authentication',
    'renew the AWS credentials (aws configure, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK): HOST answered 403 (UnrecognizedClientException)',
  ],
  [
    'bedrock',
    'a model that is not granted, or not in the region',
    amazon(403, 'AccessDeniedException'),
    'authentication',
    'look whether the AWS credentials (aws configure, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK) may use anthropic.claude-x in eu-west-1: HOST answered 403 (AccessDeniedException)',
  ],
  [
    'bedrock',
    'a retired model',
    amazon(404, 'ResourceNotFoundException'),
    'refused',
    'there is no model anthropic.claude-x in eu-west-1, or no longer: set model or region of the judge tested to one that is there: HOST answered 404 (ResourceNotFoundException)',
  ],
  [
    'bedrock',
    'too many calls',
    amazon(429, 'ThrottlingException'),
    'rate_limited',
    'HOST answered 429 (ThrottlingException)',
  ],
  [
    'bedrock',
    'a quota by 400',
    amazon(400, 'ServiceQuotaExceededException'),
    'rate_limited',
    'HOST answered 400 (ServiceQuotaExceededException)',
  ],
  [
    'vertex',
    'wrong credentials',
    google(401, 'UNAUTHENTICATED'),
    'authentication',
    'renew the Google credentials (gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS): HOST answered 401 (UNAUTHENTICATED)',
  ],
  [
    'vertex',
    'a project that may not',
    google(403, 'PERMISSION_DENIED'),
    'authentication',
    'look whether the Google credentials (gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS) may use claude-x in europe-west1: HOST answered 403 (PERMISSION_DENIED)',
  ],
  [
    'vertex',
    'a model that is not in the region',
    google(404, 'NOT_FOUND'),
    'refused',
    'there is no model claude-x in europe-west1, or no longer: set model or region of the judge tested to one that is there: HOST answered 404 (NOT_FOUND)',
  ],
  [
    'vertex',
    'too many calls',
    { status: 429, body: [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'prose' } }] },
    'rate_limited',
    'HOST answered 429 (RESOURCE_EXHAUSTED)',
  ],
]

async function failureOf(provider: Provider, origin: string, signal = never()): Promise<JudgeReply & { ok: false }> {
  for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
  const reply = await (await judgeAt(provider, origin)).ask(QUESTION, signal)
  if (reply.ok) throw new Error('it is no failure')
  expect(JSON.stringify(reply)).not.toContain(SECRET)
  expect(reply.failure.message).not.toMatch(/\n|What happened/)
  return reply
}

describe('one line says what to do', () => {
  test.each(TOLD)('%s: %s', async (provider, _name, played, code, message) => {
    const { origin, asked } = await play(played)
    const { failure } = await failureOf(provider, origin)
    expect(failure).toMatchObject({ code, message: message.replaceAll('HOST', new URL(origin).host) })
    expect(failure.retry_after_s).toBe(JSON.stringify(played.body).includes('RetryInfo') ? 34 : null)
    expect(asked).toHaveLength(1)
  })

  test('every provider has a wrong key, and a model or deployment that is not there', () => {
    for (const code of ['authentication', 'refused', 'quota_exhausted', 'rate_limited'])
      expect([code, TOLD.filter((one) => one[3] === code).length > 2]).toEqual([code, true])
    for (const provider of PROVIDER_NAMES) {
      const codes = TOLD.filter(([one]) => one === provider).map(([, , , one]) => one)
      expect(codes).toEqual(expect.arrayContaining(['authentication', 'refused']))
    }
  })
})

describe.each(PROVIDER_NAMES)('%s that cannot be reached', (provider) => {
  test('nothing listens: nothing was used', async () => {
    const { origin } = await play({ body: {} })
    for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
    const reply = await (await judgeAt(provider, 'http://127.0.0.1:9')).ask(QUESTION, never())
    expect(reply).toMatchObject({
      ok: false,
      failure: {
        code: 'judge_unreachable',
        message: 'nothing listens at 127.0.0.1:9: start the server there, or check base_url of the judge tested',
      },
      usage: { input_tokens: 0, output_tokens: 0 },
    })
  })

  test('no such host', async () => {
    const { origin } = await play({ body: {} })
    for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
    const reply = await (await judgeAt(provider, 'http://judge.invalid')).ask(QUESTION, never())
    expect(reply).toMatchObject({
      failure: {
        code: 'judge_unreachable',
        message:
          'no address is known for judge.invalid: check base_url of the judge tested, and the DNS of this machine',
      },
    })
  })

  test('no TLS where https is written', async () => {
    const { origin } = await play({ body: {} })
    for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
    const reply = await (await judgeAt(provider, origin.replace('http:', 'https:'))).ask(QUESTION, never())
    expect(reply).toMatchObject({ failure: { code: 'judge_unreachable' } })
    expect(!reply.ok && reply.failure.message).toMatch(
      /shows no certificate that this machine trusts \((?:ERR_SSL_|EPROTO)/,
    )
  })

  test('no answer in time', async () => {
    const { origin } = await play('hang')
    const { failure } = await failureOf(provider, origin, AbortSignal.timeout(700))
    expect(failure).toMatchObject({ code: 'timeout', retryable: true })
    expect(failure.message).toBe(
      `${new URL(origin).host} did not answer in time: ask the judge tested less at once (concurrency), or raise retry.call_timeout_ms`,
    )
  })

  test('a redirect', async () => {
    const { origin } = await play({ status: 302, body: {}, headers: { location: 'http://127.0.0.1:1/' } })
    const { failure } = await failureOf(provider, origin)
    expect(failure).toMatchObject({ code: 'judge_unreachable' })
    expect(failure.message).toContain('set base_url of the judge tested to the last address')
  })

  test('a call that is cancelled', async () => {
    const { origin } = await play('hang')
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 300)
    expect((await failureOf(provider, origin, stop.signal)).failure.code).toBe('cancelled')
  })

  test('an answer that is no JSON of its API', async () => {
    const { origin } = await play({ body: { candidates: 7, output: 7, choices: 7, content: 7 } })
    expect(['judge_unreachable', 'internal']).toContain((await failureOf(provider, origin)).failure.code)
  })
})

test.each([
  [
    'bedrock',
    'there are no AWS credentials (aws configure, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK) for the judge tested',
  ],
  [
    'vertex',
    'there are no Google credentials (gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS) for the judge tested',
  ],
] as const)('%s without credentials asks nobody', async (provider, message) => {
  const { origin, asked } = await play({ body: {} })
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'])
    vi.stubEnv(name, undefined)
  const nowhere = { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nonexistent', METADATA_SERVER_DETECTION: 'none' }
  for (const [name, value] of Object.entries(nowhere)) vi.stubEnv(name, value)
  const judge = await judgeAt(provider, origin)
  const reply = await judge.ask(QUESTION, never())
  expect(reply).toMatchObject({ failure: { code: 'authentication', message }, usage: { input_tokens: 0 } })
  expect((await judge.ask(QUESTION, AbortSignal.abort())).ok).toBe(false)
  expect(asked).toEqual([])
  for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
  expect(await judge.ask(QUESTION, never())).not.toMatchObject({ failure: { code: 'authentication' } })
  expect(asked).toHaveLength(1)
})

const HOSTILE = [
  'two\nlines',
  '\u001b[31mred',
  '[link](http://x.example)',
  'x'.repeat(1_000_000),
  // Cut after 100 characters it would show all of the key but its end.
  `${'x'.repeat(100 - SECRET.length + 1)}${SECRET}`,
]

test.each(HOSTILE)('a code that is none is not told (%#)', async (code) => {
  const { origin } = await play(openai(400, code, code))
  const reply = await (await judgeAt('openai', origin)).ask(QUESTION, never())
  const { host } = new URL(origin)
  expect(reply).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(new RegExp(`: ${host} answered 400$`)) },
  })
})

test('of a key within which a reply was cut nothing is kept', async () => {
  const most = 1_000_000
  // As many characters as a reply is kept of, less all but the last of the key.
  const before = '{"error":{"message":"'.length
  const message = `${'x'.repeat(most - before - SECRET.length + 1)}${SECRET} and more`
  const { origin } = await play({ status: 500, body: { error: { message } } })
  const { raw } = await (await judgeAt('openai', origin)).ask(QUESTION, never())
  expect(raw).toMatch(/x\[key\]$/)
})
