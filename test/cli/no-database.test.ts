import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { cancelCommand } from '../../src/cli/cancel-command.ts'
import { judgesCommand, rubricsCommand } from '../../src/cli/catalogue-commands.ts'
import { compareCommand } from '../../src/cli/compare-command.ts'
import { regradeCommand } from '../../src/cli/regrade-command.ts'
import { resultsCommand } from '../../src/cli/results-command.ts'
import { resumeCommand } from '../../src/cli/resume-command.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { showCommand } from '../../src/cli/show-command.ts'
import { statusCommand } from '../../src/cli/status-command.ts'
import { startEmbedded } from '../../src/service.ts'
import { openSqliteStores } from '../../src/storage/sqlite.ts'
import { tempFolder } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

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
  const shell = testShell({ args, env, startEmbedded })
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

test.each(READERS)('%s makes no project, and names those that there are', async (_name, command, args) => {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  await openSqliteStores({ path: database }).close()
  await openSqliteStores({ path: join(folder, 'projects', 'evals.sqlite') }).close()
  const { code, err } = await run(command, args, { VERIDICT_DATABASE: database, VERIDICT_PROJECT: 'evlas' })
  expect(code).toBe(1)
  expect(err).toMatch(/there is no project evlas in .*\n {2}VERIDICT_PROJECT names it; there are: default, evals\.\n/)
  expect(existsSync(join(folder, 'projects', 'evlas.sqlite'))).toBe(false)
})

test('what is there is read', async () => {
  const folder = tempFolder()
  const database = join(folder, 'v.sqlite')
  await openSqliteStores({ path: database }).close()
  await openSqliteStores({ path: join(folder, 'projects', 'evals.sqlite') }).close()
  const { code, out } = await run(statusCommand, [], { VERIDICT_DATABASE: database, VERIDICT_PROJECT: 'evals' })
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
