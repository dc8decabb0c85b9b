import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type Database from 'better-sqlite3'
import { count } from '../../domain/words.ts'
import { type StorageError, toStorageError } from '../errors.ts'
import { missingOf, sqliteMigrations } from '../open/migrate.ts'
import { hasTable } from '../open/old-store.ts'
import { isRun } from '../open/run-lock.ts'
import { openToRead, readApplied } from './read-file.ts'

/** Severities of a finding, the least first. */
export const SEVERITIES = ['ok', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  /** The examined part: `disk`, `schema`, `integrity`, `batches`, `calls`, `provider batches`. */
  readonly check: string
  readonly severity: Severity
  readonly found: string
  /** The meaning of the finding, and the next step; null for a healthy part. */
  readonly advice: string | null
}

const ok = (check: string, found: string): Finding => ({ check, severity: 'ok', found, advice: null })
const warning = (check: string, found: string, advice: string): Finding => ({
  ...{ check, severity: 'warning', found, advice },
})
const error = (check: string, found: string, advice: string): Finding => ({ check, severity: 'error', found, advice })

const RESTORE = 'put back the newest backup that is whole (docs/operations.md).'

/**
 * Examines an SQLite database beside a running service, and changes nothing. Yields a finding for each part; a failure of the database
 * is a finding, too.
 */
export function* examineFile(path: string): Generator<Finding> {
  let db: Database.Database | undefined
  try {
    db = openToRead(path)
    yield examineDisk(path)
    const schema = examineSchema(db)
    yield schema
    if (schema.severity === 'error') return
    yield examineIntegrity(db)
    // A database of an older version has other tables.
    if (hasTable(db, 'submissions')) yield* examineWork(db, isRun(path))
  } catch (failure) {
    const { message } = toStorageError(failure) as StorageError
    yield error('open', message, `The database cannot be read. If it is damaged, ${RESTORE}`)
  } finally {
    db?.close()
  }
}

const MIB = 1024 * 1024
/** A batch of some thousand trajectories may fill less. */
const LEAST_FREE = 256 * MIB

function examineDisk(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(resolve(path)))
  const free = bavail * bsize
  const found = `${Math.round(free / MIB)} MiB free, the file has ${Math.ceil(statSync(path).size / MIB)} MiB`
  const advice = 'A full disk ends every write (503 storage_full): make room, or move the database.'
  return free >= LEAST_FREE ? ok('disk', found) : warning('disk', found, advice)
}

function examineSchema(db: Database.Database): Finding {
  const migrations = sqliteMigrations()
  const rows = readApplied(db)
  if (rows.length === 0)
    return error('schema', 'this is no database of Veridict', 'Name the right file: --database or VERIDICT_DATABASE.')
  try {
    missingOf(rows, migrations)
  } catch (failure) {
    const isNewer = rows.some(({ name }) => !migrations.some((migration) => migration.name === name))
    const newer = 'Run the version of Veridict that wrote it, or a newer one: it is not damaged.'
    const changed = `This program refuses the database: ${RESTORE}`
    return error('schema', (failure as StorageError).message, isNewer ? newer : changed)
  }
  const older = rows.length < migrations.length ? '; the next start of the service migrates the database' : ''
  return ok('schema', `version ${rows.length} of ${migrations.length}${older}`)
}

function examineIntegrity(db: Database.Database): Finding {
  const faults = (db.pragma('integrity_check(20)') as { integrity_check: string }[]).map((row) => row.integrity_check)
  if (faults.length === 1 && faults[0] === 'ok') return ok('integrity', 'integrity_check: ok')
  const found = `integrity_check: ${count(faults.length, 'fault')}, such as: ${faults.slice(0, 3).join('; ')}`
  return error('integrity', found, `The file is damaged. Stop the service, keep the file, and ${RESTORE}`)
}

/** Counts the unfinished work. `isRunning`: a process runs the batches of the database. */
function* examineWork(db: Database.Database, isRunning: boolean): Generator<Finding> {
  const countOf = (table: string, condition: string) =>
    db.prepare(`SELECT count(*) FROM ${table} WHERE ${condition}`).pluck().get() as number
  const open = countOf('batches', "status NOT IN ('draft', 'done', 'cancelled')")
  const runner = isRunning ? 'a process runs the batches' : 'no process runs batches'
  const found = `${count(open, 'unfinished batch', 'unfinished batches')}; ${runner}`
  const advice = 'Nothing is lost: `veridict status` lists them; `veridict serve` or `veridict resume BATCH` goes on.'
  yield open === 0 || isRunning ? ok('batches', found) : warning('batches', found, advice)

  const sent = count(
    countOf('attempts', "outcome = 'sent' AND submission IS NULL AND reserved_usd IS DISTINCT FROM 0"),
    'paid call',
  )
  yield ok('calls', isRunning ? `${sent} in flight` : `${sent} without an end: the next start marks them unknown`)
  const away = countOf('submissions', "status IN ('recorded', 'submitted')")
  yield ok('provider batches', `${away} at a provider, fetched by a running service`)
}
