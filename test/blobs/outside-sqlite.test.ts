import Database from 'better-sqlite3'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { describeOutside } from './describe-outside.ts'
import { describePlaces } from './describe-places.ts'
import { describeReplies } from './describe-replies.ts'
import type { TestDatabase } from './outside-tools.ts'

function makeDatabase(): TestDatabase {
  const path = tempDatabase()
  return {
    async open(blobs) {
      const stores = openSqliteStores({ path, blobs })
      await stores.settlePlace().catch(async (error: unknown) => {
        await stores.close()
        throw error
      })
      return stores
    },
    async query(sql) {
      const db = new Database(path, { readonly: true })
      const rows = db.prepare(sql).all() as Record<string, unknown>[]
      db.close()
      return rows
    },
  }
}

describeOutside(makeDatabase)
describeReplies(makeDatabase)
describePlaces(makeDatabase)
