import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { buildModelJudges } from '../../src/judges/build-judges.ts'
import { PROVIDER_NAMES, providerRow, publicAddress } from '../../src/schemas/providers.ts'

const load = (env: NodeJS.ProcessEnv, file = '') =>
  loadConfig({ ...env, ...(file !== '' && { VERIDICT_CONFIG: 'v.yaml' }) }, () => `judges: { ${file} }`)

const AZURE = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://r.example' }

describe('a judge of the environment alone', () => {
  test.each<[string, NodeJS.ProcessEnv, object]>([
    ['google', { GOOGLE_API_KEY: 'k' }, { key_env: 'GOOGLE_API_KEY', base_url: null }],
    ['google', { GOOGLE_API_KEY: 'k', GEMINI_API_KEY: 'l' }, { key_env: 'GEMINI_API_KEY' }],
    [
      'azure',
      { ...AZURE, VERIDICT_AZURE_DEPLOYMENT: 'd' },
      { model: 'd', base_url: 'https://r.example', api: 'chat', api_version: '2024-10-21', images: true },
    ],
    ['bedrock', { VERIDICT_BEDROCK_MODEL: 'm', AWS_REGION: 'eu-west-1' }, { region: 'eu-west-1', key_env: null }],
    ['vertex', { VERIDICT_VERTEX_MODEL: 'm', ANTHROPIC_VERTEX_PROJECT_ID: 'p' }, { region: 'global', project: 'p' }],
  ])('%s: %o', (name, env, settings) => {
    const { judges } = load(env).config
    expect(Object.keys(judges)).toEqual([name])
    expect(judges[name]).toMatchObject(settings)
  })

  test('what is still to be set is said, and stops nothing', async () => {
    const { config, secrets } = load({ ...AZURE, AWS_REGION: 'eu-west-1', CLOUD_ML_REGION: 'global' })
    expect(config.judges).toEqual({})
    const { unready } = await buildModelJudges(config.judges, secrets)
    expect(Object.fromEntries(unready)).toEqual({
      openai: 'set OPENAI_API_KEY in the environment of Veridict',
      anthropic: 'set ANTHROPIC_API_KEY in the environment of Veridict',
      google: 'set GEMINI_API_KEY or GOOGLE_API_KEY in the environment of Veridict',
      azure: 'set VERIDICT_AZURE_DEPLOYMENT in the environment of Veridict',
      bedrock: 'set VERIDICT_BEDROCK_MODEL in the environment of Veridict',
      vertex: 'set ANTHROPIC_VERTEX_PROJECT_ID and VERIDICT_VERTEX_MODEL in the environment of Veridict',
    })
  })
})

test.each([
  ['azure: { model: d }', '/judges/azure/base_url is missing: write it, or set AZURE_OPENAI_ENDPOINT'],
  [
    'x: { provider: azure, base_url: "https://r.example" }',
    '/judges/x/model is missing: write what your account calls it',
  ],
  ['bedrock: {}', '/judges/bedrock/model is missing: write what your account calls it, or set VERIDICT_BEDROCK_MODEL'],
  ['vertex: { model: m }', '/judges/vertex/project is missing: write it, or set ANTHROPIC_VERTEX_PROJECT_ID'],
  ['openai: { region: x }', '/judges/openai/region is not a setting of this provider: leave it out'],
  ['bedrock: { model: m, region: "x.evil.example/" }', '/judges/bedrock/region'],
  ['openai: { api: messages }', '/judges/openai/api must be one of responses, chat'],
  ['google: { effort: "2048" }', '/judges/google/effort: a number of tokens was removed: write low, medium or high'],
  ['google: { api: generate }', '/judges/google/api must be one of'],
  ['openai: { cache_ttl: 12h }', '/judges/openai/cache_ttl was removed: '],
  ['openai: { price: { input: 1, output: 2, tiers: {} } }', '/judges/openai/price/tiers was removed: '],
  ['openai: { structured_output: guided_json }', '/judges/openai/structured_output'],
])('%s is refused', (file, message) => {
  expect(() => load({}, file)).toThrow(message)
})

test.each([
  ['bedrock', 'eu-west-1', 'https://bedrock-runtime.eu-west-1.amazonaws.com'],
  ['vertex', 'global', 'https://aiplatform.googleapis.com/v1'],
  ['vertex', 'eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ['vertex', 'us-east5', 'https://us-east5-aiplatform.googleapis.com/v1'],
  ['vertex', 'constructor', 'https://constructor-aiplatform.googleapis.com/v1'],
  ['azure', undefined, null],
] as const)('%s in %s is at %s', (provider, region, address) => expect(publicAddress(provider, region)).toBe(address))

test('an older configuration may have called its judge by the name of a provider that came later', () => {
  const file = 'google: { provider: openai, base_url: "http://127.0.0.1:1/v1", key_env: K, model: m }'
  const { judges } = load({ GEMINI_API_KEY: 'k', VERIDICT_GOOGLE_MODEL: 'g' }, file).config
  expect(judges['google']).toMatchObject({
    provider: 'openai',
    model: 'm',
    key_env: 'K',
    base_url: 'http://127.0.0.1:1/v1',
  })
  expect(() => load({}, 'anthropic: { provider: google }')).toThrow(
    'give the judge another name, anthropic is that of anthropic',
  )
})

test('an optional package is pinned, tested with, and no dependency', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, unknown>>
  const packages = PROVIDER_NAMES.flatMap((name) => providerRow(name).optional_package ?? [])
  expect(packages).toHaveLength(2)
  for (const name of packages) {
    expect(manifest['peerDependencies']?.[name]).toMatch(/^\d+\.\d+\.\d+$/)
    expect(manifest['devDependencies']?.[name]).toBe(manifest['peerDependencies']?.[name])
    expect(manifest['peerDependenciesMeta']?.[name]).toEqual({ optional: true })
    expect(manifest['dependencies']).not.toHaveProperty([name])
  }
})
