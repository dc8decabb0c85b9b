import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { doctorCommand } from '../../src/cli/commands/store/doctor-command.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../temp-folder.ts'
import { addGrade, examine, healthyDatabase, tamper, troubles } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

async function doctor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const shell = testShell({ args, env })
  await doctorCommand(shell).parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

async function makeHealthy(): Promise<string> {
  const path = join(tempFolder(), 'veridict.sqlite')
  await healthyDatabase(path)
  return path
}

describe('the command', () => {
  test('prints each finding with its next step, and exits by the worst', async () => {
    const path = await makeHealthy()
    expect((await doctor(['--database', path])).code).toBe(0)

    tamper(
      path,
      "INSERT INTO batches (id, kind, mode, status, created_at) VALUES ('bat_x', 'grade', 'direct', 'running', 'now')",
    )
    const warned = await doctor([], { VERIDICT_DATABASE: path })
    expect(warned.code).toBe(2)
    expect(warned.out).toMatch(/warning {2}batches +1 unfinished batch; no process runs batches\n +Nothing is lost.*\n/)

    tamper(path, "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')")
    expect(await doctor(['--database', path])).toMatchObject({ code: 3, out: expect.stringContaining('9999_future') })
  })

  test('makes nothing where nothing is', async () => {
    const path = join(tempFolder(), 'none.sqlite')
    expect(await doctor(['--database', path])).toMatchObject({ code: 1, out: '', err: expect.stringContaining(path) })
    expect(existsSync(path)).toBe(false)
    expect((await doctor(['--database', ':memory:'])).code).toBe(1)
  })
})

test('beside a service that writes, and without a word about what it has in the making', async () => {
  const path = join(tempFolder(), 'veridict.sqlite')
  await healthyDatabase(path)
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  const writing = (async () => {
    for (let n = 100; n < 160; n++) await addGrade(stores, n)
  })()
  const findings = examine(path)
  await writing
  expect(troubles(findings)).toEqual([])
  expect(findings.find(({ check }) => check === 'batches')?.found).toBe('0 unfinished batches; no process runs batches')
})

test('a copy of the file alone', async () => {
  const folder = tempFolder()
  const path = join(folder, 'veridict.sqlite')
  await healthyDatabase(path)
  mkdirSync(join(folder, 'copy'))
  const copy = join(folder, 'copy', 'copy.sqlite')
  copyFileSync(path, copy)
  expect(troubles(examine(copy))).toEqual([])
})
