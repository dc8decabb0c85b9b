import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
import { assertSafeVersion, openDatabase } from '../../src/storage/sqlite/database.ts'
import { createStores, openSqliteStores } from '../../src/db/stores.ts'
import { describeStores } from './contract.ts'
import { describeOverview } from './contract-overview.ts'
import { tempDatabase } from './temp-folder.ts'

describeStores('SQLite in memory', async () => openSqliteStores({ path: ':memory:' }))
describeStores('SQLite file', async () => openSqliteStores({ path: tempDatabase() }))
describeOverview('SQLite', async () => openSqliteStores({ path: ':memory:' }))

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['busy_timeout', 5000],
  ['wal_autocheckpoint', 1000],
])('%s is %s', (name, value) => {
  const db = openDatabase(tempDatabase())
  expect(db.pragma(name, { simple: true })).toBe(value)
  db.close()
})

test('every table is STRICT', () => {
  const db = openDatabase(':memory:')
  const loose = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'"
  expect(db.prepare(loose).all()).toEqual([])
  db.close()
})

test.each(['3.51.3', '3.52.0', '3.54.1', '4.0.0', '3.50.7', '3.50.12', '3.44.6'])('SQLite %s is safe', (version) => {
  expect(() => assertSafeVersion(version)).not.toThrow()
})

test.each(['3.51.2', '3.51.0', '3.50.6', '3.49.9', '3.45.0', '3.44.5', '3.7.0', '2.60.0', 'unknown', ''])(
  'SQLite %s is refused',
  (version) => {
    expect(() => assertSafeVersion(version)).toThrow(/3\.51\.3 or newer/)
  },
)

test('check writes a row, since the lock alone does not show a full disk', async () => {
  const db = openDatabase(':memory:')
  const stores = createStores(db)
  const changes = () => db.prepare('SELECT total_changes()').pluck().get() as number
  for (const _time of [1, 2]) {
    const before = changes()
    await stores.check()
    expect(changes()).toBe(before + 1)
  }
  await stores.close()
})

describe('closing', () => {
  test('commits what was asked for before it', async () => {
    const path = tempDatabase()
    const stores = openSqliteStores({ path })
    const writing = stores.rubrics.register('r@1', digestBytes('one'), 'content', 'now')
    await stores.close()
    expect(await writing).toBe(digestBytes('one'))
    const again = openSqliteStores({ path })
    expect(await again.rubrics.register('r@1', digestBytes('two'), 'content', 'now')).toBe(digestBytes('one'))
    await again.close()
  })

  test('leaves the whole database in one file', async () => {
    const path = tempDatabase()
    const stores = openSqliteStores({ path })
    await stores.check()
    await stores.close()
    expect(readdirSync(dirname(path))).toEqual(['veridict.sqlite'])
  })

  test('keeps what was written', async () => {
    const path = tempDatabase()
    const first = openSqliteStores({ path })
    const secret = await first.secrets.renderingSecret(() => Uint8Array.of(1, 2, 3))
    await first.close()
    const second = createStores(openDatabase(path))
    expect(await second.secrets.renderingSecret(() => Uint8Array.of(9))).toEqual(secret)
    await second.close()
  })
})
