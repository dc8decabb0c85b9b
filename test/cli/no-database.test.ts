import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openLocal } from '../../src/cli/database.ts'
import { migrateSqlite, readMigrations } from '../../src/db/open/migrate.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { PROVIDER_NAMES } from '../../src/schemas/providers.ts'
import { tempFolder } from '../temp-folder.ts'
import { trial, typed } from './test-shell.ts'

const run = (env: NodeJS.ProcessEnv, name: string, ...words: string[]) => typed({ env, openLocal }, name, ...words)
const dryRun = async (env: NodeJS.ProcessEnv, ...more: string[]) => {
  const { code, out } = await typed({ env, openLocal, trials: () => [trial('a')] }, 'batch', 'a', '--dry-run', ...more)
  return [code, out.split(':')[0]]
}
const ONE = [0, '1 item']

/** Made by a mistyped name, an empty database would answer that there is nothing. */
test.each([
  ['status'],
  ['results', 'bat_01'],
  ['show', 'grd_01'],
  ['compare', 'bat_01'],
  ['cancel', 'bat_01'],
  ['resume', 'bat_01'],
  ['regrade', '--batch', 'bat_01', '--recheck'],
  ['export'],
])('%s makes no database, and names the variable', async (name, ...words) => {
  const folder = tempFolder()
  const { code, err } = await run({ VERIDICT_DATABASE: join(folder, 'data', 'v.sqlite') }, name, ...words)
  expect([code, readdirSync(folder)]).toEqual([1, []])
  expect(err).toMatch(/^veridict: there is no database .*v\.sqlite\n {2}VERIDICT_DATABASE names/)
  const inMemory = await run({ VERIDICT_DATABASE: ':memory:' }, name, ...words)
  expect(inMemory).toMatchObject({ code: 1, err: expect.stringMatching(/^veridict: there is no .* :memory:\n/) })
})

test('batch --dry-run makes no database, and says what grading would take', async () => {
  const folder = tempFolder()
  const path = join(folder, 'data', 'v.sqlite')
  for (const judge of PROVIDER_NAMES) {
    const ended = await dryRun({ VERIDICT_DATABASE: path }, '-j', judge)
    expect([judge, ended, readdirSync(folder)]).toEqual([judge, ONE, []])
  }
  mkdirSync(join(folder, 'data'))
  await openSqliteStores({ path }).close()
  expect([await dryRun({ VERIDICT_DATABASE: path }), readdirSync(join(folder, 'data'))]).toEqual([ONE, ['v.sqlite']])
})

test('a dry run names the judge without a price, and the variable that the judge lacks', async () => {
  const [env, trials] = [{ VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite') }, () => [trial('a')]]
  const { out, err } = await typed({ env, openLocal, trials }, 'batch', 'a', '--dry-run', '-j', 'openai')
  expect(out).toContain('cost           unknown: the judge openai has no price in VERIDICT_CONFIG\n')
  expect(err).toContain('to ask the judge openai, set OPENAI_API_KEY in the environment of Veridict\n')
})

test('a dry run leaves a database of an older version as it is', async () => {
  const env = { VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite') }
  const old = new Database(env.VERIDICT_DATABASE)
  onTestFinished(() => void old.close())
  migrateSqlite(old, readMigrations('sqlite').slice(0, 3))
  const schema = () => old.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const before = schema()
  const { code, err } = await typed({ env, openLocal, trials: () => [trial('a')] }, 'batch', 'a', '--dry-run')
  expect([code, err]).toEqual([1, expect.stringContaining('of an older version: back it up, then migrate it')])
  expect(schema()).toEqual(before)
  await run(env, 'status')
  expect(schema()).not.toEqual(before)
})

test('what is there is read', async () => {
  const env = { VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite') }
  await openSqliteStores({ path: env.VERIDICT_DATABASE }).close()
  const { code, out } = await run(env, 'status')
  expect([code, out.split('\n').length]).toEqual([0, 2])
})

test.each([
  ['judges', 'lexical'],
  ['rubrics', 'tab-behavior@1'],
])('%s needs no database', async (name, said) => {
  const folder = tempFolder()
  const { code, out } = await run({ VERIDICT_DATABASE: join(folder, 'data', 'v.sqlite') }, name)
  expect([code, readdirSync(folder), out]).toEqual([0, [], expect.stringContaining(said)])
})
