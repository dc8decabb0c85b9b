import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { backupCommand } from '../../src/cli/commands/store/backup-command.ts'
import { backUpDatabase } from '../../src/storage/backup.ts'
import { restoreDatabase } from '../../src/storage/restore.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { addGrade, examine, healthyDatabase, makeDatabase, troubles } from './doctor-database.ts'
import { testShell } from './test-shell.ts'

/** What has the name already. */

/** As a service that was killed leaves it: rows in a log that nobody has written back. */
async function leaveLog(path: string): Promise<void> {
  const stores = openSqliteStores({ path })
  for (let n = 0; n < 30; n++) await addGrade(stores, 500 + n)
  const log = readFileSync(`${path}-wal`)
  const file = readFileSync(path)
  await stores.close()
  writeFileSync(path, file)
  writeFileSync(`${path}-wal`, log)
  const db = new Database(path)
  db.exec('DELETE FROM processes')
  const again = readFileSync(`${path}-wal`)
  db.close()
  writeFileSync(path, file)
  writeFileSync(`${path}-wal`, again)
}

test('a copy in the place of a database with a log is the copy, not a mixture of both', async () => {
  const { path, copy } = await makeDatabase()
  await backUpDatabase({ from: path, to: copy, replace: false })
  await leaveLog(copy)
  await backUpDatabase({ from: path, to: copy, replace: true })
  expect(existsSync(`${copy}-wal`)).toBe(false)
  expect(troubles(await examine(copy, true))).toEqual([])
})

test('a database that somebody uses is not replaced, and no name of a log is taken', async () => {
  const { path, copy } = await makeDatabase()
  const stores = openSqliteStores({ path: copy })
  onTestFinished(() => stores.close())
  await addGrade(stores, 1)
  await expect(backUpDatabase({ from: path, to: copy, replace: true })).rejects.toThrow('in use')
  await expect(backUpDatabase({ from: path, to: `${copy}-wal`, replace: true })).rejects.toThrow('log of a database')
})

test('a folder is neither replaced nor put aside', async () => {
  const { folder, path, copy } = await makeDatabase()
  await backUpDatabase({ from: path, to: copy, replace: false })
  const data = join(folder, 'data')
  mkdirSync(data)
  await expect(backUpDatabase({ from: path, to: data, replace: true })).rejects.toThrow('no file')
  await expect(restoreDatabase({ from: copy, to: data, now: new Date() })).rejects.toThrow('no file')
  expect(lstatSync(data).isDirectory()).toBe(true)
})

test('a link stays a link: what it names is restored', async () => {
  const { folder, path, copy } = await makeDatabase()
  await backUpDatabase({ from: path, to: copy, replace: false })
  const link = join(folder, 'link.sqlite')
  symlinkSync(path, link)
  const { aside } = await restoreDatabase({ from: copy, to: link, now: new Date() })
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(aside).toContain(`${path}.before-restore-`)
})

test('a damaged project keeps nobody from a backup of the others', async () => {
  const { folder, path } = await makeDatabase()
  mkdirSync(join(folder, 'projects'))
  writeFileSync(join(folder, 'projects', 'a.sqlite'), 'no database')
  await healthyDatabase(join(folder, 'projects', 'b.sqlite'))
  const all = join(folder, 'all')
  const shell = testShell({ args: [] })
  const command = backupCommand(shell)
  await command.parseAsync([all, '--all-projects', '--database', path], { from: 'user' })
  expect(shell.code()).toBe(1)
  expect(shell.errors()).toMatch(/a\.sqlite: not backed up/)
  expect(existsSync(join(all, 'projects', 'b.sqlite'))).toBe(true)
})
