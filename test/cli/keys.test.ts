import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { createAccess } from '../../src/access/access.ts'
import { parseDuration } from '../../src/cli/commands/operator-commands.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { makeCommand, testShell } from './test-shell.ts'

const TOKEN = /^vk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/

/** Runs `veridict keys …` on a file; commander’s own complaints are thrown. */
async function keys(database: string, ...args: string[]) {
  const shell = testShell({ env: { VERIDICT_DATABASE: database } })
  const program = new Command('veridict').exitOverride().configureOutput({ writeErr: () => undefined })
  const command = (await makeCommand('keys', shell)).copyInheritedSettings(program)
  for (const one of command.commands) one.copyInheritedSettings(program)
  await program.addCommand(command).parseAsync(['keys', ...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

/** What a service on the file makes of a token. */
function accessOf(database: string) {
  const stores = openSqliteStores({ path: database })
  onTestFinished(() => stores.close())
  return createAccess({ store: stores.access, required: true, session_secret: 'x', now: () => new Date() })
}

const idOf = (token: string): string => `key_${token.split('_')[1]}`
const create = async (database: string, name: string) => (await keys(database, 'create', name)).out.trim()

test('create prints the token and nothing else on stdout; a service that runs takes it at once', async () => {
  const database = tempDatabase()
  const service = accessOf(database)
  const { code, out, err } = await keys(database, 'create', 'night run', '--max-cost-usd-per-day', '2.5')
  const token = out.trim()
  expect([code, out, token]).toEqual([0, `${token}\n`, expect.stringMatching(TOKEN)])
  expect(err).not.toContain(token)
  for (const said of [': may grade, read, review', 'shown this once']) expect(err).toContain(said)
  const key = { key_id: idOf(token), name: 'night run', max_cost_usd_per_day: 2.5, max_requests_per_minute: null }
  expect(await service.authenticate(token)).toMatchObject(key)
})

test('create --json is one object, with every option in it', async () => {
  const before = Date.now()
  const args = ['create', 'ci', '--scopes', 'grade,read', '--expires', '90d', '--max-requests-per-minute', '30']
  const key = JSON.parse((await keys(tempDatabase(), ...args, '--json')).out).data as Record<string, unknown>
  const limits = { max_requests_per_minute: 30, max_cost_usd_per_day: null }
  const token = expect.stringMatching(TOKEN)
  expect(key).toMatchObject({ name: 'ci', scopes: ['grade', 'read'], state: 'good', token, ...limits })
  const days = (Date.parse(String(key['expires_at'])) - before) / 86_400_000
  expect(Math.floor(days * 10)).toBe(900)
})

test('list shows every key and no secret; revoke ends one while a service runs', async () => {
  const database = tempDatabase()
  const service = accessOf(database)
  const token = await create(database, 'first')
  await create(database, 'second')
  const revoked = await keys(database, 'revoke', idOf(token))
  expect([revoked.code, revoked.err]).toEqual([0, expect.stringContaining('batches that it began go on')])
  expect(await service.authenticate(token)).toBeNull()
  const table = (await keys(database, 'list')).out
  expect(table).toMatch(/^.*\n.*first .* revoked.*\n.*second .* good.*\n$/)
  const json = (await keys(database, 'list', '--json')).out
  expect(JSON.parse(json).data.map(({ state }: { state: string }) => state)).toEqual(['revoked', 'good'])
  for (const text of [table, json]) expect(text).not.toMatch(/vk_|sha256/)
})

test.each([
  ['list', []],
  ['revoke', ['key_0123456789abcdef']],
])('%s makes no database where there is none, and names it', async (command, args) => {
  const database = tempDatabase()
  expect(await keys(database, command, ...args)).toMatchObject({ code: 1, err: expect.stringContaining(database) })
  expect(existsSync(database)).toBe(false)
})

test('an empty list says what to do', async () => {
  const database = tempDatabase()
  await openSqliteStores({ path: database }).close()
  const err = expect.stringContaining('veridict keys create NAME')
  expect(await keys(database, 'list')).toEqual({ code: 0, out: '', err })
})

test('what is no key cannot be revoked; a token in the place of an id is told apart, and not repeated', async () => {
  const database = tempDatabase()
  const token = await create(database, 'ci')
  for (const [id, hint] of [
    ['key_none', 'keys list'],
    [token, 'not the key itself'],
  ] as const) {
    const { code, err } = await keys(database, 'revoke', id)
    expect([code, err, err.includes(token)]).toEqual([1, expect.stringContaining(hint), false])
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
  const { code, out, err } = await keys(tempDatabase(), 'create', '\u001b[2J')
  expect([out, code, err.includes('\u001b')]).toEqual(['', 1, false])
  expect(err).toContain('no key was made')
})

test('times are hours, days or weeks, up to a century', () => {
  const times = ['12h', '1d', '2w'].map(parseDuration)
  expect(times).toEqual([43_200_000, 86_400_000, 1_209_600_000])
  for (const wrong of ['', 'd', '1', '1y', '1.5d', '-1d', '1 d', '999999w', '1d1h'])
    expect(() => parseDuration(wrong)).toThrow()
})
