import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

const load = (env: NodeJS.ProcessEnv, file = '') => loadConfig(env, () => file).config

test('everything has a default', () => {
  expect(load({})).toMatchObject({
    host: '127.0.0.1',
    port: 8787,
    database: './data/veridict.sqlite',
    log_level: 'info',
    default_judge: 'lexical',
    judges: {},
  })
})

test('a key is enough to have a judge, and is nowhere in the configuration', () => {
  const config = load({
    OPENAI_API_KEY: 'sk-secret',
    ANTHROPIC_API_KEY: 'sk-other',
    VERIDICT_OPENAI_MODEL: 'm1',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
  })
  expect(config.judges['openai']).toMatchObject({ provider: 'openai', model: 'm1', base_url: null })
  expect(config.judges['anthropic']).toMatchObject({ provider: 'anthropic', base_url: 'http://127.0.0.1:1' })
  expect(JSON.stringify(config)).not.toContain('sk-')
})

test('a file adds judges and changes limits', () => {
  const file =
    'default_judge: local\nlimits: { depth: 9 }\njudges:\n  local: { provider: openai, api: chat, model: m, key_env: LOCAL_KEY, price: null }'
  const config = load({ VERIDICT_CONFIG: 'v.yaml' }, file)
  expect(config).toMatchObject({ default_judge: 'local', limits: { depth: 9, max_steps: 20_000 } })
  expect(config.judges['local']).toMatchObject({ api: 'chat', key_env: 'LOCAL_KEY', window_tokens: 272_000 })
})

describe('what cannot be used is named', () => {
  test.each<[string, NodeJS.ProcessEnv, string, string]>([
    ['a port', { VERIDICT_PORT: '99999' }, '', 'VERIDICT_PORT'],
    ['a log level', { VERIDICT_LOG_LEVEL: 'loud' }, '', 'VERIDICT_LOG_LEVEL'],
    ['a base URL', { OPENAI_BASE_URL: 'nowhere' }, '', 'OPENAI_BASE_URL'],
    ['an unknown key of the file', { VERIDICT_CONFIG: 'v.yaml' }, 'limitz: {}', 'v.yaml'],
    ['a wrong type in the file', { VERIDICT_CONFIG: 'v.yaml' }, 'limits: { depth: deep }', '/limits/depth'],
    ['a file that is no YAML', { VERIDICT_CONFIG: 'v.yaml' }, 'a: [', 'v.yaml'],
    [
      'a judge in the place of the built-in one',
      { VERIDICT_CONFIG: 'v.yaml' },
      'judges: { lexical: { provider: openai } }',
      '/judges/lexical',
    ],
  ])('%s', (_name, env, file, place) => {
    expect(() => load(env, file)).toThrow(place)
  })
})
