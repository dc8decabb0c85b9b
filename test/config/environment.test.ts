import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { isLoopback, isOpenToAll } from '../../src/config/environment.ts'

const load = (env: NodeJS.ProcessEnv, file?: object) =>
  loadConfig({ ...env, ...(file && { VERIDICT_CONFIG: 'x.json' }) }, () => JSON.stringify(file)).config

describe('whether a request needs a key', () => {
  test.each([
    [undefined, undefined, false],
    [undefined, '127.0.0.1', false],
    [undefined, '127.1.2.3', false],
    [undefined, '::1', false],
    [undefined, 'localhost', false],
    [undefined, '0.0.0.0', true],
    [undefined, '::', true],
    [undefined, '10.0.0.1', true],
    [undefined, 'veridict.example', true],
    ['auto', '0.0.0.0', true],
    ['on', '127.0.0.1', true],
    ['off', '0.0.0.0', false],
    ['off', '127.0.0.1', false],
  ])('mode %s on %s: %s', (mode, host, required) => {
    const { access } = load({ VERIDICT_ACCESS: mode, VERIDICT_HOST: host })
    expect(access.required).toBe(required)
    expect(isOpenToAll(access)).toBe(mode === 'off' && host === '0.0.0.0')
  })

  test('names that only look like loopback are none', () => {
    for (const host of [
      '127.0.0.1.example',
      '127.0.0',
      '127.0.0.256',
      '127.0.0.x',
      '1270.0.0.1',
      'localhost.example',
      '',
    ])
      expect(isLoopback(host), host).toBe(false)
    for (const host of ['LOCALHOST', '[::1]', '127.255.255.255']) expect(isLoopback(host), host).toBe(true)
  })
})

test('the environment comes before the defaults', () => {
  expect(load({}).access).toMatchObject({ mode: 'auto', allowed_hosts: [], behind_tls: false, loopback: true })
  const env = {
    VERIDICT_ACCESS: 'on',
    VERIDICT_ALLOWED_HOSTS: ' Veridict.Example:8443, [::2]:80 ,',
    VERIDICT_BEHIND_TLS: 'true',
  }
  expect(load(env).access).toMatchObject({
    mode: 'on',
    required: true,
    allowed_hosts: ['veridict.example:8443', '[::2]:80'],
    behind_tls: true,
  })
  expect(load({ VERIDICT_ACCESS: 'off', VERIDICT_BEHIND_TLS: 'false' }).access).toMatchObject({
    mode: 'off',
    required: false,
    behind_tls: false,
  })
})

test.each([
  [{ VERIDICT_ACCESS: 'yes' }, /VERIDICT_ACCESS must be one of auto, on, off/],
  [{ VERIDICT_BEHIND_TLS: '1' }, /VERIDICT_BEHIND_TLS must be one of true, false/],
  [
    { VERIDICT_ALLOWED_HOSTS: 'https://veridict.example' },
    /VERIDICT_ALLOWED_HOSTS: "https:\/\/veridict\.example" is not a host/,
  ],
  [{ VERIDICT_ALLOWED_HOSTS: 'a.example,*' }, /"\*" is not a host/],
])('%j is refused with its place', (env, message) => {
  expect(() => load(env)).toThrow(message)
})

const loadUrl = (url: string, file = '') =>
  loadConfig({ VERIDICT_DATABASE_URL: url, ...(file !== '' && { VERIDICT_CONFIG: 'file' }) }, () => file)

test('an empty or absent URL is SQLite', () => {
  expect(loadUrl('').config).toMatchObject({ postgres: null, database: './data/veridict.sqlite' })
  expect(loadConfig({ VERIDICT_DATABASE: 'x.sqlite' }, () => '').config).toMatchObject({
    postgres: null,
    database: 'x.sqlite',
  })
})

test.each([
  ['postgres://u:secret-word@db.example:6543/grades?sslmode=verify-full', 'postgres://db.example:6543/grades'],
  ['postgresql://u:secret-word@db.example/grades', 'postgres://db.example/grades'],
  ['postgres:///grades?host=/run/postgresql&password=secret-word', 'postgres:///run/postgresql/grades'],
])('%s is shown without what is secret', (url, shown) => {
  const { config } = loadUrl(url)
  expect(config.postgres).toEqual({
    max_connections: 10,
    connect_timeout_ms: 10_000,
    statement_timeout_ms: 30_000,
    idle_transaction_timeout_ms: 10_000,
    shown,
  })
  expect(JSON.stringify(config)).not.toContain('secret-word')
})

test.each([
  ['secret-word', /is not a URL/],
  ['mysql://u:secret-word@db/x', /must begin with postgres:\/\/ and not with mysql:/],
  ['postgres://u:secret-word@db', /names no database/],
  ['postgres://u:secret-word@db/', /names no database/],
  ['postgres:///grades?password=secret-word', /names no host/],
])('%s is refused, and not repeated', (url, words) => {
  expect(() => loadUrl(url)).toThrow(words)
  expect(() => loadUrl(url)).toThrow(/VERIDICT_DATABASE_URL/)
  expect(() => loadUrl(url)).not.toThrow(/secret-word/)
})

test('the file has the settings, and nothing else', () => {
  const url = 'postgres://db/x'
  expect(loadUrl(url, 'postgres: { max_connections: 3, statement_timeout_ms: 5000 }').config.postgres).toMatchObject({
    max_connections: 3,
    statement_timeout_ms: 5000,
    connect_timeout_ms: 10_000,
  })
  for (const wrong of ['{ max_connections: 0 }', '{ url: postgres://x/y }', '{ statement_timeout_ms: 9999999999 }'])
    expect(() => loadUrl(url, `postgres: ${wrong}`)).toThrow(/\/postgres/)
})
