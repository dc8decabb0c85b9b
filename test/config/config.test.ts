import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { unknownVariables } from '../../src/config/environment.ts'
import { LIMITS } from '../../src/config/settings.ts'
import { SETTINGS } from './settings.ts'

const load = (env: NodeJS.ProcessEnv, file = '') => loadConfig(env, () => file).config

test('everything has a default', () => {
  expect(load({})).toMatchObject({
    host: '127.0.0.1',
    port: 8787,
    database: './data/veridict.sqlite',
    log_level: 'info',
    default_judge: 'lexical',
    judges: {},
    budget: { max_cost_usd_per_day: null },
    concurrency: { initial: 64, min: 1, max: 256 },
    batches: { most_items: 100_000, poll_seconds: 60 },
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
    'default_judge: local\nlimits: { max_steps: 9 }\njudges:\n  local: { provider: openai, api: chat, model: m, key_env: LOCAL_KEY, price: null }'
  const config = load({ VERIDICT_CONFIG: 'v.yaml' }, file)
  expect(config).toMatchObject({ default_judge: 'local', limits: { depth: 64, max_steps: 9 } })
  expect(config.judges['local']).toMatchObject({ api: 'chat', key_env: 'LOCAL_KEY', window_tokens: 272_000 })
})

const PRICE = 'input: 2, output: 10, cache_read: 0.2, cache_write: 2.5'
const judge = (settings: string) => `judges: { local: { provider: openai, model: m, key_env: K, ${settings} } }`
const local = (settings: string, around = '') =>
  load({ VERIDICT_CONFIG: 'v.yaml' }, `${around}\n${judge(settings)}`).judges['local']

describe('prices of a judge', () => {
  const first = { input_per_mtok: 2, output_per_mtok: 10, cache_read_per_mtok: 0.2, cache_write_per_mtok: 2.5 }

  test.each<[string, string, object | null]>([
    ['none', 'effort: null', null],
    ['null', 'price: null', null],
    ['one', `price: { ${PRICE}, as_of: 2026-11-01 }`, { ...first, as_of: '2026-11-01' }],
  ])('%s', (_name, settings, price) => {
    const settled = local(settings)
    expect(settled?.price).toEqual(price)
  })

  test.each([
    ['a day that no month has', `price: { ${PRICE}, as_of: 2026-02-30 }`, '/judges/local/price/as_of'],
    ['a day in words', `price: { ${PRICE}, as_of: yesterday }`, '/judges/local/price/as_of'],
    ['a price below zero', `price: { ${PRICE.replace('10', '-1')}, as_of: 2026-11-01 }`, '/judges/local/price'],
  ])('%s is refused with its place', (_name, settings, place) => {
    expect(() => local(settings)).toThrow(place)
  })

  test('two words are enough: without others nothing is cheaper than input, and Anthropic’s cache is written for a quarter more', () => {
    const file = 'price: { input: 2, output: 10 }'
    const given = { input_per_mtok: 2, output_per_mtok: 10, cache_read_per_mtok: 2, as_of: null }
    expect(local(file)?.price).toEqual({ ...given, cache_write_per_mtok: 2 })
    const config = load({ VERIDICT_CONFIG: 'v.yaml' }, `judges: { anthropic: { provider: anthropic, ${file} } }`)
    expect(config.judges['anthropic']?.price).toEqual({ ...given, cache_write_per_mtok: 2.5 })
  })

  test.each([
    ['a number alone', 'price: 2', '/price must be either object or null, not number: write { input: 2, output: 10 }'],
    ['half a price', 'price: { input: 2 }', '/price/output is missing: write { input: 2, output: 10 }'],
    [
      'text for a number',
      'price: { input: "2", output: 10 }',
      '/price/input must be number, not string: US dollars for a million',
    ],
    [
      'another word',
      'price: { inptu: 2, output: 10 }',
      '/price/inptu is not a known property; there are: input, output, cache_read, cache_write, as_of',
    ],
  ])('%s is refused with its place and what to write', (_name, settings, said) => {
    const refused = () => local(settings)
    expect(refused).toThrow(`/judges/local${said}`)
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringContaining('anyOf') }))
  })
})

describe('concurrency', () => {
  test.each([
    [
      'of the file, for every judge',
      '',
      'concurrency: { initial: 8, min: 2, max: 16 }',
      { initial: 8, min: 2, max: 16 },
    ],
    [
      'of a judge, over that of the file',
      'concurrency: { max: 4 }',
      'concurrency: { initial: 8, max: 16 }',
      { initial: 4, min: 1, max: 4 },
    ],
    ['a floor moves the beginning', 'concurrency: { min: 100 }', '', { initial: 100, min: 100, max: 256 }],
    ['none', '', '', { initial: 64, min: 1, max: 256 }],
  ])('%s', (_name, settings, around, expected) => {
    expect(local(settings === '' ? 'effort: null' : settings, around)?.concurrency).toEqual(expected)
  })

  test('holds for judges that a key makes', () => {
    const config = load({ VERIDICT_CONFIG: 'v.yaml', OPENAI_API_KEY: 'k' }, 'concurrency: { max: 10 }')
    expect(config.judges['openai']?.concurrency).toEqual({ initial: 10, min: 1, max: 10 })
    expect(config.concurrency).toEqual({ initial: 10, min: 1, max: 10 })
  })

  test.each([
    ['concurrency: { min: 9, max: 3 }', '/judges/local/concurrency'],
    ['concurrency: { initial: 9, max: 3 }', '/judges/local/concurrency/initial'],
    ['concurrency: { min: 0 }', '/judges/local/concurrency/min'],
  ])('%s is refused', (settings, place) => {
    expect(() => local(settings)).toThrow(place)
  })
})

describe('the day’s budget', () => {
  test.each([
    ['of the environment', { VERIDICT_MAX_COST_USD_PER_DAY: '12.50' }, 12.5],
    ['nothing', { VERIDICT_MAX_COST_USD_PER_DAY: '0' }, 0],
    ['an empty variable is none', { VERIDICT_MAX_COST_USD_PER_DAY: '' }, null],
  ])('%s', (_name, env, dollars) => {
    expect(load(env).budget).toEqual({ max_cost_usd_per_day: dollars })
  })

  test.each(['-1', 'NaN', 'Infinity', '1e3', '5 USD', '1,50', '٣'])('%j is no sum of dollars', (value) => {
    expect(() => load({ VERIDICT_MAX_COST_USD_PER_DAY: value })).toThrow('VERIDICT_MAX_COST_USD_PER_DAY')
  })
})

test('batches', () => {
  const config = load({ VERIDICT_CONFIG: 'v.yaml' }, 'batches: { most_items: 10 }')
  expect(config.batches).toEqual({ most_items: 10, poll_seconds: 60 })
})

test.each<[string, NodeJS.ProcessEnv, string, object]>([
  ['nothing said', {}, '', {}],
  ['none in the service', { VERIDICT_WORKER: 'off' }, '', { in_service: false }],
  ['a port', { VERIDICT_WORKER_PORT: '0' }, '', { port: 0 }],
  ['a bound', {}, 'workers: { most_in_flight: 16 }', { most_in_flight: 16 }],
])('workers: %s', (_name, env, file, given) => {
  const defaults = { in_service: true, most_in_flight: null, port: null }
  expect(load({ VERIDICT_CONFIG: 'v.yaml', ...env }, file).workers).toEqual({ ...defaults, ...given })
})

describe('a variable that there is not is told with the nearest one', () => {
  const told = (env: NodeJS.ProcessEnv, file = '') => unknownVariables(env, () => file)
  test.each([
    ['VERIDICT_MAX_COST_USD_PERDAY', 'VERIDICT_MAX_COST_USD_PER_DAY'],
    ['VERIDICT_DATABSE', 'VERIDICT_DATABASE'],
    ['VERIDICT_OPENAI_MODLE', 'VERIDICT_OPENAI_MODEL'],
    ['VERIDICT_APIKEY', 'VERIDICT_API_KEY'],
  ])('%s', (name, meant) => {
    expect(told({ [name]: '1' })).toEqual([`${name} is no variable of Veridict, and is ignored: is ${meant} meant?`])
  })

  test('but none that is known, empty, of others, or named by the file', () => {
    const others = ['VERIDICT_LAUNCHER', 'VERIDICT_TEST_URL', 'VERIDICT_PORT_8787_TCP', 'VERIDICT_SERVICE_HOST']
    const known = ['VERIDICT_PORT', 'VERIDICT_SERVER', 'VERIDICT_VERTEX_MODEL', 'OPENAI_API_KEYS']
    expect(told(Object.fromEntries([...others, ...known].map((name) => [name, '1'])))).toEqual([])
    expect(told({ VERIDICT_DATABSE: '' })).toEqual([])
    const file = 'judges: { local: { key_env: VERIDICT_LOCAL_KEY } }'
    expect(told({ VERIDICT_CONFIG: 'v.yaml', VERIDICT_LOCAL_KEY: 'k' }, file)).toEqual([])
  })
})

describe('what cannot be used is named', () => {
  test.each(SETTINGS.refused)('%s', (_name, env, file, place) => {
    expect(() => load(env, file)).toThrow(place)
  })

  test.each([
    ['', '/provider is missing'],
    ['provider: openai, api: messages', '/api must be one of'],
    ['provider: openai, model: m, concurrency: { min: 9, max: 3 }', '/concurrency: min 9 is over max 3'],
    ['provider: openai, model: m, price: { input: 1 }', '/price/output is missing'],
  ])('with the name of the file: { %s }', (settings, said) => {
    const refused = () => load({ VERIDICT_CONFIG: 'v.yaml' }, `judges: { local: { ${settings} } }`)
    expect(refused).toThrow(`VERIDICT_CONFIG: v.yaml: /judges/local${said}`)
  })

  test.each([
    ['ENOENT', 'there is no file v.yaml'],
    ['EISDIR', 'v.yaml cannot be read: it is a folder'],
    ['EACCES', 'v.yaml cannot be read: this user may not'],
  ])('a file that cannot be read, %s', (code, said) => {
    const read = () => {
      throw Object.assign(new Error('of the system'), { code })
    }
    expect(() => loadConfig({ VERIDICT_CONFIG: 'v.yaml' }, read)).toThrow(`VERIDICT_CONFIG: ${said}`)
  })

  test('what the parser quotes of a broken file is not repeated', () => {
    const read = () => 'key: *sk-secret'
    expect(() => loadConfig({ VERIDICT_CONFIG: 'v.yaml' }, read)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('sk-secret') }),
    )
  })
})

const CONFIGURATION = readFileSync('docs/configuration.md', 'utf8')
const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(CONFIGURATION)?.[1] ?? ''

test.each(['limits', 'retry', 'concurrency', 'batches', 'postgres'] as const)(
  'the example of docs/configuration.md shows the defaults of %s',
  (group) => {
    const env = {
      VERIDICT_DATABASE_URL: 'postgres://u@h/d',
    }
    const { config } = loadConfig(env, () => '')
    const shown = (parse(EXAMPLE) as Record<string, object>)[group]
    expect(Object.keys(shown ?? {}).length).toBeGreaterThan(0)
    expect(config[group]).toMatchObject(shown ?? {})
  },
)

test('every limit is described in docs/configuration.md', () => {
  expect(Object.keys(LIMITS.file.properties).filter((name) => !CONFIGURATION.includes(name))).toEqual([])
})

test('what cannot be used is told with what it means', () => {
  const read = () => loadConfig({ VERIDICT_CONFIG: 'v.yaml' }, () => 'limits: { held_bytes: 0 }')
  expect(read).toThrow('/limits/held_bytes must be >= 1: bytes of bodies that are read and parsed at once')
})
