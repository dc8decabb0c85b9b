import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { JudgeSettings } from '../../src/config/judges.ts'
import { loadOptional } from '../../src/config/optional-package.ts'
import { buildModelJudges } from '../../src/judges/build-judges.ts'
import { describeJudge } from '../../src/judges/model-judge.ts'
import { publicAddress } from '../../src/schemas/providers.ts'
import { SETTINGS } from './settings.ts'

const load = (env: NodeJS.ProcessEnv, file = '') =>
  loadConfig({ ...env, ...(file !== '' && { VERIDICT_CONFIG: 'v.yaml' }) }, () => `judges: { ${file} }`)

const AZURE = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://r.example' }

describe('a judge of the environment alone', () => {
  test.each(SETTINGS.environment)('%s: %o', (name, env, settings) => {
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

test.each(SETTINGS.refused_judges)('%s is refused with its place and what to write', (file, message) => {
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
  test.each(SETTINGS.together)('%s', (_name, env, file, settings) => {
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
