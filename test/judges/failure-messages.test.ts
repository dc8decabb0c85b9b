import { afterEach, describe, expect, test, vi } from 'vitest'
import type { JudgeReply } from '../../src/judges/judge.ts'
import { PROVIDER_NAMES, type Provider } from '../../src/schemas/providers.ts'
import { never, QUESTION } from './judge-under-test.ts'
import { cloudCredentials, judgeAt, type Played, play, SECRET } from './played.ts'

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
 * What each provider answers, in the form that it documents, and the code and the advice that are told of it (`HOST` stands for the place). OpenAI: its error codes
 * guide and help article 6614457; Anthropic: the errors of @anthropic-ai/sdk 1.11.0; Google: ai.google.dev/gemini-api/docs/troubleshooting; Azure: its REST
 * reference; Amazon: the Bedrock user guide, troubleshooting API error codes; Vertex AI: the Google Cloud error model.
 */
const KINDS = {
  wrong_key: [
    'authentication',
    ({ credentials }) =>
      `${credentials ? `renew the ${credentials}` : 'replace the key in TESTED_KEY, it was refused'}: `,
  ],
  no_permission: [
    'authentication',
    ({ model, credentials }) =>
      `look ${credentials ? `whether the ${credentials} may use ${model}` : 'at what the key in TESTED_KEY may do'}: `,
  ],
  no_model: [
    'refused',
    ({ thing = 'model', model, set = 'model' }) =>
      `there is no ${thing} ${model}, or no longer: set ${set} of the judge tested to one that is there: `,
  ],
  no_credit: [
    'quota_exhausted',
    ({ payee = 'HOST' }) => `no credit, or a limit of spending is reached at ${payee}: pay or raise it, then go on: `,
  ],
  filtered: ['refused', () => 'the request was refused: '],
  too_many: ['rate_limited', () => ''],
  overload: ['judge_unreachable', () => ''],
} as const satisfies Record<string, readonly [string, (place: Place) => string]>

interface Place {
  readonly thing?: string
  readonly model: string
  readonly set?: string
  readonly credentials?: string
  readonly payee?: string
}

const PLACES: Readonly<Record<Provider, Place>> = {
  openai: { model: 'gpt-x' },
  anthropic: { model: 'claude-x' },
  google: { model: 'gemini-x' },
  azure: { thing: 'deployment', model: 'my-deployment', payee: 'Azure OpenAI' },
  bedrock: {
    ...{ model: 'anthropic.claude-x in eu-west-1', set: 'model or region' },
    credentials: 'AWS credentials (aws configure, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK)',
  },
  vertex: {
    ...{ model: 'claude-x in europe-west1', set: 'model or region' },
    credentials: 'Google credentials (gcloud auth application-default login, or GOOGLE_APPLICATION_CREDENTIALS)',
  },
}

const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' }
const azure = (status: number, code: string, more: object = {}): Played => ({
  status,
  body: { error: { code, message: 'prose', ...more } },
})

/** An answer with the words of the provider, as each has its form. */
const FORMS: Readonly<Record<Provider, (status: number, word: string, other?: string) => Played>> = {
  openai: (status, word, other = '') => openai(status, word, other),
  anthropic: (status, word, other) => (other === undefined ? anthropic(status, word) : anthropic(status, other, word)),
  google: (status, word, other) => (other === undefined ? gemini(status, word) : gemini(status, other, word)),
  azure: (status, word) => azure(status, word),
  bedrock: (status, word) => amazon(status, word),
  vertex: (status, word) => google(status, word),
}
const FILTER = { status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } }
const EXHAUSTED = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'prose' } }

type Told = readonly [Provider, keyof typeof KINDS, status: number, words: string, played?: Played]
/** The kind of each answer, and the words of the provider that are told with its status. */
const TOLD: readonly Told[] = [
  ['openai', 'wrong_key', 401, 'invalid_api_key, invalid_request_error'],
  ['openai', 'no_model', 404, 'model_not_found, invalid_request_error'],
  ['openai', 'no_credit', 429, 'credit_balance_exhausted, insufficient_quota'],
  ['openai', 'no_permission', 403, 'unsupported_country_region_territory, request_forbidden'],
  ['openai', 'too_many', 429, 'rate_limit_exceeded, requests'],
  ['anthropic', 'wrong_key', 401, 'authentication_error'],
  ['anthropic', 'no_model', 404, 'not_found_error'],
  ['anthropic', 'no_credit', 429, 'contract_spend_limit_reached, rate_limit_error'],
  ['anthropic', 'no_permission', 403, 'permission_error'],
  ['google', 'wrong_key', 400, 'API_KEY_INVALID, INVALID_ARGUMENT'],
  ['google', 'no_model', 404, 'NOT_FOUND'],
  ['google', 'no_permission', 403, 'PERMISSION_DENIED'],
  ['google', 'too_many', 429, 'RESOURCE_EXHAUSTED', gemini(429, 'RESOURCE_EXHAUSTED', undefined, [RETRY])],
  ['google', 'overload', 503, 'UNAVAILABLE'],
  ['azure', 'wrong_key', 401, '', azure(401, '401')],
  ['azure', 'no_model', 404, 'DeploymentNotFound'],
  ['azure', 'filtered', 400, 'content_filter', azure(400, 'content_filter', FILTER)],
  ['azure', 'no_credit', 429, 'insufficient_quota', openai(429, 'insufficient_quota', 'insufficient_quota')],
  ['bedrock', 'wrong_key', 403, 'UnrecognizedClientException'],
  ['bedrock', 'no_permission', 403, 'AccessDeniedException'],
  ['bedrock', 'no_model', 404, 'ResourceNotFoundException'],
  ['bedrock', 'too_many', 429, 'ThrottlingException'],
  ['bedrock', 'too_many', 400, 'ServiceQuotaExceededException'],
  ['vertex', 'wrong_key', 401, 'UNAUTHENTICATED'],
  ['vertex', 'no_permission', 403, 'PERMISSION_DENIED'],
  ['vertex', 'no_model', 404, 'NOT_FOUND'],
  ['vertex', 'too_many', 429, 'RESOURCE_EXHAUSTED', { status: 429, body: [EXHAUSTED] }],
]

type Failed = JudgeReply & { ok: false }
async function failureOf(provider: Provider, origin: string, signal = never(), address = origin): Promise<Failed> {
  for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
  const reply = await (await judgeAt(provider, address)).ask(QUESTION, signal)
  if (reply.ok) throw new Error('it is no failure')
  expect(JSON.stringify(reply)).not.toContain(SECRET)
  expect(reply.failure.message).not.toMatch(/\n|What happened/)
  return reply
}

describe('one line says what to do', () => {
  const rows = TOLD.map(([provider, kind, status, words, own]) => {
    const [word = '', other] = words.split(', ')
    return [provider, kind, status, words, own ?? FORMS[provider](status, word, other)] as const
  })
  test.each(rows)('%s: %s, %s %s', async (provider, kind, status, words, played) => {
    const { origin, asked } = await play(played)
    const { failure } = await failureOf(provider, origin)
    const [code, advice] = KINDS[kind]
    const message = `${advice(PLACES[provider])}HOST answered ${status}${words && ` (${words})`}`
    expect(failure).toMatchObject({ code, message: message.replaceAll('HOST', new URL(origin).host) })
    expect(failure.retry_after_s).toBe(JSON.stringify(played).includes('RetryInfo') ? 34 : null)
    expect(asked).toHaveLength(1)
  })

  test('every provider has a wrong key, and a model or deployment that is not there', () => {
    for (const kind of ['wrong_key', 'no_model'])
      expect([...new Set(TOLD.filter((one) => one[1] === kind).map(([provider]) => provider))].sort()).toEqual(
        PROVIDER_NAMES.toSorted(),
      )
  })
})

describe.each(PROVIDER_NAMES)('%s that cannot be reached', (provider) => {
  const NOTHING = /^nothing listens at 127\.0\.0\.1:9: start the server there, or check base_url of the judge tested$/
  const NO_HOST =
    /^no address is known for judge\.invalid: check base_url of the judge tested, and the DNS of this machine$/
  const NO_TLS = /shows no certificate that this machine trusts \((?:ERR_SSL_|EPROTO)/
  test.each<[string, (origin: string) => string, RegExp]>([
    ['nothing listens', () => 'http://127.0.0.1:9', NOTHING],
    ['no such host', () => 'http://judge.invalid', NO_HOST],
    ['no TLS where https is written', (origin) => origin.replace('http:', 'https:'), NO_TLS],
  ])('%s: nothing was used', async (_name, addressOf, message) => {
    const { origin } = await play({ body: {} })
    const { failure, usage } = await failureOf(provider, origin, never(), addressOf(origin))
    expect(failure).toMatchObject({ code: 'judge_unreachable', message: expect.stringMatching(message) })
    expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0 })
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

test.each(['bedrock', 'vertex'] as const)('%s without credentials asks nobody', async (provider) => {
  const message = `there are no ${PLACES[provider].credentials} for the judge tested`
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
  const message = expect.stringMatching(new RegExp(`: ${new URL(origin).host} answered 400$`))
  expect(reply).toMatchObject({ ok: false, failure: { message } })
})

test('of a key where a reply is cut nothing is kept', async () => {
  const most = 1_000_000
  // As many characters as a reply is kept of, less all but the last of the key.
  const before = '{"error":{"message":"'.length
  const message = `${'x'.repeat(most - before - SECRET.length + 1)}${SECRET} and more`
  const { origin } = await play({ status: 500, body: { error: { message } } })
  const { raw } = await (await judgeAt('openai', origin)).ask(QUESTION, never())
  expect(raw).toContain('x[key] and more')
})
