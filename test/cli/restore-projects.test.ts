import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createKey, USUAL_SCOPES } from '../../src/access/keys.ts'
import { backupCommand } from '../../src/cli/commands/store/backup-command.ts'
import { restoreCommand } from '../../src/cli/commands/store/restore-command.ts'
import { projectFiles } from '../../src/storage/backup.ts'
import { projectPath } from '../../src/storage/project-files.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { tempFolder } from '../temp-folder.ts'
import { addGrade, healthyDatabase, tamper } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

/** A service with a key and two projects, and a folder for backups. */
async function makeService() {
  const folder = tempFolder()
  const main = join(folder, 'data', 'veridict.sqlite')
  for (const project of ['default', 'team-a', 'team-b']) await makeProject(main, project)
  const stores = openSqliteStores({ path: main, project: 'default' })
  const plan = { name: 'ci', project: 'team-a', scopes: USUAL_SCOPES }
  await createKey(stores.access, plan, new Date())
  await stores.close()
  const backups = join(folder, 'backups')
  mkdirSync(backups)
  const run = async (command: 'backup' | 'restore', ...args: string[]) => {
    const shell = testShell({ args, env: { VERIDICT_DATABASE: main } })
    const made = command === 'backup' ? backupCommand(shell) : restoreCommand(shell)
    await made.parseAsync(args, { from: 'user' })
    return { code: shell.code(), out: shell.output(), err: shell.errors() }
  }
  return { main, teamA: projectPath(main, 'team-a'), backups, run }
}

async function makeProject(main: string, project: string): Promise<void> {
  const path = projectPath(main, project)
  await healthyDatabase(path)
  await openSqliteStores({ path, project }).close()
}

function read(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).pluck().get()
  } finally {
    db.close()
  }
}

const projectOf = (path: string) => read(path, "SELECT CAST(value AS TEXT) FROM settings WHERE name = 'project'")
const keysOf = (path: string) => read(path, 'SELECT count(*) FROM api_keys')

const filesBeside = (main: string): string[] =>
  (readdirSync(join(main, '..'), { recursive: true }) as string[]).filter((name) => !/-(wal|shm)$/.test(name)).sort()

/** As a version left it that did not write the project down. */
const unmark = (path: string) => tamper(path, "DELETE FROM settings WHERE name = 'project'")

describe('a database says of which project it is', () => {
  test('and is not opened as another one', async () => {
    const { main, teamA } = await makeService()
    expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
    expect(() => openSqliteStores({ path: teamA, project: 'default' })).toThrow(
      /team-a\.sqlite is the database of project team-a, and is opened as the main database.*--as-project default/,
    )
    expect(() => openSqliteStores({ path: main, project: 'team-a' })).toThrow(
      /of project default.*as that of project team-a/,
    )
    expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
  })

  test('also one of an earlier version, from its next opening on, unless its place says another', async () => {
    const { main, teamA } = await makeService()
    for (const path of [main, teamA]) unmark(path)
    await openSqliteStores({ path: teamA, project: 'default' }).close()
    expect(projectOf(teamA)).toBeUndefined()
    await openSqliteStores({ path: teamA, project: 'team-a' }).close()
    await openSqliteStores({ path: main, project: 'default' }).close()
    expect([projectOf(main), projectOf(teamA)]).toEqual(['default', 'team-a'])
  })
})

describe('the backup of a project', () => {
  test('is refused in the place of the main database, which keeps its keys', async () => {
    const { main, teamA, backups, run } = await makeService()
    const copy = join(backups, 'renamed.sqlite')
    await run('backup', copy, '--database', teamA)
    const before = readFileSync(main)
    const { code, err } = await run('restore', copy)
    expect(code).toBe(1)
    expect(err).toMatch(/renamed\.sqlite is the database of project team-a, and .*veridict\.sqlite is that of default/)
    expect(err).toContain('--as-project team-a')
    expect(readFileSync(main).equals(before)).toBe(true)
    expect((await run('restore', copy, '--database', projectPath(main, 'team-b'))).code).toBe(1)
  })

  test('goes to its own place, by its name or by its file', async () => {
    const { main, teamA, backups, run } = await makeService()
    const copy = join(backups, 'copy.sqlite')
    await run('backup', copy, '--database', teamA)
    const stores = openSqliteStores({ path: teamA })
    await addGrade(stores, 90)
    await stores.close()
    expect((await run('restore', copy, '--as-project', 'team-a')).out).toContain('the database of project team-a')
    expect(read(teamA, 'SELECT count(*) FROM grades')).toBe(3)
    expect((await run('restore', copy, '--database', teamA)).code).toBe(0)
    expect(keysOf(main)).toBe(1)
  })

  test('becomes another project’s where that is said, and is opened as that one', async () => {
    const { main, teamA, backups, run } = await makeService()
    const copy = join(backups, 'copy.sqlite')
    await run('backup', copy, '--database', teamA)
    expect((await run('restore', copy, '--as-project', 'default')).out).toContain('1 of api_keys')
    expect([projectOf(main), projectOf(copy)]).toEqual(['default', 'team-a'])
    await openSqliteStores({ path: main, project: 'default' }).close()
  })

  test('makes a project only where that is said', async () => {
    const { main, teamA, backups, run } = await makeService()
    const copy = join(backups, 'copy.sqlite')
    await run('backup', copy, '--database', teamA)
    for (const args of [
      ['--as-project', 'team-c'],
      ['--database', projectPath(main, 'team-c')],
    ]) {
      const { code, err } = await run('restore', copy, ...args)
      expect([code, existsSync(projectPath(main, 'team-c'))]).toEqual([1, false])
      expect(err).toMatch(/no project team-c yet .*--new-project/)
    }
    expect((await run('restore', copy, '--as-project', 'team-c', '--new-project')).code).toBe(0)
    expect(projectOf(projectPath(main, 'team-c'))).toBe('team-c')
  })
})

describe('a backup that does not say of which project it is', () => {
  test('is told by its place', async () => {
    const { main, backups, run } = await makeService()
    await run('backup', '--all-projects', join(backups, 'all'))
    const copy = join(backups, 'all', 'projects', 'team-a.sqlite')
    unmark(copy)
    expect((await run('restore', copy)).err).toContain('is the database of project team-a')
    expect(keysOf(main)).toBe(1)
  })

  test('and has no keys where the main database has some, is refused', async () => {
    const { main, teamA, backups, run } = await makeService()
    const copy = join(backups, 'copy.sqlite')
    await run('backup', copy, '--database', teamA)
    unmark(copy)
    expect((await run('restore', copy)).err).toMatch(/has no keys, and .*veridict\.sqlite has 1.*--as-project default/)
    expect(keysOf(main)).toBe(1)
    expect((await run('restore', copy, '--as-project', 'default')).code).toBe(0)
    expect(keysOf(main)).toBe(0)
  })

  test('and has keys, is a main one, wherever it lies', async () => {
    const { main, teamA, backups, run } = await makeService()
    mkdirSync(join(backups, 'projects'))
    const copy = join(backups, 'projects', 'team-a.sqlite')
    await run('backup', copy, '--database', main)
    unmark(copy)
    expect((await run('restore', copy, '--database', teamA)).err).toContain('is the database of project default')
    expect((await run('restore', copy)).code).toBe(0)
  })
})

describe('all projects', () => {
  test('a backup of one file says which are not in it', async () => {
    const { backups, run } = await makeService()
    const { code, err } = await run('backup', join(backups, 'one.sqlite'))
    expect([code, err]).toEqual([
      0,
      'not in it: what other projects have graded (team-a, team-b); `veridict backup --all-projects FOLDER` copies all\n',
    ])
    expect((await run('backup', '--all-projects', join(backups, 'all'))).err).toBe('')
  })

  test('are restored to an empty place, and to a database of another name', async () => {
    const { main, backups, run } = await makeService()
    const all = join(backups, 'all')
    await run('backup', '--all-projects', all)
    renameSync(join(all, 'veridict.sqlite'), join(all, 'other-name.sqlite'))
    rmSync(join(main, '..'), { recursive: true })
    mkdirSync(join(main, '..'))
    const { code, out } = await run('restore', '--all-projects', all)
    expect(code).toBe(0)
    expect(out.match(/checked$/gm)).toHaveLength(3)
    expect(projectFiles(main).map((path) => [basename(path), projectOf(path)])).toEqual([
      ['team-a.sqlite', 'team-a'],
      ['team-b.sqlite', 'team-b'],
    ])
    expect([projectOf(main), keysOf(main)]).toEqual(['default', 1])
  })

  test('are all checked before the first is replaced', async () => {
    const { main, backups, run } = await makeService()
    const all = join(backups, 'all')
    await run('backup', '--all-projects', all)
    const last = join(all, 'projects', 'team-b.sqlite')
    const bytes = readFileSync(last)
    bytes.fill(0, 4096 * 4, 4096 * 12)
    writeFileSync(last, bytes)
    const before = filesBeside(main)
    const { code, out, err } = await run('restore', '--all-projects', all)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('team-b.sqlite')
    expect(filesBeside(main)).toEqual(before)
  })

  test('one that is in use keeps all of them as they are; one that has no backup stays, and is named', async () => {
    const { main, teamA, backups, run } = await makeService()
    const all = join(backups, 'all')
    await run('backup', '--all-projects', all)
    const stores = openSqliteStores({ path: teamA })
    expect((await run('restore', '--all-projects', all)).err).toContain('in use by a living process')
    expect(readdirSync(join(main, '..')).some((name) => name.includes('before-restore'))).toBe(false)
    await stores.close()
    rmSync(join(all, 'projects', 'team-b.sqlite'))
    const { code, err } = await run('restore', '--all-projects', all)
    expect([code, err]).toEqual([
      0,
      `${projectPath(main, 'team-b')}: no backup of it is in ${all}; it stays as it is\n`,
    ])
  })

  test.each([
    ['a folder that is not there', 'none', 'there is no folder'],
    ['a folder without a main database', 'empty', 'has no veridict.sqlite'],
  ])('%s is refused', async (_what, name, said) => {
    const { backups, run } = await makeService()
    mkdirSync(join(backups, 'empty'))
    const { code, err } = await run('restore', '--all-projects', join(backups, name))
    expect(code).toBe(1)
    expect(err).toContain(said)
    expect((await run('restore', backups)).err).toContain('--all-projects restores a folder')
  })
})

describe('where a backup may go', () => {
  test('not into a folder that is not there: its disk may not be mounted', async () => {
    const { backups, run } = await makeService()
    for (const args of [[join(backups, 'none', 'x.sqlite')], ['--all-projects', join(backups, 'none', 'today')]])
      expect((await run('backup', ...args)).err).toMatch(/there is no folder .*none\n.*mounted/)
    expect(readdirSync(backups)).toEqual([])
  })

  test('what the system refuses is told in words, with the file', async () => {
    const { backups, run } = await makeService()
    const long = join(backups, `${'x'.repeat(300)}.sqlite`)
    await run('backup', join(backups, 'a.sqlite'))
    for (const [command, args] of [
      ['backup', [long]],
      ['backup', [join(backups, 'c.sqlite'), '--database', long]],
      ['restore', [long]],
      ['restore', [join(backups, 'a.sqlite'), '--database', long]],
    ] as const) {
      const { code, err } = await run(command, ...args)
      expect([code, err.includes(long)]).toEqual([1, true])
      expect(err).toMatch(/the name is too long/)
      expect(err).not.toMatch(/E[A-Z]{4,}|SQLITE_/)
    }
    const folder = await run('backup', join(backups, 'b.sqlite'), '--database', backups)
    expect([folder.code, folder.err]).toEqual([
      1,
      expect.stringContaining(`${backups} is a folder\n  Name the file in it.`),
    ])
  })

  test('--force replaces databases of Veridict, and what is left of their copies, alone', async () => {
    const { teamA, backups, run } = await makeService()
    const file = join(backups, 'file')
    for (const [content, replaced] of [
      [Buffer.from('a letter'), false],
      [Buffer.alloc(0), true],
      [readFileSync(teamA).subarray(0, 3 * 4096), true],
      [Buffer.from('SQL'), true],
    ] as const) {
      writeFileSync(file, content)
      const { code, err } = await run('backup', file, '--force')
      expect([code, readFileSync(file).equals(content)]).toEqual(replaced ? [0, false] : [1, true])
      if (!replaced) expect(err).toContain('is no database of Veridict, and is not replaced')
    }
    rmSync(file)
    const other = new Database(file)
    other.exec('CREATE TABLE notes (text TEXT)')
    other.close()
    expect((await run('backup', file, '--force')).code).toBe(1)
    expect(read(file, 'SELECT count(*) FROM notes')).toBe(0)
  })
})
