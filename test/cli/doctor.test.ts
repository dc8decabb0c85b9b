import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createRunLock } from '../../src/db/open/run-lock.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../temp-folder.ts'
import { addGrade, examine, makeDatabase, tamper, troubles } from './doctor-database.ts'
import { typed } from './test-shell.ts'

const doctor = (env: NodeJS.ProcessEnv, ...words: string[]) => typed({ env }, 'doctor', ...words)
const CALL = `INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome,
  reply_text, raw_reply, cost_usd, reserved_usd, process)`
const openCall = (reserved: number | 'NULL' = 'NULL') =>
  `${CALL} VALUES ('att_2', 'grd_never', 'k', 0, 0, 'decide', 'd', 'openai', '2026-11-21T00:00:00.000Z', 'sent',
   CAST('{}' AS BLOB), CAST('{}' AS BLOB), NULL, ${reserved}, 'prc_dead');`
const openBatch = (status: string, reason = 'NULL') =>
  `INSERT INTO batches (id, kind, mode, status, parked_reason, resumes_at, created_at)
   VALUES ('bat_2', 'grade', 'direct', '${status}', ${reason}, NULL, '2026-11-21T00:00:00.000Z');`
const SUBMITTED = `INSERT INTO submissions (id, judge, batch, status, provider_id, requests, recorded_at)
  VALUES ('sub_1', 'openai', 'bat_done', 'submitted', 'batch_abc', 2, '2026-01-01T00:00:00.000Z');`
const NEWER = "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')"
const NO_INDEX_ROW = `PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = 'CREATE INDEX grades_by_label ON grades (status, id)' WHERE name = 'grades_by_label'`
const RESTING = '1 unfinished batch; no process runs batches'

test('a database that was closed cleanly is healthy, stays byte-equal, and so is a copy of the file alone', async () => {
  const { path, folder } = await makeDatabase()
  const before = readFileSync(path)
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  const checks = ['disk', 'schema', 'integrity', 'batches', 'calls', 'provider batches']
  expect(findings.map(({ check }) => check)).toEqual(checks)
  expect(readFileSync(path).equals(before)).toBe(true)
  mkdirSync(join(folder, 'copy'))
  copyFileSync(path, join(folder, 'copy', 'copy.sqlite'))
  expect(troubles(examine(join(folder, 'copy', 'copy.sqlite')))).toEqual([])
})

test.each<[string, string, string, boolean?]>([
  ['a batch without a process', openBatch('running'), `batches: ${RESTING}`, true],
  ['a parked batch', openBatch('parked', "'quota'"), `batches: ${RESTING}`, true],
  ['an open paid call', openCall(), 'calls: 1 paid call without an end: the next start marks them unknown'],
  ['an open free call', openCall(0), 'calls: 0 paid calls without an end: the next start marks them unknown'],
  ['a batch at a provider', SUBMITTED, 'provider batches: 1 at a provider, fetched by a running service'],
])('unfinished work: %s', async (_name, sql, expected, warns = false) => {
  const { path } = await makeDatabase()
  tamper(path, sql)
  const findings = examine(path)
  expect(findings.map(({ check, found }) => `${check}: ${found}`)).toContain(expected)
  expect(troubles(findings)).toEqual(warns ? [`warning ${expected}`] : [])
})

const EDITED = "UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0001%'"
test.each<[string, string, RegExp, string?]>([
  [
    'a newer schema, which its own version reads',
    NEWER,
    /^error schema: the database is newer than this version.*9999_future.sql/,
    'A newer version of Veridict reads the database, where one wrote it; else put back the newest backup that is whole (docs/operations.md).',
  ],
  [
    'an edited migration',
    EDITED,
    /^error schema: migration 0001_initial.sql was changed after it was applied; restore the file$/,
  ],
  [
    'an index without a row',
    NO_INDEX_ROW,
    /^error integrity: integrity_check: \d+ faults?, such as: .*grades_by_label/,
  ],
])('%s', async (_name, sql, expected, advice) => {
  const { path } = await makeDatabase()
  tamper(path, sql)
  const findings = examine(path)
  const [first, ...others] = troubles(findings)
  expect(first).toMatch(expected)
  // Further faults of an index follow from the first.
  if (sql !== NO_INDEX_ROW) expect(others).toEqual([])
  if (advice !== undefined) expect(findings.find(({ check }) => check === 'schema')?.advice).toBe(advice)
})

test('an older schema asks for nothing', async () => {
  const { path } = await makeDatabase()
  tamper(path, 'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)')
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  expect(findings.find(({ check }) => check === 'schema')?.found).toMatch(/; the next start of the service migrates/)
})

/** Writes zeros over everything but the first pages. */
function zero(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, 4096 * 3, Math.min(bytes.length, 4096 * 23)))
}

test.each([
  ['text', (path: string) => writeFileSync(path, 'no database '.repeat(1000))],
  ['half a file', (path: string) => truncateSync(path, 9000)],
  ['pages of zeros', zero],
])('a file of %s: told as findings, never thrown', async (_name, damage) => {
  const { path } = await makeDatabase()
  damage(path)
  expect(troubles(examine(path)).join('\n')).toMatch(/^error /m)
})

test('no file, and another program’s', () => {
  const folder = tempFolder()
  expect(troubles(examine(join(folder, 'none.sqlite')))).toEqual([expect.stringMatching(/^error open: /)])
  tamper(join(folder, 'other.sqlite'), 'CREATE TABLE mine (a)')
  expect(troubles(examine(join(folder, 'other.sqlite')))).toContain('error schema: this is no database of Veridict')
})

test('unfinished work beside a process that runs it asks for nothing', async () => {
  const { path } = await makeDatabase()
  tamper(path, openBatch('running') + openCall())
  const lock = createRunLock(path)
  onTestFinished(() => lock.release())
  expect(lock.take()).toBe(true)
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  const of = (name: string) => findings.find(({ check }) => check === name)?.found
  expect([of('batches'), of('calls')]).toEqual([
    '1 unfinished batch; a process runs the batches',
    '1 paid call in flight',
  ])
})

test('a service that writes meanwhile is no finding', async () => {
  const { path } = await makeDatabase()
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

test('the command prints each finding with its next step, and exits by the worst', async () => {
  const { path } = await makeDatabase()
  expect((await doctor({}, '--database', path)).code).toBe(0)
  tamper(path, openBatch('running'))
  const warned = await doctor({ VERIDICT_DATABASE: path })
  expect(warned.code).toBe(2)
  expect(warned.out).toMatch(/warning {2}batches +1 unfinished batch; no process runs batches\n +Nothing is lost.*\n/)
  tamper(path, NEWER)
  const failed = await doctor({}, '--database', path)
  expect(failed).toMatchObject({ code: 3, out: expect.stringContaining('9999_future') })
})

test('the command makes nothing where nothing is', async () => {
  const path = join(tempFolder(), 'none.sqlite')
  const missing = await doctor({}, '--database', path)
  expect(missing).toMatchObject({ code: 1, out: '', err: expect.stringContaining(path) })
  expect(existsSync(path)).toBe(false)
  expect((await doctor({}, '--database', ':memory:')).code).toBe(1)
  const empty = { code: 1, err: expect.stringContaining('--database names no file') }
  for (const name of ['', ' '])
    expect(await doctor({ VERIDICT_DATABASE: path }, '--database', name)).toMatchObject(empty)
})

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
    [folder, 'there is no database file'],
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
