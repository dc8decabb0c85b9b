import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { toStorageError } from '../../src/db/errors.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { openBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { openSqlite } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

test('a full disk of one of several statements decides the error of its unit of work', async () => {
  const { run, stores } = openSqlite(tempDatabase())
  const [pages] = await run('PRAGMA page_count')
  await run(`PRAGMA max_page_count = ${String(pages?.['page_count'])}`)
  const noise = randomBytes(100_000).toString('base64')
  const writing = stores.db.write((sql) =>
    Promise.all([sql.query('INSERT INTO judges (name) VALUES (?)', [noise]), sql.query('SELECT 1')]),
  )
  const message = 'the disk of the database is full, or fails (SQLITE_FULL)'
  await expect(writing).rejects.toMatchObject({ name: 'StorageError', code: 'storage_full', message })
})

test('a refusal of the end of an item leaves nothing of its grade', async () => {
  const { run, stores } = openSqlite()
  await openBatch(stores, 'bat_1', 1)
  await run("CREATE TRIGGER refuses BEFORE UPDATE ON batch_items BEGIN SELECT RAISE(ABORT, 'no'); END")
  const record = { ...makeRecord({ key: 'k' }), item: { batch: 'bat_1', index: 0 } }
  await expect(stores.grades.put(record)).rejects.toMatchObject({ code: 'storage_error' })
  expect(await stores.grades.get(record.grade.id)).toBeNull()
  expect(await stores.grades.findByKey(digestBytes('k'))).toBeNull()
})

/** Holds the write lock of a file; returns the end of the hold. */
function holdLock(path: string): () => void {
  const db = new Database(path)
  db.exec('BEGIN IMMEDIATE')
  return () => {
    db.exec('COMMIT')
    db.close()
  }
}

describe('two connections to one file', () => {
  test('see what the other wrote', async () => {
    const path = tempDatabase()
    const [a, b] = [openSqlite(path).stores, openSqlite(path).stores]
    const record = makeRecord({ key: 'k' })
    await a.grades.put(record)
    expect(await b.grades.findByKey(digestBytes('k'))).toEqual(record.grade)
    const secrets = await Promise.all([a, b].map((one) => one.settings.renderingSecret(() => randomBytes(32))))
    expect(secrets[0]).toEqual(secrets[1])
  })

  test('a unit of work takes the write lock before it reads, so that it never has to upgrade', async () => {
    const path = tempDatabase()
    const [a, b] = [openSqlite(path), openSqlite(path)]
    await a.stores.settings.check()
    await b.run('PRAGMA busy_timeout = 20')
    const release = holdLock(path)
    const read = () => b.stores.db.write((sql) => sql.query('SELECT name FROM settings'))
    await expect(read()).rejects.toMatchObject({ code: 'storage_busy' })
    release()
    expect((await read()).rows).toEqual([{ name: 'heartbeat' }])
  })
})

test('many writes wait for a held lock once, not one after the other; reading goes on', async () => {
  const path = tempDatabase()
  const b = openSqlite(path)
  await b.run('PRAGMA busy_timeout = 200')
  const release = holdLock(path)
  const start = performance.now()
  const ends = await Promise.allSettled(Array.from({ length: 30 }, () => b.stores.settings.check()))
  expect(performance.now() - start).toBeLessThan(2000)
  expect(await b.stores.grades.list({ limit: 1 })).toEqual([])
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(new Array(30).fill('storage_busy'))
  release()
  await b.stores.settings.check()
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
    const { run, stores } = openSqlite()
    const id = digestBytes('t')
    await stores.trajectories.put({ id, format: 'steps', document: { text: 'a'.repeat(3000) } }, 'now')
    await run("UPDATE trajectories SET document = CAST(substr(document, 1, length(document) - 1) || x'00' AS BLOB)")
    await expect(stores.trajectories.get(id)).rejects.toEqual(
      expect.objectContaining({ code: 'storage_error', message: expect.stringContaining('decompressed') }),
    )
    await run("UPDATE trajectories SET document = x'7b'")
    await expect(stores.trajectories.get(id)).rejects.toEqual(
      expect.objectContaining({ code: 'storage_error', message: expect.stringContaining('no JSON') }),
    )
  })
})

describe('paths', () => {
  test.each(['', '  '])('a blank path would be a temporary database: "%s"', (path) => {
    expect(() => openSqliteStores({ path })).toThrow(/path of the database is empty/)
  })

  test('a file in the place of the folder', () => {
    const file = join(dirname(dirname(tempDatabase())), 'file')
    writeFileSync(file, '')
    expect(() => openSqliteStores({ path: join(file, 'a.sqlite') })).toThrow(/cannot be opened: is the path right/)
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
  ['SQLITE_IOERR_WRITE', 'storage_full'],
  ['SQLITE_IOERR_READ', 'storage_error'],
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
