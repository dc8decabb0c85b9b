import { refusal } from '../../storage-error.ts'
import type { ReadRows } from '../../transfer.ts'
import type { PoolSettings } from './pool.ts'
import { openPool } from './pool.ts'
import { toStorageError } from './postgres-error.ts'
import { isSchemaMigrated, SCHEMA } from './schemas.ts'

/** Rows of one round trip: each may hold a whole trajectory. */
const ROWS_AT_ONCE = 20

/** Reads one state of the database; other processes may write to it meanwhile. Rejects with a StorageError. */
export async function readSnapshot(
  url: string,
  settings: PoolSettings,
  work: (read: ReadRows) => Promise<void>,
): Promise<void> {
  if (!(await isSchemaMigrated(url, settings))) throw refusal('the database has no schema of this version')
  // The reader of an export may be slow: no statement and no pause between two statements has a limit.
  const patient = { ...settings, max_connections: 1, statement_timeout_ms: 0, idle_transaction_timeout_ms: 0 }
  const pool = openPool(url, SCHEMA, patient)
  try {
    await pool.use(async (sql) => {
      await sql.say('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await work(async function* <T>(text: string) {
        await sql.say(`DECLARE exported NO SCROLL CURSOR FOR ${text}`)
        for (;;) {
          const rows = await sql.say(`FETCH ${ROWS_AT_ONCE} FROM exported`)
          if (rows.length === 0) break
          yield* rows as T[]
        }
        await sql.say('CLOSE exported')
      })
    })
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await pool.close()
  }
}
