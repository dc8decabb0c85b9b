import { existsSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { count, fileFault } from '../../domain/words.ts'
import { refusal, StorageError, toStorageError } from '../errors.ts'
import { APPLIED, type Applied, hasTable, missingOf, readMigrations } from '../open/migrate.ts'
import { isRun } from '../open/run-lock.ts'

const openToRead = (path: string): Database.Database =>
  new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })

/** Copies one state of a database beside a running service; returns its bytes. No part of a failed copy stays; an abort counts at the end of the copy. */
export async function backUpDatabase(from: string, to: string, signal?: AbortSignal): Promise<number> {
  // SQLite would take a log beside the copy for a part of the copy.
  const taken = [to, `${to}-wal`, `${to}-journal`].find((path) => existsSync(path))
  if (taken !== undefined) throw refusal(`${taken} is there already: give another name, or remove it`)
  const partial = `${to}.partial`
  try {
    rmSync(partial, { force: true })
    // SQLite would make the file readable by others.
    const file = await open(partial, 'wx', 0o600)
    const source = openToRead(from)
    try {
      if (!hasTable(source, 'schema_migrations')) throw refusal(`${from}: this is no database of Veridict`)
      source.prepare('VACUUM INTO ?').run(partial)
      await file.sync()
    } finally {
      source.close()
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
    const why = failure.message.replace('of the database', 'of the copy')
    throw new StorageError(failure.code, `the copy ${to} of ${from}: ${why}`, { cause: error })
  }
}

export interface Finding {
  /** The examined part: `disk`, `schema`, `integrity`, `batches`, `calls`, `provider batches`. */
  readonly check: string
  readonly severity: 'ok' | 'warning' | 'error'
  readonly found: string
  /** The meaning of the finding, and the next step; null for a healthy part. */
  readonly advice: string | null
}

const findingOf =
  (severity: Finding['severity']) =>
  (check: string, found: string, advice: string | null = null): Finding => ({ check, severity, found, advice })
const [ok, warning, error] = [findingOf('ok'), findingOf('warning'), findingOf('error')]

const RESTORE = 'put back the newest backup that is whole (docs/operations.md).'

const MIB = 1024 * 1024
/** A batch of some thousand trajectories may fill less. */
const LEAST_FREE = 256 * MIB

/** Examines an SQLite database beside a running service without a change. Yields a finding for each part, and for a failure. */
export function* examineFile(path: string): Generator<Finding> {
  let db: Database.Database | undefined
  try {
    db = openToRead(path)
    const { bavail, bsize } = statfsSync(dirname(resolve(path)))
    const space = `${Math.round((bavail * bsize) / MIB)} MiB free, the file has ${Math.ceil(statSync(path).size / MIB)} MiB`
    yield bavail * bsize >= LEAST_FREE
      ? ok('disk', space)
      : warning('disk', space, 'A full disk ends every write (503 storage_full): make room, or move the database.')
    const schema = examineSchema(db)
    yield schema
    if (schema.severity === 'error') return
    const faults = (db.pragma('integrity_check(20)') as { integrity_check: string }[]).map((row) => row.integrity_check)
    const named = `integrity_check: ${count(faults.length, 'fault')}, such as: ${faults.slice(0, 3).join('; ')}`
    yield faults.length === 1 && faults[0] === 'ok'
      ? ok('integrity', 'integrity_check: ok')
      : error('integrity', named, `The file is damaged. Stop the service, keep the file, and ${RESTORE}`)
    // A database of an older version has other tables.
    if (hasTable(db, 'submissions')) yield* examineWork(db, isRun(path))
  } catch (failure) {
    const { message } = toStorageError(failure) as StorageError
    yield error('open', message, `The database cannot be read. If it is damaged, ${RESTORE}`)
  } finally {
    db?.close()
  }
}

function examineSchema(db: Database.Database): Finding {
  if (!hasTable(db, 'schema_migrations'))
    return error('schema', 'this is no database of Veridict', 'Name the right file: --database or VERIDICT_DATABASE.')
  const rows = db.prepare<[], Applied>(APPLIED).all()
  try {
    const migrations = readMigrations('sqlite')
    const isOlder = missingOf(rows, migrations).length > 0
    const older = isOlder ? '; the next start of the service migrates the database' : ''
    return ok('schema', `version ${rows.length} of ${migrations.length}${older}`)
  } catch (failure) {
    const advice = `A newer version of Veridict reads the database, where one wrote it; else ${RESTORE}`
    return error('schema', (failure as StorageError).message, advice)
  }
}

const UNFINISHED = `SELECT
  (SELECT count(*) FROM batches WHERE status NOT IN ('draft', 'done', 'cancelled')) AS open,
  (SELECT count(*) FROM attempts WHERE outcome = 'sent' AND submission IS NULL AND reserved_usd IS DISTINCT FROM 0) AS sent,
  (SELECT count(*) FROM submissions WHERE status IN ('recorded', 'submitted')) AS away`

/** Counts the unfinished work. `isRunning`: a process runs the batches of the database. */
function* examineWork(db: Database.Database, isRunning: boolean): Generator<Finding> {
  const { open = 0, sent = 0, away = 0 } = db.prepare<[], Record<string, number>>(UNFINISHED).get() ?? {}
  const runner = isRunning ? 'a process runs the batches' : 'no process runs batches'
  const found = `${count(open, 'unfinished batch', 'unfinished batches')}; ${runner}`
  const advice = 'Nothing is lost: `veridict status` lists them; `veridict serve` or `veridict resume BATCH` goes on.'
  yield open === 0 || isRunning ? ok('batches', found) : warning('batches', found, advice)
  const calls = count(sent, 'paid call')
  yield ok('calls', isRunning ? `${calls} in flight` : `${calls} without an end: the next start marks them unknown`)
  yield ok('provider batches', `${away} at a provider, fetched by a running service`)
}
