import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { doctorCommand } from '../../src/cli/commands/store/doctor-command.ts'
import { judgeLog, judgeMode, judgeSpace } from '../../src/storage/examine/examine-file.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { tempFolder } from '../temp-folder.ts'
import { addGrade, examine, healthyDatabase, tamper, troubles } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

async function doctor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const shell = testShell({ args, env })
  await doctorCommand(shell).parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

/** A healthy main database, and one of another project that is not. */
async function twoProjects() {
  const folder = tempFolder()
  const [main, other] = [join(folder, 'veridict.sqlite'), join(folder, 'projects', 'team-a.sqlite')]
  for (const path of [main, other]) {
    await healthyDatabase(path)
    chmodSync(path, 0o600)
  }
  return { main, other }
}

describe('the command', () => {
  test('says every finding with its meaning, for the files of all projects, and exits by the worst', async () => {
    const { main, other } = await twoProjects()
    expect((await doctor(['--database', main])).code).toBe(0)

    tamper(
      other,
      "INSERT INTO batches (id, kind, mode, status, created_at) VALUES ('bat_x', 'grade', 'direct', 'running', 'now')",
    )
    const warned = await doctor([], { VERIDICT_DATABASE: main })
    expect(warned.code).toBe(2)
    expect(warned.out.indexOf(other)).toBeGreaterThan(warned.out.indexOf(main))
    expect(warned.out).toMatch(
      /warning {2}batches +1 batch that no process runs\n.*Nothing is lost.*\n.*→ Start the service.*\n +bat_x\n/,
    )
    expect(warned.out).toMatch(/\n\d+ ok, 0 note, 1 warning, 0 error\n$/)

    tamper(other, 'DELETE FROM grades')
    const failed = await doctor(['--database', main, '-o', 'json'])
    expect(failed.code).toBe(3)
    const told = JSON.parse(failed.out) as { worst: string; databases: { database: string; worst: string }[] }
    expect(told.worst).toBe('error')
    expect(told.databases.map(({ database, worst }) => [database, worst])).toEqual([
      [main, 'ok'],
      [other, 'error'],
    ])
  })

  test('makes nothing where nothing is', async () => {
    const path = join(tempFolder(), 'none.sqlite')
    expect(await doctor(['--database', path])).toMatchObject({ code: 1, out: '', err: expect.stringContaining(path) })
    expect(existsSync(path)).toBe(false)
    expect((await doctor(['--database', ':memory:'])).code).toBe(1)
  })

  test('an id that would act on a terminal is shown escaped', async () => {
    const { main } = await twoProjects()
    tamper(
      main,
      "INSERT INTO batches (id, kind, mode, status, created_at) VALUES (char(27) || '[2Jx', 'grade', 'direct', 'running', 'now')",
    )
    const { out } = await doctor(['--database', main])
    expect(out).toContain('[2Jx')
    expect(out).not.toContain('\u001b')
  })
})

test('beside a service that writes, and without a word about what it has in the making', async () => {
  const path = join(tempFolder(), 'veridict.sqlite')
  await healthyDatabase(path)
  chmodSync(path, 0o600)
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  const writing = (async () => {
    for (let n = 100; n < 160; n++) await addGrade(stores, n)
  })()
  const findings = await examine(path, true)
  await writing
  expect(troubles(findings)).toEqual([])
  expect(findings.find(({ check }) => check === 'processes')?.found).toBe('1 process in use of this file')
})

test('a copy of the file alone', async () => {
  const folder = tempFolder()
  const path = join(folder, 'veridict.sqlite')
  await healthyDatabase(path)
  mkdirSync(join(folder, 'copy'))
  const copy = join(folder, 'copy', 'copy.sqlite')
  copyFileSync(path, copy)
  chmodSync(copy, 0o600)
  expect(troubles(await examine(copy, true))).toEqual([])
})

describe('the file', () => {
  test('warns of a log that was not written back', () => {
    expect(judgeLog(64 * 1024 ** 2).severity).toBe('ok')
    expect(judgeLog(65 * 1024 ** 2).severity).toBe('warning')
  })

  test.each([
    [0o100600, true, 'ok'],
    [0o100640, true, 'ok'],
    [0o100644, false, 'note'],
    [0o100644, true, 'warning'],
    [0o100666, false, 'warning'],
  ] as const)('of mode %o with keys %s: %s', (mode, keys, severity) => {
    expect(judgeMode(mode, keys).severity).toBe(severity)
  })

  const GIB = 1024 ** 3
  test.each([
    [100 * GIB, GIB, 0, 'ok'],
    [GIB / 2, GIB, 0, 'note'],
    [GIB / 8, GIB / 16, 0, 'warning'],
    [GIB / 2, GIB / 16, GIB / 2, 'warning'],
  ] as const)('%d bytes free, %d in the file, %d in the log: %s', (free, size, wal, severity) => {
    expect(judgeSpace({ free, size, wal }).severity).toBe(severity)
  })

  test('with keys in it, and readable by everybody', async () => {
    const path = join(tempFolder(), 'veridict.sqlite')
    await healthyDatabase(path)
    chmodSync(path, 0o644)
    expect(troubles(await examine(path))).toEqual([expect.stringMatching(/^note permissions: /)])
    tamper(
      path,
      `INSERT INTO api_keys (id, secret_sha256, name, project, scopes, created_at)
       VALUES ('key_1', zeroblob(32), 'a', 'default', '[]', 'now')`,
    )
    expect(troubles(await examine(path))).toEqual([expect.stringMatching(/^warning permissions: .*mode 644/)])
  })
})
