import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { loadMigrations, migrate } from '../../src/storage/sqlite/migrate.ts'
import { spellForSqlite } from '../../src/storage/sqlite/spelling.ts'
import { createStores } from '../../src/storage/sqlite/sqlite.ts'
import { FIND_KEY } from '../../src/storage/stores/access.ts'
import { parsePlanned, renderRequest } from '../../src/storage/stores/provider-rows.ts'
import { planAttempt } from './make-attempt.ts'
import { makeBatch } from './make-batch.ts'
import { makeRequest } from './make-request.ts'

function memory(migrations = loadMigrations()): Database.Database {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  migrate(db, migrations)
  return db
}

test.each([['a key', FIND_KEY, /api_keys USING INDEX \w+ \(id=\?\)/]])(
  '%s is found in one step of an index',
  (_name, sql, step) => {
    const plan = memory()
      .prepare(`EXPLAIN QUERY PLAN ${spellForSqlite(sql).text}`)
      .all('x') as { detail: string }[]
    expect(plan).toHaveLength(1)
    expect(plan[0]?.detail).toMatch(step)
  },
)

test('a digest that is none, and a session of no key, are refused by the tables themselves', () => {
  const db = memory()
  db.pragma('foreign_keys = ON')
  const session = db.prepare("INSERT INTO sessions VALUES (?, 'key_none', 'x', 'y')")
  expect(() => session.run(Buffer.alloc(31))).toThrow(/CHECK/)
  expect(() => session.run(Buffer.alloc(32))).toThrow(/FOREIGN KEY/)
})

test('what was queued and begun before there were payers is nobody’s in particular', async () => {
  const { payer: _, ...planned } = planAttempt('att_old')
  const row = { ...renderRequest(makeRequest('att_old', 0)), planned: JSON.stringify(planned) }
  expect(parsePlanned(row)).toEqual({ ...planned, payer: null })

  const db = memory(loadMigrations().slice(0, 4))
  const { payer: __, ...batch } = makeBatch('bat_old')
  db.prepare(
    `INSERT INTO batches (id, kind, mode, status, process, created_at)
     VALUES (@id, @kind, @mode, 'running', NULL, @created_at)`,
  ).run(batch)
  migrate(db)
  const stores = createStores(db)
  expect(await stores.batches.get('bat_old')).toMatchObject({ status: 'running' })
  expect(await stores.batches.payer('bat_old')).toBeNull()
})
