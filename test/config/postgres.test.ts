import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

const load = (url: string, file = '') =>
  loadConfig({ VERIDICT_DATABASE_URL: url, ...(file !== '' && { VERIDICT_CONFIG: 'file' }) }, () => file)

test('an empty or absent URL is SQLite', () => {
  expect(load('').config).toMatchObject({ postgres: null, database: './data/veridict.sqlite' })
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
  const { config } = load(url)
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
  expect(() => load(url)).toThrow(words)
  expect(() => load(url)).toThrow(/VERIDICT_DATABASE_URL/)
  expect(() => load(url)).not.toThrow(/secret-word/)
})

test('the file has the settings, and nothing else', () => {
  const url = 'postgres://db/x'
  expect(load(url, 'postgres: { max_connections: 3, statement_timeout_ms: 5000 }').config.postgres).toMatchObject({
    max_connections: 3,
    statement_timeout_ms: 5000,
    connect_timeout_ms: 10_000,
  })
  for (const wrong of ['{ max_connections: 0 }', '{ url: postgres://x/y }', '{ statement_timeout_ms: 9999999999 }'])
    expect(() => load(url, `postgres: ${wrong}`)).toThrow(/\/postgres/)
})
