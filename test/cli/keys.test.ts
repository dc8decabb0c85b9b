import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import { keysCommand, parseDuration } from '../../src/cli/commands/keys-commands.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { type TestShell, testShell } from './test-shell.ts'

const TOKEN = /^vk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/

/** Runs `veridict keys …` on a file; commander’s own complaints are thrown. */
async function keys(database: string, ...args: string[]): Promise<TestShell> {
  const shell = testShell({ env: { VERIDICT_DATABASE: database } })
  const program = new Command('veridict').exitOverride().configureOutput({ writeErr: () => undefined })
  const command = keysCommand(shell).copyInheritedSettings(program)
  for (const one of command.commands) one.copyInheritedSettings(program)
  await program.addCommand(command).parseAsync(['keys', ...args], { from: 'user' })
  return shell
}

/** What a service on the file makes of a token. */
function accessOf(database: string) {
  const stores = openSqliteStores({ path: database })
  onTestFinished(() => stores.close())
  return createAccess({
    store: stores.access,
    required: true,
    session_secret: 'x',
    now: () => new Date(),
  })
}

const idOf = (token: string): string => `key_${token.split('_')[1]}`

test('create prints the token and nothing else on stdout; a service that runs takes it at once', async () => {
  const database = tempDatabase()
  const service = accessOf(database)
  const shell = await keys(database, 'create', 'night run', '--max-cost-usd-per-day', '2.5')
  const token = shell.output().trim()
  expect(shell.output()).toBe(`${token}\n`)
  expect(token).toMatch(TOKEN)
  expect(shell.errors()).not.toContain(token)
  expect(shell.errors()).toContain(': may grade, read, review')
  expect(shell.errors()).toContain('shown this once')
  expect(shell.code()).toBe(0)
  expect(await service.authenticate(token)).toMatchObject({
    key_id: idOf(token),
    name: 'night run',
    max_cost_usd_per_day: 2.5,
    max_requests_per_minute: null,
  })
})

test('create -o json is one object, with every option in it', async () => {
  const before = Date.now()
  const args = ['create', 'ci', '--scopes', 'grade,read', '--expires', '90d', '--max-requests-per-minute', '30']
  const shell = await keys(tempDatabase(), ...args, '-o', 'json')
  const key = JSON.parse(shell.output()) as Record<string, unknown>
  expect(key).toMatchObject({
    name: 'ci',
    scopes: ['grade', 'read'],
    max_requests_per_minute: 30,
    max_cost_usd_per_day: null,
    state: 'good',
    token: expect.stringMatching(TOKEN),
  })
  const days = (Date.parse(String(key['expires_at'])) - before) / 86_400_000
  expect(days).toBeGreaterThanOrEqual(90)
  expect(days).toBeLessThan(90.1)
})

test('list shows every key and no secret; revoke ends one while a service runs', async () => {
  const database = tempDatabase()
  const service = accessOf(database)
  const token = (await keys(database, 'create', 'first')).output().trim()
  await keys(database, 'create', 'second')
  const revoked = await keys(database, 'revoke', idOf(token))
  expect(revoked.code()).toBe(0)
  expect(revoked.errors()).toContain('batches that it began go on')
  expect(await service.authenticate(token)).toBeNull()

  const table = (await keys(database, 'list')).output()
  expect(table.split('\n')).toHaveLength(4)
  expect(table).toMatch(/first .* revoked/)
  expect(table).toMatch(/second .* good/)
  const lines = (await keys(database, 'list', '-o', 'json')).output()
  expect(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).state),
  ).toEqual(['revoked', 'good'])
  for (const text of [table, lines]) expect(text).not.toMatch(/vk_|sha256/)
})

test.each([
  ['list', []],
  ['revoke', ['key_0123456789abcdef']],
])('%s makes no database where there is none, and names it', async (command, args) => {
  const database = tempDatabase()
  const shell = await keys(database, command, ...args)
  expect(shell.code()).not.toBe(0)
  expect(shell.errors()).toContain(database)
  expect(existsSync(database)).toBe(false)
})

test('an empty list says what to do', async () => {
  const database = tempDatabase()
  await openSqliteStores({ path: database }).close()
  const shell = await keys(database, 'list')
  expect([shell.output(), shell.code()]).toEqual(['', 0])
  expect(shell.errors()).toContain('veridict keys create NAME')
})

test('what is no key cannot be revoked; a token in the place of an id is told apart, and not repeated', async () => {
  const database = tempDatabase()
  const token = (await keys(database, 'create', 'ci')).output().trim()
  for (const [id, hint] of [
    ['key_none', 'keys list'],
    [token, 'not the key itself'],
  ] as const) {
    const shell = await keys(database, 'revoke', id)
    expect(shell.code()).toBe(1)
    expect(shell.errors()).toContain(hint)
    expect(shell.errors()).not.toContain(token)
  }
})

test.each([
  ['--scopes', 'grade,everything'],
  ['--scopes', ''],
  ['--expires', '90'],
  ['--expires', '0d'],
  ['--max-requests-per-minute', '0'],
  ['--max-cost-usd-per-day', '-1'],
  ['--max-cost-usd-per-day', '1e300'],
])('%s "%s" is refused before anything is made', async (option, value) => {
  const database = tempDatabase()
  await expect(keys(database, 'create', 'ci', option, value)).rejects.toThrow(/is invalid/)
  expect(existsSync(database)).toBe(false)
})

test('a name that would act on a terminal is refused', async () => {
  const database = tempDatabase()
  const shell = await keys(database, 'create', '\u001b[2J')
  expect([shell.output(), shell.code()]).toEqual(['', 1])
  expect(shell.errors()).toContain('no key was made')
  expect(shell.errors()).not.toContain('\u001b')
})

test('times are hours, days or weeks, up to a century', () => {
  expect([parseDuration('12h'), parseDuration('1d'), parseDuration('2w')]).toEqual([
    43_200_000, 86_400_000, 1_209_600_000,
  ])
  for (const wrong of ['', 'd', '1', '1y', '1.5d', '-1d', '1 d', '999999w', '1d1h'])
    expect(() => parseDuration(wrong)).toThrow()
})
