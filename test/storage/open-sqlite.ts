import type Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { Stores } from '../../src/db/stores.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { createStores } from '../../src/db/stores.ts'

/** Stores that go with the test, and the connection under them for what a test does to it. */
export function openSqlite(path = ':memory:'): { db: Database.Database; stores: Stores } {
  const db = openDatabase(path)
  const stores = createStores(db)
  onTestFinished(() => stores.close())
  return { db, stores }
}
