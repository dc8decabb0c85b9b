import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { JudgeSettings } from '../../src/config/judges.ts'
import { loadOptional } from '../../src/config/optional-package.ts'
import { buildModelJudges } from '../../src/judges/build-judges.ts'
import { describeJudge } from '../../src/judges/describe.ts'
import { publicAddress } from '../../src/schemas/providers.ts'

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
  ['google: { effort: "2048" }', '/judges/google/effort is a number of tokens: write low, medium or high'],
  ['google: { api: generate }', '/judges/google/api must be one of'],
  ['openai: { cache_ttl: 12h }', '/judges/openai/cache_ttl is not a known property'],
  ['openai: { price: { input: 1, output: 2, tiers: {} } }', '/judges/openai/price/tiers is not a known property'],
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
  const packages = Object.keys(manifest['peerDependencies'] ?? {})
  expect(packages).toHaveLength(2)
  for (const name of packages) {
    expect(manifest['peerDependencies']?.[name]).toMatch(/^\d+\.\d+\.\d+$/)
    expect(manifest['devDependencies']?.[name]).toBe(manifest['peerDependencies']?.[name])
    expect(manifest['peerDependenciesMeta']?.[name]).toEqual({ optional: true })
    expect(manifest['dependencies']).not.toHaveProperty([name])
  }
})

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

const HELPER = pathToFileURL('src/config/optional-package.ts').href

/** What Node.js itself says of an import: the error is its own, not that of the test runner. */
function said(name: string, imported: string): string {
  const script = `
    const { loadOptional } = await import('${HELPER}')
    await loadOptional('${name}', () => import('${imported}'), 'judge gemini').catch((error) => console.log(error.message))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim()
}

test('a package that is not there is named, with what to type', () => {
  expect(said('@nobody/has-this', '@nobody/has-this')).toBe(
    'judge gemini needs the package @nobody/has-this: npm install @nobody/has-this',
  )
  expect(said('@nobody/has-this', '@nobody/has-this/part')).toBe(
    'judge gemini needs the package @nobody/has-this: npm install @nobody/has-this',
  )
})

test('the version is the one that this release names', async () => {
  const missing = Object.assign(new Error("Cannot find package 'fastify' imported from /x.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(loadOptional('fastify', () => Promise.reject(missing), 'it')).rejects.toThrow(
    /^it needs the package fastify: npm install fastify@\d+\.\d+\.\d+$/,
  )
})

test('another missing package, and any other fault, is passed on', async () => {
  expect(said('@nobody/has-this', '@nobody/has-that')).toMatch(/^Cannot find package '@nobody\/has-that'/)
  expect(said('@nobody/has', '@nobody/has-that')).toMatch(/^Cannot find package '@nobody\/has-that'/)
  const fault = new Error('broken')
  await expect(loadOptional('fastify', () => Promise.reject(fault), 'it')).rejects.toBe(fault)
})

test('what was loaded is handed on', async () => {
  await expect(loadOptional('fastify', async () => 7, 'it')).resolves.toBe(7)
})
