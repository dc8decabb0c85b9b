import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { toStorageError } from '../../src/db/errors.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { finishOk, goodReply, KEY, planAttempt, REQUEST } from './make-attempt.ts'
import { makeRecord } from './make-grade.ts'
import { openSqlite } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

/** The file may not grow by a single page from now on. */
const fill = (db: Database.Database): void => {
  db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`)
}

const noise = (bytes: number): string => randomBytes(bytes).toString('base64')
const FULL = { name: 'StorageError', code: 'storage_full', message: 'the disk of the database is full' }

describe('a full disk', () => {
  test('refuses a grade whole and goes on serving what there is', async () => {
    const { db, stores } = openSqlite(tempDatabase())
    const known = makeRecord({ key: 'k' })
    await stores.grades.put(known)
    fill(db)
    const big = makeRecord({ key: 'k', notes: noise(100_000) })
    await expect(stores.grades.put(big)).rejects.toMatchObject(FULL)
    expect(db.inTransaction).toBe(false)
    expect(await stores.grades.get(big.grade.id)).toBeNull()
    expect((await stores.grades.findByKey(digestBytes('k')))?.id).toBe(known.grade.id)
  })

  test('keeps a call as sent when its reply cannot be stored, and takes the reply once there is room', async () => {
    const { db, stores } = openSqlite(tempDatabase())
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    fill(db)
    const end = finishOk('att_1', goodReply({ raw: noise(100_000) }))
    await expect(stores.attempts.finish(end)).rejects.toMatchObject(FULL)
    expect((await stores.attempts.listForGrade('grd_a'))[0]).toMatchObject({ outcome: 'sent', raw_reply: null })
    db.pragma('max_page_count = 1000000')
    await stores.attempts.finish(end)
    expect((await stores.attempts.findOrphan(KEY, 0, 0, REQUEST))?.reply).toEqual(end.reply)
  })
})

describe('a grade whose second statement fails', () => {
  test('leaves no first one', async () => {
    const { db, stores } = openSqlite()
    db.exec("CREATE TRIGGER fail BEFORE INSERT ON current_grades BEGIN SELECT RAISE(ABORT, 'no'); END")
    const record = makeRecord()
    await expect(stores.grades.put(record)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await stores.grades.get(record.grade.id)).toBeNull()
  })
})

describe('two connections to one file', () => {
  test('see what the other wrote', async () => {
    const path = tempDatabase()
    const [a, b] = [openSqlite(path).stores, openSqlite(path).stores]
    const record = makeRecord({ key: 'k' })
    await a.grades.put(record)
    expect(await b.grades.findByKey(digestBytes('k'))).toEqual(record.grade)
    const secrets = await Promise.all([a, b].map((one) => one.secrets.renderingSecret(() => randomBytes(32))))
    expect(secrets[0]).toEqual(secrets[1])
  })

  test('a unit of work takes the write lock before it reads, so that it never has to upgrade', async () => {
    const path = tempDatabase()
    const [a, b] = [openSqlite(path), openSqlite(path)]
    const secret = await a.stores.secrets.renderingSecret(() => randomBytes(32))
    b.db.pragma('busy_timeout = 20')
    a.db.exec('BEGIN IMMEDIATE')
    await expect(b.stores.secrets.renderingSecret(() => randomBytes(32))).rejects.toMatchObject({
      code: 'storage_busy',
    })
    a.db.exec('COMMIT')
    expect(await b.stores.secrets.renderingSecret(() => randomBytes(32))).toEqual(secret)
  })

  test('one waits for the other no longer than its timeout, then says so; reading goes on', async () => {
    const path = tempDatabase()
    const [a, b] = [openSqlite(path), openSqlite(path)]
    b.db.pragma('busy_timeout = 20')
    a.db.exec('BEGIN IMMEDIATE')
    await expect(b.stores.check()).rejects.toMatchObject({ name: 'StorageError', code: 'storage_busy' })
    expect(await b.stores.grades.list({ limit: 1 })).toEqual([])
    a.db.exec('COMMIT')
    await b.stores.check()
  })
})

test('many writes wait for a held lock once, not one after the other', async () => {
  const path = tempDatabase()
  const [a, b] = [openSqlite(path), openSqlite(path)]
  b.db.pragma('busy_timeout = 200')
  a.db.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  const ends = await Promise.allSettled(Array.from({ length: 30 }, () => b.stores.check()))
  expect(performance.now() - start).toBeLessThan(2000)
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(new Array(30).fill('storage_busy'))
  a.db.exec('COMMIT')
  await b.stores.check()
})

describe('damage', () => {
  test('a file that is no database', () => {
    const path = join(dirname(dirname(tempDatabase())), 'noise.sqlite')
    writeFileSync(path, randomBytes(8192))
    expect(() => openSqliteStores({ path })).toThrow(
      expect.objectContaining({
        code: 'storage_error',
        message: expect.stringContaining('damaged, or is no SQLite database'),
      }),
    )
  })

  test('a stored reply or document that does not decompress', async () => {
    const { db, stores } = openSqlite()
    const id = digestBytes('t')
    await stores.trajectories.put({ id, format: 'steps', document: { text: 'a'.repeat(3000) } }, 'now')
    db.exec("UPDATE trajectories SET document = CAST(substr(document, 1, length(document) - 1) || x'00' AS BLOB)")
    await expect(stores.trajectories.get(id)).rejects.toEqual(
      expect.objectContaining({ code: 'storage_error', message: expect.stringContaining('decompressed') }),
    )
    db.exec("UPDATE trajectories SET document = x'7b'")
    await expect(stores.trajectories.get(id)).rejects.toEqual(
      expect.objectContaining({ code: 'storage_error', message: expect.stringContaining('no JSON') }),
    )
  })
})

describe('paths', () => {
  test.each(['', '  '])('a blank path would be a temporary database: "%s"', (path) => {
    expect(() => openSqliteStores({ path })).toThrow(/path of the database is empty/)
  })

  test('a folder that cannot be made', () => {
    const file = join(dirname(dirname(tempDatabase())), 'file')
    writeFileSync(file, '')
    expect(() => openSqliteStores({ path: join(file, 'a.sqlite') })).toThrow(/folder of the database cannot be made/)
  })

  test.runIf(process.platform === 'linux')('a folder where no folder can be is refused, not tried for ever', () => {
    expect(() => openSqliteStores({ path: '/proc/veridict/a.sqlite' })).toThrow(/folder of the database cannot be made/)
  })

  test('a path that is a folder', () => {
    const folder = dirname(dirname(tempDatabase()))
    expect(() => openSqliteStores({ path: folder })).toThrow(
      expect.objectContaining({
        name: 'StorageError',
        message: expect.stringContaining('cannot be opened: is the path right'),
      }),
    )
  })
})

test.each([
  ['SQLITE_FULL', 'storage_full'],
  ['SQLITE_BUSY', 'storage_busy'],
  ['SQLITE_BUSY_SNAPSHOT', 'storage_busy'],
  ['SQLITE_CORRUPT_VTAB', 'storage_error'],
  ['SQLITE_IOERR_WRITE', 'storage_error'],
  ['SQLITE_READONLY', 'storage_error'],
])('%s is %s, with its cause', (code, expected) => {
  const cause = Object.assign(new Error('driver'), { code })
  expect(toStorageError(cause)).toMatchObject({ name: 'StorageError', code: expected, cause })
})

test('what is not from SQLite stays what it is', () => {
  const error = Object.assign(new Error('other'), { code: 'ENOENT' })
  expect(toStorageError(error)).toBe(error)
  expect(toStorageError(undefined)).toBeUndefined()
})
