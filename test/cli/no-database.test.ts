import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { judgesCommand, rubricsCommand } from '../../src/cli/commands/catalogue-commands.ts'
import { compareCommand } from '../../src/cli/commands/compare-command.ts'
import { regradeCommand } from '../../src/cli/commands/regrade-command.ts'
import { resultsCommand } from '../../src/cli/commands/results-command.ts'
import { cancelCommand, resumeCommand } from '../../src/cli/commands/resume-commands.ts'
import { showCommand } from '../../src/cli/commands/show-command.ts'
import { statusCommand } from '../../src/cli/commands/status-command.ts'
import { openLocal } from '../../src/cli/database.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { migrateSqlite, postgresMigrations, sqliteMigrations } from '../../src/db/open/migrate.ts'
import { connectPostgres } from '../../src/db/open/postgres.ts'
import { migratePostgres } from '../../src/db/open/postgres-schema.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { SETTINGS } from '../storage/postgres-settings.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { tempFolder } from '../temp-folder.ts'
import { testShell, trial } from './test-shell.ts'

/** Made by a mistyped name, an empty database would answer that there is nothing. */
const READERS: readonly (readonly [string, (shell: Shell) => Command, readonly string[]])[] = [
  ['status', statusCommand, []],
  ['results', resultsCommand, ['bat_01']],
  ['show', showCommand, ['grd_01']],
  ['compare', compareCommand, ['bat_01']],
  ['cancel', cancelCommand, ['bat_01']],
  ['resume', resumeCommand, ['bat_01']],
  ['regrade', regradeCommand, ['--batch', 'bat_01', '--recheck']],
]

async function run(command: (shell: Shell) => Command, args: readonly string[], env: NodeJS.ProcessEnv) {
  const shell = testShell({ args, env, openLocal })
  await command(shell).parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

test.each(READERS)('%s makes no database, and names the variable', async (_name, command, args) => {
  const folder = tempFolder()
  const database = join(folder, 'data', 'v.sqlite')
  const { code, err } = await run(command, args, { VERIDICT_DATABASE: database })
  expect([code, readdirSync(folder)]).toEqual([1, []])
  expect(err).toMatch(/^veridict: there is no database .*v\.sqlite\n {2}VERIDICT_DATABASE names/)
})

test('batch --dry-run makes no database, and says what grading would take', async () => {
  const folder = tempFolder()
  const dryRun = async () => {
    const database = { VERIDICT_DATABASE: join(folder, 'data', 'v.sqlite') }
    const shell = testShell({ env: database, openLocal, trials: () => [trial('a')] })
    await batchCommand(shell).parseAsync(['a', '--dry-run'], { from: 'user' })
    return [shell.code(), shell.output().split(':')[0], readdirSync(folder)]
  }
  expect(await dryRun()).toEqual([0, '1 item', []])
  mkdirSync(join(folder, 'data'))
  await openSqliteStores({ path: join(folder, 'data', 'v.sqlite') }).close()
  expect(await dryRun()).toEqual([0, '1 item', ['data']])
  expect(readdirSync(join(folder, 'data'))).toEqual(['v.sqlite'])
})

test('a dry run leaves a database of an older version as it is', async () => {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  const old = new Database(database)
  onTestFinished(() => void old.close())
  migrateSqlite(old, sqliteMigrations().slice(0, 3))
  const schema = () => old.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all()
  const before = schema()
  const shell = testShell({ env: { VERIDICT_DATABASE: database }, openLocal, trials: () => [trial('a')] })
  await batchCommand(shell).parseAsync(['a', '--dry-run'], { from: 'user' })
  expect([shell.code(), shell.output().split(':')[0]]).toEqual([0, '1 item'])
  const regrade = await run(regradeCommand, ['--label', 'aligned', '--samples', '3', '--dry-run'], {
    VERIDICT_DATABASE: database,
  })
  expect([regrade.code, regrade.err]).toEqual([1, expect.stringContaining('a dry run does not migrate it')])
  expect(schema()).toEqual(before)
  await run(statusCommand, [], { VERIDICT_DATABASE: database })
  expect(schema()).not.toEqual(before)
})

describePostgres('a dry run on PostgreSQL', (tools) => {
  test('makes no schema, and migrates none', async () => {
    const { server } = tools()
    const env = { VERIDICT_DATABASE_URL: server.url }
    const dryRun = async () => {
      const shell = testShell({ env, openLocal, trials: () => [trial('a')] })
      await batchCommand(shell).parseAsync(['a', '--dry-run'], { from: 'user' })
      return [shell.code(), shell.output().split(':')[0]]
    }
    const schemas = () => server.query("SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, 'veridict')")
    const applied = () => server.query('SELECT name FROM veridict.schema_migrations ORDER BY name')
    expect(await dryRun()).toEqual([0, '1 item'])
    expect(await schemas()).toEqual([])
    const db = connectPostgres(server.url, SETTINGS, 'veridict')
    await migratePostgres(db, 'veridict', postgresMigrations().slice(0, 2))
    await db.close()
    expect(await dryRun()).toEqual([0, '1 item'])
    expect(await applied()).toHaveLength(2)
    await (await openLocal(env)).close()
    const all = await applied()
    expect(await dryRun()).toEqual([0, '1 item'])
    expect([await applied(), await schemas()]).toEqual([all, [{ nspname: 'veridict' }]])
  }, 60_000)
})

test('what is there is read', async () => {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  await openSqliteStores({ path: database }).close()
  const { code, out } = await run(statusCommand, [], { VERIDICT_DATABASE: database })
  expect([code, out.split('\n').length]).toEqual([0, 2])
})

test.each([
  ['judges', judgesCommand, 'lexical'],
  ['rubrics', rubricsCommand, 'tab-behavior@1'],
] as const)('%s needs no database', async (_name, command, said) => {
  const folder = tempFolder()
  const { code, out } = await run(command, [], { VERIDICT_DATABASE: join(folder, 'data', 'v.sqlite') })
  expect([code, readdirSync(folder)]).toEqual([0, []])
  expect(out).toContain(said)
})
