import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import { addGrade, examine, makeDatabase, tamper, troubles } from './doctor-database.ts'
import { typed } from './test-shell.ts'

const backup = (...words: string[]) => typed({}, 'backup', ...words)

function count(path: string, table: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
  } finally {
    db.close()
  }
}

test('a backup is one file, whole, and its owner’s alone', async () => {
  const { folder, path, copy } = await makeDatabase()
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  await addGrade(stores, 50)
  const { code, out } = await backup(copy, '--database', path)
  expect([code, out]).toEqual([0, `${copy}: ${statSync(copy).size} bytes\n`])
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite'])
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect([count(copy, 'grades'), count(copy, 'trajectories')]).toEqual([4, 4])
  expect(troubles(examine(copy))).toEqual([])
})

/** Writes a row to both of two tables in each transaction, as fast as it can, until it is stopped. */
const WRITER = `
  const { workerData, parentPort } = require('node:worker_threads')
  const db = new (require(workerData.driver))(workerData.path, { timeout: 20000 })
  db.exec('CREATE TABLE one (n INTEGER PRIMARY KEY); CREATE TABLE two (n INTEGER PRIMARY KEY)')
  const insert = db.transaction((n) => { for (const t of ['one', 'two']) db.prepare('INSERT INTO ' + t + ' VALUES (?)').run(n) })
  let n = 0
  setInterval(() => { for (let i = 0; i < 50; i++) insert(n++); parentPort.postMessage(n) }, 1)`

test('a backup is one state of a database that is written to meanwhile', async () => {
  const { path, copy } = await makeDatabase()
  const driver = join(process.cwd(), 'node_modules', 'better-sqlite3')
  const writer = new Worker(WRITER, { eval: true, workerData: { path, driver } })
  onTestFinished(async () => void (await writer.terminate()))
  await new Promise((resolve) => writer.once('message', resolve))
  for (let n = 0; n < 3; n++) {
    const target = `${copy}.${n}`
    const before = count(path, 'one')
    expect((await backup(target, '--database', path)).code).toBe(0)
    expect(count(target, 'one')).toBeGreaterThanOrEqual(before)
    expect(count(target, 'two')).toBe(count(target, 'one'))
    await pause(0)
  }
  expect(count(path, 'one')).toBeGreaterThan(count(`${copy}.0`, 'one'))
})

test('a target that exists, or whose log exists, is refused and stays as it was', async () => {
  const { folder, path, copy } = await makeDatabase()
  writeFileSync(copy, 'a letter')
  expect(await backup(copy, '--database', path)).toMatchObject({
    code: 1,
    err: expect.stringContaining('there already'),
  })
  expect(readFileSync(copy, 'utf8')).toBe('a letter')
  expect((await backup(path, '--database', path)).code).toBe(1)
  mkdirSync(join(folder, 'data'))
  expect((await backup(join(folder, 'data'), '--database', path)).code).toBe(1)
  writeFileSync(join(folder, 'new.sqlite-wal'), 'an old log')
  expect((await backup(join(folder, 'new.sqlite'), '--database', path)).err).toContain(
    'new.sqlite-wal is there already',
  )
  expect(existsSync(join(folder, 'new.sqlite'))).toBe(false)
  expect(count(path, 'grades')).toBe(3)
})

test('a damaged database, another program’s, none, and a folder are refused, and nothing is left', async () => {
  const { folder, path, copy } = await makeDatabase()
  const other = join(folder, 'other.sqlite')
  tamper(other, 'CREATE TABLE mine (a)')
  const empty = join(folder, 'empty.sqlite')
  writeFileSync(empty, '')
  const bytes = readFileSync(path)
  bytes.fill(0, 4096 * 4, 4096 * 12)
  writeFileSync(path, bytes)
  const before = readdirSync(folder)
  for (const [from, reason] of [
    [path, path],
    [other, 'no database of Veridict'],
    [empty, 'no database of Veridict'],
    [join(folder, 'none.sqlite'), 'there is no database file'],
    [folder, 'is a folder'],
  ] as const)
    expect(await backup(copy, '--database', from)).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
})

test('a target that the system refuses is named in words', async () => {
  const { folder, path } = await makeDatabase()
  for (const target of [
    join(folder, 'none', 'x.sqlite'),
    join(folder, `${'x'.repeat(300)}.sqlite`),
    join(path, 'below'),
  ]) {
    const { code, err } = await backup(target, '--database', path)
    expect([code, err.includes(target)]).toEqual([1, true])
    expect(err).not.toMatch(/E[A-Z]{4,}|SQLITE_/)
  }
})
