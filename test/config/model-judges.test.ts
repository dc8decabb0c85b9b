import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { JudgeSettings } from '../../src/config/judges.ts'
import { describeJudge } from '../../src/judges/describe.ts'

const A = 'http://127.0.0.1:1/v1'
const B = 'http://127.0.0.1:2/v1'
const KEYS = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }

const judgesOf = (env: NodeJS.ProcessEnv, file: string): Readonly<Record<string, JudgeSettings>> =>
  loadConfig({ ...KEYS, VERIDICT_CONFIG: 'v.yaml', ...env }, () => `judges: { ${file} }`).config.judges

describe('a judge of environment and file, field by field', () => {
  test.each<[string, NodeJS.ProcessEnv, string, Partial<JudgeSettings>]>([
    ['a key alone', {}, '', { base_url: null, model: 'gpt-5.6' }],
    [
      'the environment, and what the file adds',
      { OPENAI_BASE_URL: A, VERIDICT_OPENAI_MODEL: 'e' },
      'openai: { window_tokens: 9000, price: { input: 2, output: 10 } }',
      { base_url: A, model: 'e', window_tokens: 9000, images: false },
    ],
    [
      'the model of the environment before that of the file',
      { VERIDICT_OPENAI_MODEL: 'e' },
      'openai: { model: f }',
      { model: 'e' },
    ],
    [
      'the file where the environment is silent',
      {},
      `openai: { model: f, base_url: "${B}" }`,
      { model: 'f', base_url: B },
    ],
    ['both say the same base URL', { OPENAI_BASE_URL: A }, `openai: { base_url: "${A}/" }`, { base_url: A }],
    ['an empty variable says nothing', { OPENAI_BASE_URL: '' }, `openai: { base_url: "${B}" }`, { base_url: B }],
  ])('%s', (_name, env, file, settings) => {
    expect(judgesOf(env, file)['openai']).toMatchObject(settings)
  })

  test('one provider’s variables say nothing of the other', () => {
    const { anthropic } = judgesOf({ OPENAI_BASE_URL: A, VERIDICT_OPENAI_MODEL: 'e' }, 'anthropic: { effort: low }')
    expect(anthropic).toMatchObject({ provider: 'anthropic', base_url: null, model: 'claude-opus-5-5', effort: 'low' })
  })
})

describe('another judge of the provider', () => {
  const env = { OPENAI_BASE_URL: A, VERIDICT_OPENAI_MODEL: 'e' }
  test.each<[string, string, Partial<JudgeSettings>]>([
    ['asks there, too, where it says nothing', 'small: { provider: openai, model: s }', { base_url: A, model: 's' }],
    ['is no matter of the model', 'small: { provider: openai }', { base_url: A, model: 'gpt-5.6' }],
    ['even with a key of its own', 'small: { provider: openai, key_env: K }', { base_url: A }],
    [
      'asks elsewhere with a key of its own',
      `small: { provider: openai, base_url: "${B}", key_env: K }`,
      { base_url: B },
    ],
  ])('%s', (_name, file, settings) => {
    expect(judgesOf(env, file)['small']).toMatchObject(settings)
  })
})

describe('a contradiction about the base URL starts nothing', () => {
  const [X, Y] = ['https://user:sk-secret@a.example/v1?key=sk-secret', 'https://:sk-secret@b.example/v1']
  test.each([
    ['in the provider’s judge', `openai: { base_url: "${Y}" }`, '/judges/openai/base_url'],
    ['whatever key it takes', `openai: { base_url: "${Y}", key_env: K }`, '/judges/openai/base_url'],
    ['with the provider’s key', `other: { provider: openai, base_url: "${Y}" }`, '/judges/other/base_url'],
  ])('%s', (_name, file, place) => {
    const said = `OPENAI_BASE_URL is https://a.example/v1, but ${place} of VERIDICT_CONFIG is https://b.example/v1: remove one`
    const load = () => judgesOf({ OPENAI_BASE_URL: X }, file)
    expect(load).toThrow(said)
    expect(load).toThrow(expect.objectContaining({ message: expect.not.stringContaining('sk-secret') }))
  })
})

test('what is shown of a base URL holds no credentials', () => {
  const { openai } = judgesOf({ OPENAI_BASE_URL: 'https://user:sk-secret@a.example:8443/v1/?key=sk-secret' }, '')
  expect(openai && describeJudge('openai', openai).base_url).toBe('https://a.example:8443/v1')
})

test.each([
  ['no provider', 'small: { model: s }', '/judges/small/provider is missing: write provider: openai'],
  ['the other provider under its name', 'openai: { provider: anthropic }', '/judges/openai/provider is anthropic'],
  ['no URL', 'openai: { base_url: "localhost:8000" }', '/judges/openai/base_url is not a base URL, such as'],
  ['a name that cannot be one', '"X!": {}', '/judges/X! is not a known property; there are: names of'],
  [
    'a setting that there is not',
    'openai: { modle: x }',
    '/judges/openai/modle is not a known property; there are: provider,',
  ],
  ['a word that there is not', 'openai: { api: rest }', '/judges/openai/api must be one of responses, chat, messages'],
])('%s is refused with its place and what to write', (_name, file, said) => {
  expect(() => judgesOf({}, file)).toThrow(said)
})

test('variables of a provider that no judge uses are not looked at', () => {
  const env = { AZURE_OPENAI_ENDPOINT: 'my-resource', OPENAI_API_KEY: 'k' }
  expect(Object.keys(judgesOf(env, ''))).not.toContain('azure')
  const asked = () => judgesOf({ ...env, AZURE_OPENAI_API_KEY: 'k' }, 'azure: { model: m }')
  expect(asked).toThrow('AZURE_OPENAI_ENDPOINT is not a base URL')
})
