import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { fileFault } from '../domain/file-fault.ts'
import { hasTable, readFrom } from './read-file.ts'
import { refusal, StorageError, toStorageError } from './storage-error.ts'

/** Files of SQLite beside a database. SQLite would take a file of such a name for a part of the copy. */
const LOG_ENDINGS = ['-journal', '-wal', '-shm']

/**
 * Copies a database beside a running service, and returns the size of the copy in bytes. The copy is one state of the database; the file
 * takes its name after all bytes are on the disk. Throws a StorageError where the target exists, where the source is no database of
 * Veridict, and where the copy cannot be written; an abort during the copy counts at its end. No part of a failed copy stays.
 */
export async function backUpDatabase(from: string, to: string, signal?: AbortSignal): Promise<number> {
  const partial = `${to}.partial-${process.pid}`
  try {
    assertFree(to)
    rmSync(partial, { force: true })
    // SQLite would make the file readable by others.
    closeSync(openSync(partial, 'wx', 0o600))
    vacuumInto(from, partial)
    const bytes = await syncPath(partial)
    signal?.throwIfAborted()
    assertFree(to)
    renameSync(partial, to)
    await syncPath(dirname(resolve(to)))
    return bytes
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw refusal(`${to} cannot be written: ${fileFault(error)}`, { cause: error })
    const failure = toStorageError(error)
    if (!(failure instanceof StorageError) || failure === error) throw error
    const why = failure.code === 'storage_full' ? 'the disk of the copy is full' : `${from}: ${failure.message}`
    throw new StorageError(failure.code, why, { cause: error })
  } finally {
    for (const end of ['', ...LOG_ENDINGS]) if (existsSync(partial + end)) rmSync(partial + end)
  }
}

function assertFree(to: string): void {
  const taken = ['', ...LOG_ENDINGS].map((end) => to + end).find((path) => existsSync(path))
  if (taken !== undefined) throw refusal(`${taken} is there already: give another name, or remove it`)
}

/** Writes a copy that no process uses. */
function vacuumInto(from: string, partial: string): void {
  readFrom(from, (source) => {
    if (!hasTable(source, 'schema_migrations')) throw refusal(`${from}: this is no database of Veridict`)
    source.prepare('VACUUM INTO ?').run(partial)
  })
  const copy = new Database(partial)
  if (hasTable(copy, 'processes')) copy.exec('DELETE FROM processes')
  copy.close()
}

/** Flushes a file, or the names in a folder, to the disk, and returns its size. */
async function syncPath(path: string): Promise<number> {
  const file = await open(path, 'r')
  try {
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}
