import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { examineFile } from '../../src/db/files/file.ts'
import { migrateSqlite, readMigrations } from '../../src/db/open/migrate.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { readKeptStore, testKeptStore } from './kept-store.ts'
import { tempDatabase } from './temp-folder.ts'
import { recordsOf } from './transfer-tools.ts'

function makeKeptFile(): string {
  const path = tempDatabase()
  mkdirSync(dirname(path), { recursive: true })
  const db = new Database(path)
  db.exec(readKeptStore('sqlite'))
  db.close()
  return path
}

testKeptStore('vk_25f0db38d38b448f_vX423swmtffCoDvKQj1fYcwJ5ECaiH8x1NOsT8tcuKE', async () => {
  const path = makeKeptFile()
  return {
    env: { VERIDICT_DATABASE: path },
    async rows(table) {
      const db = new Database(path, { readonly: true })
      try {
        return db.prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`).all()
      } finally {
        db.close()
      }
    },
  }
})

test('the examination of the database finds nothing wrong, before and after its migration', async () => {
  const path = makeKeptFile()
  const examine = () => [...examineFile(path)].map(({ check, severity }) => `${check} ${severity}`)
  expect(examine()).toEqual(['disk ok', 'schema ok', 'integrity ok'])
  await openSqliteStores({ path }).close()
  expect(examine().slice(0, 3)).toEqual(['disk ok', 'schema ok', 'integrity ok'])
})

test('an export of the database has all of its grades, ended calls, reviews and trajectories', async () => {
  const path = makeKeptFile()
  await openSqliteStores({ path }).close()
  const kinds = (await recordsOf({ VERIDICT_DATABASE: path })).map(
    (line) => (JSON.parse(line) as { kind: string }).kind,
  )
  const counts = Object.fromEntries(
    ['grade', 'attempt', 'review', 'trajectory'].map((kind) => [kind, kinds.filter((k) => k === kind).length]),
  )
  expect(counts).toEqual({ grade: 19, attempt: 28, review: 3, trajectory: 15 })
})

const UNREADABLE =
  /^\/.*\.sqlite has bodies in an S3 store, or several projects, which this version cannot read\. Check out commit [0-9a-f]{40} of Veridict, run `npm run veridict -- export --all-projects --out FOLDER` there .* `veridict import FILE` here/

const ROWS = [
  `INSERT INTO trajectories (id, format, document, created_at, outside_bytes) VALUES ('sha256:1', 'steps', x'fe01', '', 20000)`,
  `INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome, reply_text, raw_reply, outside_bytes)
   VALUES ('att_1', 'grd_1', 'k', 0, 0, 'decide', 'd', 'j', '', 'ok', x'fe01', x'fe01', 20000)`,
]

/** Makes a database of the last version before the twelve tables. */
function makeOld(sql = ''): string {
  const path = tempDatabase()
  mkdirSync(dirname(path), { recursive: true })
  const db = new Database(path)
  migrateSqlite(db, readMigrations('sqlite').slice(0, 11))
  db.exec(sql)
  db.close()
  return path
}

test.each(ROWS)('a store with a body in an S3 store is refused with the way to carry it over: %s', (row) => {
  const path = makeOld(row)
  for (const _time of [1, 2]) expect(() => openSqliteStores({ path })).toThrow(UNREADABLE)
})

const keyOf = (project: string, revoked: string): string =>
  `INSERT INTO api_keys (id, secret_sha256, name, project, scopes, created_at, revoked_at)
   VALUES ('key_${project}', zeroblob(32), 'n', '${project}', '[]', '', ${revoked})`

const PROJECTS: readonly (readonly [string, string])[] = [
  ['the mark of another project', "INSERT INTO settings VALUES ('project', CAST('evals' AS BLOB))"],
  ['a key of another project', keyOf('evals', 'NULL')],
]

test.each(PROJECTS)('a store with %s is refused with the way to carry it over', (_what, sql) => {
  const path = makeOld(sql)
  expect(() => openSqliteStores({ path })).toThrow(UNREADABLE)
})

test('a store with a file of a further project beside it is refused with the way to carry it over', () => {
  const path = makeOld()
  mkdirSync(join(dirname(path), 'projects'))
  writeFileSync(join(dirname(path), 'projects', 'evals.sqlite'), '')
  expect(() => openSqliteStores({ path })).toThrow(UNREADABLE)
})

test('a store of the default project opens with its keys, and with a revoked key of another project', async () => {
  const mark = "INSERT INTO settings VALUES ('project', CAST('default' AS BLOB))"
  const path = makeOld([mark, keyOf('default', 'NULL'), keyOf('evals', "'2026-11-21'")].join(';'))
  const stores = openSqliteStores({ path })
  expect((await stores.access.listKeys()).map(({ id }) => id)).toEqual(['key_default', 'key_evals'])
  await stores.close()
})
