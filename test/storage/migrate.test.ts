import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type Migration, migrateSqlite as migrate, readMigrations } from '../../src/db/open/migrate.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempDatabase } from './temp-folder.ts'

const FIRST: Migration = { name: '0001_first.sql', sql: 'CREATE TABLE first (id INTEGER) STRICT' }
const SECOND: Migration = { name: '0002_second.sql', sql: 'CREATE TABLE second (id INTEGER) STRICT' }

function memory(): Database.Database {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  return db
}

const tables = (db: Database.Database): unknown[] =>
  db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()

const applied = (db: Database.Database): unknown[] =>
  db.prepare('SELECT name FROM schema_migrations ORDER BY name').pluck().all()

/** What databases out there have applied. */
const FROZEN = [
  '0001_initial.sql a47bc14b7d7da564',
  '0002_check_attempts.sql 9fd88e126c4c3d51',
  '0003_batches.sql c05fb614e1402c9f',
  '0004_reviews.sql f0a01b6f9ecdd402',
  '0005_access.sql aa3e4106cfef2ae4',
  '0006_blobs.sql d9092f83e7a3544a',
  '0007_comments.sql 168b162f57c7439e',
  '0008_labels_of_rubrics.sql aae5e4b8b5bd3607',
  '0009_evidence_tallies.sql 362af94ccd00fba0',
  '0010_rubric_ids.sql 146713f16371062d',
  '0011_cheaper_grades.sql ebb5c08cd7910b7e',
  '0012_twelve_tables.sql 7a7b730656e373de',
  '0013_counts_of_ended_batches.sql d49ecb0646224280',
  '0014_judges_of_items.sql 8b2c19ca1e001e14',
  '0015_dispositions.sql 614c8886d6b5479f',
]

test('the files are numbered without gaps, and those in use are frozen: a change is a new file', () => {
  const files = readMigrations('sqlite')
  expect(files.map(({ name }) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index + 1))
  const digests = files.map(({ name, sql }) => `${name} ${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`)
  expect(digests).toEqual(FROZEN)
})

test('missing files are applied in order, once, and recorded with their digest', () => {
  const db = memory()
  migrate(db, [FIRST])
  migrate(db, [FIRST, SECOND])
  migrate(db, [FIRST, SECOND])
  expect(tables(db)).toEqual(['first', 'schema_migrations', 'second'])
  const rows = db.prepare('SELECT sha256, applied_at FROM schema_migrations').all()
  expect(rows).toHaveLength(2)
  expect(rows[0]).toEqual({
    sha256: createHash('sha256').update(FIRST.sql).digest('hex'),
    applied_at: expect.any(String),
  })
})

test('a file that fails leaves nothing of itself, nor of those that came with it', () => {
  const db = memory()
  const broken = {
    name: '0002_broken.sql',
    sql: 'CREATE TABLE half (id INTEGER) STRICT; INSERT INTO nowhere VALUES (1)',
  }
  migrate(db, [FIRST])
  expect(() => migrate(db, [FIRST, SECOND, { ...broken, name: '0003_broken.sql' }])).toThrow(/nowhere/)
  expect(tables(db)).toEqual(['first', 'schema_migrations'])
  expect(applied(db)).toEqual([FIRST.name])
})

const KILLED = `
import Database from 'better-sqlite3'
import { migrateSqlite as migrate } from './src/db/open/migrate.ts'
const db = new Database(process.argv[1])
// The pages go to the log before the commit, as they do where a migration is larger than the cache.
db.pragma('journal_mode = WAL')
db.pragma('cache_size = 2')
db.function('die', { directOnly: false }, () => process.kill(process.pid, 'SIGKILL'))
const sql = 'CREATE TABLE second (id INTEGER) STRICT; INSERT INTO second SELECT die()'
migrate(db, [${JSON.stringify(FIRST)}])
migrate(db, [${JSON.stringify(FIRST)}, { name: '${SECOND.name}', sql }])`

test('a process that is killed in the middle of a migration leaves nothing of the migration', () => {
  const path = tempDatabase()
  mkdirSync(dirname(path))
  const killed = spawnSync(process.execPath, ['--input-type=module', '--eval', KILLED, path], { encoding: 'utf8' })
  expect([killed.signal, killed.stderr]).toEqual(['SIGKILL', ''])
  const db = new Database(path)
  expect([tables(db), applied(db)]).toEqual([['first', 'schema_migrations'], [FIRST.name]])
  migrate(db, [FIRST, SECOND])
  expect(applied(db)).toEqual([FIRST.name, SECOND.name])
  db.close()
})

const REFUSED: readonly [string, readonly Migration[], RegExp][] = [
  ['a changed file', [{ ...FIRST, sql: `${FIRST.sql};` }, SECOND], /0001_first\.sql was changed after it was applied/],
  ['a newer database', [FIRST], /newer than this version .* unknown migration 0002_second\.sql/],
]
test.each(REFUSED)('%s is refused and nothing changes', (_name, migrations, message) => {
  const db = memory()
  migrate(db, [FIRST, SECOND])
  expect(() => migrate(db, migrations)).toThrow(message)
  expect(() => migrate(db, migrations)).toThrow(
    expect.objectContaining({ name: 'StorageError', code: 'storage_error' }),
  )
  expect(applied(db)).toEqual([FIRST.name, SECOND.name])
})

test('a refused database does not open, and its file is let go', async () => {
  const path = tempDatabase()
  await openSqliteStores({ path }).close()
  const db = new Database(path)
  db.exec("INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')")
  db.close()
  expect(() => openSqliteStores({ path })).toThrow(/9999_future\.sql/)
  const again = new Database(path)
  expect(again.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
  again.close()
})
