import { onTestFinished } from 'vitest'
import { openSqliteStores, type Stores } from '../../src/db/stores.ts'
import { migratedDatabase } from './temp-folder.ts'

/** Runs a statement on the connection that writes. */
export type RunSql = (text: string) => Promise<Record<string, unknown>[]>

/** Opens stores, of an empty database where no path is given, that are closed at the end of the test, and runs statements on their connection. */
export function openSqlite(path = migratedDatabase()): { run: RunSql; stores: Stores } {
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  return { run: (text) => runSql(stores, text), stores }
}

/** Runs a statement of any dialect as a unit of work. */
export const runSql = async ({ db }: Stores, text: string): Promise<Record<string, unknown>[]> =>
  (await db.write((unit) => unit.query<Record<string, unknown>>(text))).rows
