import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Picture } from '../../src/domain/trajectory/trajectory.ts'
import type { JudgeReply } from '../../src/judges/judge.ts'
import type { Provider } from '../../src/schemas/providers.ts'
import { PNG } from '../pictures.ts'
import { never, QUESTION } from './judge-under-test.ts'
import { cloudCredentials, judgeAt, type Played, play, SECRET } from './played.ts'

const DOT = { media_type: 'image/png', data: PNG } as Picture

/** Providers whose official SDKs really talk to a server on loopback. */
afterEach(() => void vi.unstubAllEnvs())

async function ask(provider: Provider, played: Played, more: object = {}, request = QUESTION) {
  const { origin, asked } = await play(played)
  for (const [name, value] of Object.entries(cloudCredentials(origin))) vi.stubEnv(name, value)
  const reply: JudgeReply = await (await judgeAt(provider, origin, more)).ask(request, never())
  expect(asked).toHaveLength(1)
  return { reply, asked: asked[0] as (typeof asked)[number] }
}

/** An answer of https://ai.google.dev/gemini-api/docs/openai: thoughts are in `total_tokens` alone. */
const gemini = (choice: object, more: object = {}): Played => ({
  body: {
    ...{ id: 'resp_1', object: 'chat.completion', created: 1, model: 'gemini-x-001', choices: [choice] },
    ...{ usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 170 }, ...more },
  },
})
const ANSWERED = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{"a":1}' } }

describe('google', () => {
  test('a question is one call of the OpenAI-compatible endpoint that holds the model to the schema', async () => {
    const images = [{ label: '[image 1]', picture: DOT }]
    const { asked, reply } = await ask('google', gemini(ANSWERED), { images: true }, { ...QUESTION, images })
    expect(asked.path).toBe('/v1beta/openai/chat/completions')
    expect(asked.headers['authorization']).toBe(`Bearer ${SECRET}`)
    expect(asked.body).toEqual({
      model: 'gemini-x',
      messages: [
        { role: 'system', content: 'You judge.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: QUESTION.trajectory },
            { type: 'text', text: expect.any(String) },
            { type: 'text', text: '[image 1]' },
            { type: 'image_url', image_url: { url: `data:${DOT.media_type};base64,${DOT.data}` } },
            { type: 'text', text: 'What happened?' },
          ],
        },
        { role: 'assistant', content: '{"a":1}' },
        { role: 'user', content: 'not found' },
      ],
      max_completion_tokens: 16_000,
      reasoning_effort: 'high',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'judge_answer', strict: true, schema: QUESTION.answer_schema },
      },
    })
    expect(reply).toMatchObject({
      ok: true,
      text: '{"a":1}',
      usage: { input_tokens: 100, output_tokens: 70, cache_read_tokens: 0, cache_write_tokens: 0 },
      model_resolved: 'gemini-x-001',
    })
    expect(reply.ok && JSON.parse(reply.raw)).toMatchObject({ id: 'resp_1', choices: [ANSWERED] })
  })

  test.each(['', '/', '/v1beta', '/v1beta/', '/v1beta/openai', '/v1beta/openai/'])(
    'the base URL ORIGIN%s leads to the same endpoint',
    async (path) => {
      const { origin, asked } = await play(gemini(ANSWERED))
      expect((await (await judgeAt('google', `${origin}${path}`)).ask(QUESTION, never())).ok).toBe(true)
      expect(asked[0]?.path).toBe('/v1beta/openai/chat/completions')
    },
  )

  test('a judge of the environment asks the public endpoint, and sends no field that Gemini refuses', async () => {
    const { addressOf } = await import('../../src/judges/model-judge.ts')
    const { buildChatRequest } = await import('../../src/judges/openai-judge.ts')
    const { providerDefaults } = await import('../../src/config/judges.ts')
    const settings = providerDefaults('google')
    expect(addressOf(settings)).toBe('https://generativelanguage.googleapis.com/v1beta/openai')
    expect(buildChatRequest(QUESTION, settings)).not.toHaveProperty('prompt_cache_key')
  })

  test('without effort no field says so', async () => {
    const { asked } = await ask('google', gemini(ANSWERED), { effort: null, max_output_tokens: 300 })
    expect(asked.body).toMatchObject({ max_completion_tokens: 300 })
    expect(asked.body).not.toHaveProperty('reasoning_effort')
  })

  test.each([
    ['length', 'truncated'],
    ['MAX_TOKENS', 'truncated'],
    ['content_filter', 'refused'],
    ['content_filter: RECITATION', 'refused'],
    ['SAFETY', 'refused'],
    ['RECITATION', 'refused'],
    ['PROHIBITED_CONTENT', 'refused'],
    ['BLOCKLIST', 'refused'],
    ['SPII', 'refused'],
    ['MALFORMED_RESPONSE', 'judge_unreachable'],
    ['OTHER', 'internal'],
    ['A_NEW_ONE', 'internal'],
    ['constructor', 'internal'],
    [undefined, 'internal'],
  ])('finish reason %s is no answer, whatever its text: %s', async (finish_reason, code) => {
    const { reply } = await ask('google', gemini({ ...ANSWERED, finish_reason }))
    expect(reply).toMatchObject({ ok: false, failure: { code }, usage: { output_tokens: 70 } })
  })

  test('an answer that a filter left without a message is refused', async () => {
    const { reply } = await ask('google', gemini({ index: 0, finish_reason: 'content_filter: PROHIBITED_CONTENT' }))
    expect(reply).toMatchObject({ failure: { code: 'refused' }, usage: { input_tokens: 100 } })
  })

  test('no usage is unknown usage', async () => {
    expect((await ask('google', gemini(ANSWERED, { usage: undefined }))).reply.usage).toBeNull()
  })
})

const CHAT: Played = {
  body: {
    id: 'chatcmpl_1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-x-2026-01-01',
    service_tier: 'default',
    choices: [
      { index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', content: '{}', refusal: null } },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  },
}

describe('azure', () => {
  test('a deployment is asked with the key of the resource', async () => {
    const { asked, reply } = await ask('azure', CHAT)
    expect(asked.path).toBe('/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21')
    expect(asked.headers).toMatchObject({ 'api-key': SECRET })
    expect(asked.headers['authorization']).toBeUndefined()
    expect(Object.keys(asked.body).sort()).toEqual(['max_completion_tokens', 'messages', 'model', 'response_format'])
    expect(reply).toMatchObject({ ok: true, model_resolved: 'gpt-x-2026-01-01' })
    expect(reply.usage).not.toHaveProperty('service_tier')
  })

  test('a token of Microsoft Entra is sent as one, whatever key the environment has beside', async () => {
    vi.stubEnv('AZURE_OPENAI_API_KEY', 'another')
    const { createAzureJudge } = await import('../../src/judges/openai-judge.ts')
    const { providerDefaults } = await import('../../src/config/judges.ts')
    const { origin, asked } = await play(CHAT)
    const settings = {
      ...providerDefaults('azure'),
      ...{ model: 'd', base_url: `${origin}/openai/`, api_version: 'v', key_env: 'AZURE_OPENAI_AD_TOKEN' },
    }
    expect((await createAzureJudge('a', settings, SECRET).ask(QUESTION, never())).ok).toBe(true)
    expect(asked[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}` })
    expect(JSON.stringify(asked[0]?.headers)).not.toContain('another')
    expect(asked[0]?.path).toBe('/openai/deployments/d/chat/completions?api-version=v')
  })

  test('Responses name the deployment in the body', async () => {
    const body = { ...(CHAT.body as object), output: [], status: 'completed', usage: null }
    const { asked } = await ask('azure', { body }, { api: 'responses', api_version: '2025-04-01-preview' })
    expect(asked.path).toBe('/openai/responses?api-version=2025-04-01-preview')
    expect(asked.body['model']).toBe('my-deployment')
  })
})

const MESSAGE = (usage: object): Played => ({
  body: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x-1', stop_sequence: null },
    ...{ content: [{ type: 'text', text: '{}' }], stop_reason: 'end_turn' },
    usage: { input_tokens: 10, output_tokens: 2, ...usage },
  },
})

describe('bedrock and vertex', () => {
  test('bedrock: the same question, signed for the region', async () => {
    const { asked, reply } = await ask('bedrock', MESSAGE({}))
    expect(asked.path).toBe('/model/anthropic.claude-x/invoke')
    expect(asked.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAPLANTED\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=/,
    )
    const anthropic_version = expect.any(String)
    expect(asked.body).toMatchObject({ anthropic_version, max_tokens: 16_000, system: 'You judge.' })
    expect(asked.body).not.toHaveProperty('model')
    expect(reply).toMatchObject({ ok: true, text: '{}', model_resolved: 'claude-x-1' })
  })

  test('bedrock with an API key does not sign', async () => {
    const { asked } = await ask('bedrock', MESSAGE({}), { key_env: 'TESTED_KEY' })
    expect(asked.headers['authorization']).toBe(`Bearer ${SECRET}`)
  })

  test('vertex: the same question, with the token of the machine', async () => {
    const { asked, reply } = await ask('vertex', MESSAGE({}))
    expect(asked.path).toBe(
      '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/claude-x:rawPredict',
    )
    expect(asked.headers['authorization']).toBe(`Bearer ${SECRET}`)
    expect(asked.body).toMatchObject({ anthropic_version: expect.any(String), max_tokens: 16_000 })
    expect(reply).toMatchObject({ ok: true, text: '{}' })
  })

  test('what the SDK found is in nothing that is kept', async () => {
    for (const provider of ['bedrock', 'vertex'] as const) {
      const { reply } = await ask(provider, { body: { ...(MESSAGE({}).body as object), model: `x ${SECRET}` } })
      expect(JSON.stringify(reply)).not.toContain(SECRET)
    }
  })
})

describe('cache and tiers', () => {
  test('anthropic: a longer lifetime and an unusual tier are counted apart', async () => {
    const usage = {
      cache_creation_input_tokens: 1000,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_1h_input_tokens: 900, ephemeral_5m_input_tokens: 100 },
      service_tier: 'priority',
    }
    const { reply } = await ask('anthropic', MESSAGE(usage))
    expect(reply.usage).toEqual({
      ...{ input_tokens: 1010, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 1000 },
      ...{ cache_write_long_tokens: 900, service_tier: 'priority' },
    })
  })

  test('openai: no field is sent that another server may refuse', async () => {
    const plain = (await ask('openai', CHAT, { api: 'chat' })).asked.body
    expect(Object.keys(plain).sort()).toEqual([
      ...['max_completion_tokens', 'messages', 'model', 'reasoning_effort', 'response_format'],
    ])
  })
})

describe('a compatible server and the answer’s schema', () => {
  const schema = QUESTION.answer_schema
  test.each([
    [
      'json_schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'judge_answer', strict: true, schema } } },
    ],
    ['none', {}],
  ])('structured_output: %s', async (structured_output, fields) => {
    const { asked } = await ask('openai', CHAT, { api: 'chat', effort: null, structured_output })
    const { model: _model, messages: _messages, max_completion_tokens: _most, ...rest } = asked.body
    expect(rest).toEqual(fields)
  })

  test('one that refuses it is told with the setting', async () => {
    const refusal = {
      status: 400,
      body: { object: 'error', message: 'extra fields', type: 'BadRequestError', code: 400 },
    }
    const { reply } = await ask('openai', refusal, { api: 'chat', structured_output: 'json_schema' })
    expect(!reply.ok && reply.failure).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(
        /^it refused the request; .* structured_output, which is json_schema: .* 400 \(BadRequestError\)$/,
      ),
    })
  })
})

describe('an answer that was broken off is no answer', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 }

  test.each(['abort', 'error'])('chat: %s', async (finish_reason) => {
    const choices = [{ finish_reason, message: { role: 'assistant', content: '{"a":1}' } }]
    const { reply } = await ask('openai', { body: { model: 'm', choices, usage } }, { api: 'chat' })
    expect(reply).toMatchObject({ ok: false, failure: { code: 'judge_unreachable', retryable: true } })
  })

  test.each(['cancelled', 'in_progress', 'queued'])('responses: %s', async (status) => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: '{"a":1}' }] }]
    const { reply } = await ask('openai', { body: { model: 'm', status, output } })
    expect(reply).toMatchObject({ ok: false, failure: { code: 'judge_unreachable', retryable: true } })
  })

  test.each<[string, Played]>([
    ['the page of a proxy', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['an error that is nested too deeply', { status: 500, body: null, text: '['.repeat(1e5) + ']'.repeat(1e5) }],
    ['the error of a proxy', { body: { error: { message: 'no upstream' } } }],
  ])('anthropic: %s', async (_name, played) => {
    const { reply } = await ask('anthropic', played)
    expect(reply).toMatchObject({ ok: false, failure: { code: 'judge_unreachable', retryable: true } })
  })
})
