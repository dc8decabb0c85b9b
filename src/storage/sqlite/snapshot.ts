import { hasAllMigrations, openToRead } from '../read-file.ts'
import { refusal, toStorageError } from '../storage-error.ts'
import type { ReadRows } from '../transfer.ts'
import { spellForSqlite } from './spelling.ts'

/** Reads one state of a database file; other processes may write to the file meanwhile. Rejects with a StorageError. */
export async function readSnapshot(path: string, work: (read: ReadRows) => Promise<void>): Promise<void> {
  const db = openToRead(path)
  try {
    if (!hasAllMigrations(db))
      throw refusal(`${path} is of an older version: back it up, then migrate it by \`veridict status\``)
    db.exec('BEGIN')
    await work(<T>(text: string) => db.prepare<[], T>(spellForSqlite(text).text).iterate())
  } catch (error) {
    throw toStorageError(error)
  } finally {
    db.close()
  }
}
