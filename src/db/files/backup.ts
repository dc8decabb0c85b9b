import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileFault } from '../../domain/words.ts'
import { refusal, StorageError, toStorageError } from '../errors.ts'
import { hasTable } from '../open/old-store.ts'
import { readFrom } from './read-file.ts'

/**
 * Copies one state of a database beside a running service, and returns the size of the copy in bytes. The copy takes its name when all
 * bytes are on the disk. Throws a StorageError for an existing target, a source of another program, and a copy that cannot
 * be written; an abort during the copy counts at its end. No part of a failed copy stays.
 */
export async function backUpDatabase(from: string, to: string, signal?: AbortSignal): Promise<number> {
  // SQLite would take a log beside the copy for a part of the copy.
  const taken = [to, `${to}-wal`, `${to}-journal`].find((path) => existsSync(path))
  if (taken !== undefined) throw refusal(`${taken} is there already: give another name, or remove it`)
  const partial = `${to}.partial`
  try {
    rmSync(partial, { force: true })
    // SQLite would make the file readable by others.
    const file = await open(partial, 'wx', 0o600)
    try {
      readFrom(from, (source) => {
        if (!hasTable(source, 'schema_migrations')) throw refusal(`${from}: this is no database of Veridict`)
        source.prepare('VACUUM INTO ?').run(partial)
      })
      await file.sync()
    } finally {
      await file.close()
    }
    signal?.throwIfAborted()
    renameSync(partial, to)
    return statSync(to).size
  } catch (error) {
    for (const path of [partial, `${partial}-journal`]) if (existsSync(path)) rmSync(path)
    if (error instanceof Error && 'syscall' in error)
      throw refusal(`${to} cannot be written: ${fileFault(error)}`, { cause: error })
    const failure = toStorageError(error)
    if (!(failure instanceof StorageError) || failure === error) throw error
    throw new StorageError(failure.code, `the copy of ${from}: ${failure.message}`, { cause: error })
  }
}
