import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import { describeStores } from './contract.ts'
import { makeRecord } from './make-grade.ts'
import { openSqlite } from './open-sqlite.ts'
import { migratedDatabase, tempDatabase } from './temp-folder.ts'

describeStores('SQLite file', async () => openSqliteStores({ path: migratedDatabase() }))

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['busy_timeout', 5000],
  ['wal_autocheckpoint', 1000],
])('%s is %s', async (name, value) => {
  const [row] = await openSqlite(tempDatabase()).run(`PRAGMA ${name}`)
  expect(Object.values(row ?? {})).toEqual([value])
})

test('every table is STRICT, there are thirteen, and no trigger writes', async () => {
  const { run } = openSqlite()
  const loose = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'"
  expect(await run(loose)).toEqual([])
  const count =
    "SELECT type, count(*) AS n FROM sqlite_schema WHERE type <> 'index' AND name NOT LIKE 'sqlite_%' GROUP BY type"
  expect(await run(count)).toEqual([{ type: 'table', n: 14 }])
})

test('the SQLite of the package is newer than the WAL-reset bug, which can lose committed pages', async () => {
  const [row] = await openSqlite().run('SELECT sqlite_version() AS version')
  const [major = 0, minor = 0] = String(row?.['version']).split('.').map(Number)
  expect(major === 3 && minor > 51).toBe(true)
})

test('check writes a row, since the lock alone does not show a full disk', async () => {
  const { run, stores } = openSqlite()
  const changes = async () => (await run('SELECT total_changes() AS n'))[0]?.['n'] as number
  for (const _time of [1, 2]) {
    const before = await changes()
    await stores.settings.check()
    expect(await changes()).toBe(before + 1)
  }
})

describe('closing', () => {
  test('commits what was asked for before it', async () => {
    const path = tempDatabase()
    const stores = openSqliteStores({ path })
    const record = makeRecord()
    const writing = stores.grades.put(record)
    await stores.close()
    await writing
    const again = openSqliteStores({ path })
    expect(await again.grades.get(record.grade.id)).toEqual(record.grade)
    await again.close()
  })

  test('leaves the whole database in one file', async () => {
    const path = tempDatabase()
    const stores = openSqliteStores({ path })
    await stores.settings.check()
    await stores.close()
    expect(readdirSync(dirname(path))).toEqual(['veridict.sqlite'])
  })
})
