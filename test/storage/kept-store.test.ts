import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { examineFile } from '../../src/db/files/file.ts'
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
