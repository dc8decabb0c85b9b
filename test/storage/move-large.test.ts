import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { MOVED } from '../../src/storage/move/moved-tables.ts'
import { openSource } from '../../src/storage/move/source.ts'
import { openSqliteStores } from '../../src/storage/sqlite.ts'
import { tempStore } from './move-tools.ts'

test('a row that is larger than a chunk goes by itself, whatever stands before it', async () => {
  const from = tempStore()
  await openSqliteStores({ path: from }).close()
  const db = new Database(from)
  const insert = db.prepare('INSERT INTO trajectories (id, format, document, created_at) VALUES (?, ?, ?, ?)')
  const sizes = [10, 10, 5000, 10, 5000, 5000, 10]
  for (const [n, size] of sizes.entries()) insert.run(`t${n}`, 'steps', randomBytes(size), '')
  db.close()
  const table = MOVED.find(({ name }) => name === 'trajectories')
  if (table === undefined) throw new Error('it is moved')
  const source = openSource(from, 'default', new Date(), 4096)
  const chunks = [...source.chunks(table)].map((rows) => rows.map(({ id }) => id))
  source.close()
  expect(chunks).toEqual([['t0', 't1'], ['t2'], ['t3'], ['t4'], ['t5'], ['t6']])
})
