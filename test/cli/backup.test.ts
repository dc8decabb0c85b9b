import { chownSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupCommand } from '../../src/cli/commands/store/backup-command.ts'
import { restoreCommand } from '../../src/cli/commands/store/restore-command.ts'
import { backUpDatabase } from '../../src/storage/backup.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { addGrade, examine, healthyDatabase, makeDatabase, tamper, troubles } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

async function run(command: 'backup' | 'restore', args: readonly string[]) {
  const shell = testShell({ args })
  const made = command === 'backup' ? backupCommand(shell) : restoreCommand(shell)
  await made.parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

const countGrades = (path: string): number => {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM grades').pluck().get() as number
  } finally {
    db.close()
  }
}

describe('a backup', () => {
  test('says what is not in it where large data lies outside', async () => {
    const { path, copy } = await makeDatabase()
    tamper(path, "INSERT INTO blob_places (place, since) VALUES ('s3://lab/veridict', '2026-11-21T00:00:00.000Z')")
    expect((await run('backup', [copy, '--database', path])).err).toContain('VERIDICT_BLOBS')
  })

  test('is one file, whole, its owner’s alone, and in use by nobody', async () => {
    const { folder, path, copy } = await makeDatabase()
    const stores = openSqliteStores({ path })
    onTestFinished(() => stores.close())
    await addGrade(stores, 50)
    expect(await run('backup', [copy, '--database', path])).toEqual({
      code: 0,
      out: `${copy}: ${statSync(copy).size} bytes, 4 grades, 4 trajectories, 1 batch, 0 reviews, 1 judge call; checked\n`,
      err: '',
    })
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite'])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    const findings = await examine(copy, true)
    expect(troubles(findings)).toEqual([])
    expect(findings.find(({ check }) => check === 'processes')?.found).toBe('0 processes in use of this file')
  })

  test('is one state of a database that is written to meanwhile, and ends', async () => {
    const { path, copy } = await makeDatabase()
    const stores = openSqliteStores({ path })
    onTestFinished(() => stores.close())
    for (let n = 0; n < 200; n++) await addGrade(stores, 100 + n)
    const before = countGrades(path)
    const writer = new Database(path)
    onTestFinished(() => void writer.close())
    const insert = writer.prepare('INSERT INTO settings VALUES (?, zeroblob(5000))')
    const steps: number[] = []
    let written = 0
    await backUpDatabase({
      from: path,
      to: copy,
      replace: false,
      // A write by another connection between any two steps: without a held reading, each would begin the copy anew.
      onProgress({ step, done }) {
        if (step !== 'copy') return
        steps.push(done)
        if (written < 1000) insert.run(`row ${written++}`)
      },
    })
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(written).toBeGreaterThan(0)
    expect(countGrades(copy)).toBe(before)
    const db = new Database(copy, { readonly: true })
    onTestFinished(() => void db.close())
    expect(db.prepare("SELECT count(*) FROM settings WHERE name LIKE 'row %'").pluck().get()).toBe(0)
  })

  test('replaces nothing unless it is told to, and what it would have replaced stays as it was', async () => {
    const { path, copy } = await makeDatabase()
    await healthyDatabase(copy)
    await run('backup', [copy, '--database', path])
    const other = openSqliteStores({ path: copy })
    await addGrade(other, 70)
    await other.close()
    expect(await run('backup', [copy, '--database', path])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there already'),
    })
    expect(countGrades(copy)).toBe(4)
    expect((await run('backup', [copy, '--database', path, '--force'])).code).toBe(0)
    expect(countGrades(copy)).toBe(3)
  })

  test('of a damaged database is refused, and nothing is left of it', async () => {
    const { folder, path, copy } = await makeDatabase()
    const bytes = readFileSync(path)
    bytes.fill(0, 4096 * 4, 4096 * 12)
    writeFileSync(path, bytes)
    const before = readdirSync(folder)
    expect((await run('backup', [copy, '--database', path])).code).toBe(1)
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
  })

  test('of a newer database, of none, onto itself, into no folder: refused', async () => {
    const { folder, path, copy } = await makeDatabase()
    expect((await run('backup', [path, '--database', path, '--force'])).code).toBe(1)
    expect((await run('backup', [copy, '--database', join(folder, 'none.sqlite')])).code).toBe(1)
    expect((await run('backup', [join(path, 'below'), '--database', path])).code).toBe(1)
    tamper(path, "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')")
    expect((await run('backup', [copy, '--database', path])).err).toMatch(
      /newer than this version.*use a newer version/,
    )
    expect(existsSync(copy)).toBe(false)
    expect(countGrades(path)).toBe(3)
  })

  test('of all projects is laid out as they are', async () => {
    const { folder, path } = await makeDatabase()
    await healthyDatabase(join(folder, 'projects', 'team-a.sqlite'))
    const target = join(folder, 'today')
    const { code, out } = await run('backup', ['--all-projects', target, '--database', path])
    expect([code, out.split('\n').length]).toEqual([0, 3])
    expect(readdirSync(target, { recursive: true }).sort()).toEqual([
      'projects',
      'projects/team-a.sqlite',
      'veridict.sqlite',
    ])
    expect((await run('backup', ['--all-projects', target, '--database', path])).code).toBe(1)
  })
})

describe('a restore', () => {
  test('takes the place of the database and keeps it; what is lost is told', async () => {
    const { folder, path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    const stores = openSqliteStores({ path })
    await addGrade(stores, 60)
    await addGrade(stores, 61)
    await stores.close()
    tamper(
      path,
      `INSERT INTO provider_batches (id, judge, batch, status, provider_id, requests, recorded_at)
       VALUES ('sub_1', 'openai', 'bat_done', 'submitted', 'batch_abc', 2, 'now')`,
    )
    const { code, out } = await run('restore', [copy, '--database', path])
    expect([code, countGrades(path)]).toEqual([0, 3])
    expect(out).toContain('2 of grades')
    expect(out).toMatch(/At a provider, and unknown to the backup: batch_abc\. Cancel them there/)
    const aside = /is kept: (.*)$/m.exec(out)?.[1] ?? ''
    expect(aside).toMatch(/\.before-restore-\d{8}T\d{6}Z$/)
    expect(countGrades(aside)).toBe(5)
    expect(troubles(await examine(path, true))).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('veridict.sqlite-'))).not.toContain('restoring')
    // And back again.
    expect((await run('restore', [aside, '--database', path])).code).toBe(0)
    expect(countGrades(path)).toBe(5)
  })

  test.skipIf(process.getuid?.() !== 0)('by root belongs to whom the database belonged to', async () => {
    const { path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    chownSync(path, 65534, 65534)
    expect((await run('restore', [copy, '--database', path])).code).toBe(0)
    const { uid, gid, mode } = statSync(path)
    expect([uid, gid, mode & 0o777]).toEqual([65534, 65534, 0o600])
  })

  test('to where nothing is', async () => {
    const { folder, path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    // The log of a file that is gone would be taken for the new one’s.
    writeFileSync(join(folder, 'new.sqlite-wal'), 'an old log')
    const { code, out } = await run('restore', [copy, '--database', join(folder, 'new.sqlite')])
    expect([code, out.includes('is kept')]).toEqual([0, false])
    expect(countGrades(join(folder, 'new.sqlite'))).toBe(3)
    expect(readdirSync(folder).filter((name) => name.includes('before-restore') && name.endsWith('-wal'))).toHaveLength(
      1,
    )
  })

  test('is refused while a service, or a mere reader, has the database open', async () => {
    const { path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    const stores = openSqliteStores({ path })
    await addGrade(stores, 70)
    expect((await run('restore', [copy, '--database', path])).err).toContain('in use by a living process')
    await stores.close()
    const reader = new Database(path, { readonly: true })
    reader.prepare('SELECT 1 FROM grades').get()
    expect((await run('restore', [copy, '--database', path])).err).toContain('in use by a living process')
    reader.close()
    expect(countGrades(path)).toBe(4)
    expect((await run('restore', [copy, '--database', path])).code).toBe(0)
    expect(countGrades(path)).toBe(3)
  })

  test('of a damaged backup is refused, and the database stays as it was', async () => {
    const { folder, path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    truncateSync(copy, 20_000)
    const before = readFileSync(path)
    expect((await run('restore', [copy, '--database', path])).code).toBe(1)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(folder).some((name) => name.includes('restor'))).toBe(false)
  })

  test('over a database that is damaged: its log goes aside too, and is not taken for the new one’s', async () => {
    const { path, copy } = await makeDatabase()
    await run('backup', [copy, '--database', path])
    writeFileSync(path, 'no database any more'.repeat(500))
    writeFileSync(`${path}-wal`, 'an old log')
    const { code, out } = await run('restore', [copy, '--database', path])
    expect(code).toBe(0)
    expect(out).toContain('It could not be read')
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(countGrades(path)).toBe(3)
  })
})
