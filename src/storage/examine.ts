import { statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type Database from 'better-sqlite3'
import { count } from '../domain/count.ts'
import { IS_HEARD, SILENCE_S } from './postgres/cluster/processes.ts'
import { loadPostgresMigrations } from './postgres/connection/migrate.ts'
import type { PoolSettings } from './postgres/connection/pool.ts'
import { openUnit } from './postgres/connection/unit.ts'
import { hasTable, openToRead } from './read-file.ts'
import { assertKnown, loadMigrations, type Migration } from './sqlite/migrate.ts'
import { isRun } from './sqlite/run-lock.ts'
import { type StorageError, toStorageError } from './storage-error.ts'

/** Severities of a finding, the least first. `ok` and `note` ask for nothing. */
export const SEVERITIES = ['ok', 'note', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  /** The examined part: `space`, `schema`, `integrity`, `batches`, `calls`, `provider batches`. */
  readonly check: string
  readonly severity: Severity
  readonly found: string
  /** The meaning of the finding, and the next step; null for a healthy part. */
  readonly advice: string | null
  /** The first ids that the finding is about. */
  readonly ids: readonly string[]
}

const finding =
  (severity: Severity) =>
  (check: string, found: string, advice: string | null = null, ids: readonly string[] = []): Finding => ({
    ...{ check, severity, found, advice, ids },
  })
const [ok, note, warning, error] = [finding('ok'), finding('note'), finding('warning'), finding('error')]

const MIB = 1024 * 1024
const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`

type Ask = (sql: string) => readonly unknown[] | Promise<readonly unknown[]>

/**
 * Examines an SQLite database, which is opened for reading beside a running service. Yields a finding for each part; a failure of the
 * database is a finding, too. `full` also compares the indexes with their tables.
 */
export async function* examineFile(path: string, full: boolean, now: Date): AsyncGenerator<Finding> {
  let db: Database.Database | undefined
  try {
    db = openToRead(path)
    const ask: Ask = (sql) => db?.prepare(sql).all() ?? []
    yield spaceFinding(path)
    const applied = hasTable(db, 'schema_migrations') ? await readMigrations(ask) : new Map()
    const schema = schemaFinding(applied, loadMigrations())
    yield schema
    if (schema.severity === 'error') return
    yield integrityFinding(db, full ? 'integrity_check' : 'quick_check')
    if (schema.severity === 'ok') yield* examineWork(ask, isRun(path) ? 'a process runs the batches' : null, now)
  } catch (failure) {
    yield failureFinding(failure)
  } finally {
    db?.close()
  }
}

/** Examines a PostgreSQL schema; the same findings as of a file, with the checksums of the server in place of its pages. */
export async function* examineServer(
  url: string,
  schema: string,
  settings: PoolSettings,
  now: Date,
): AsyncGenerator<Finding> {
  const unit = openUnit(url, schema, { ...settings, max_connections: 1 })
  const ask: Ask = (sql) => unit.rows(sql)
  try {
    const [server] = (await ask(SERVER)) as [Server]
    yield ok('space', `the database has ${mebibytes(server.bytes)}; the disk is the server’s`)
    const found = schemaFinding(server.made ? await readMigrations(ask) : new Map(), loadPostgresMigrations())
    yield found
    if (found.severity === 'error') return
    yield checksumFinding(server)
    if (found.severity !== 'ok') return
    const [living] = await unit.rows<{ n: number }>(LIVING, [SILENCE_S])
    yield* examineWork(ask, usersText(living?.n ?? 0), now)
  } catch (failure) {
    yield failureFinding(failure)
  } finally {
    await unit.close()
  }
}

interface Server {
  readonly bytes: number
  readonly checksums: string
  readonly failures: number
  readonly made: boolean
}

const SERVER = `
  SELECT pg_database_size(datname) AS bytes, current_setting('data_checksums') AS checksums,
    coalesce(checksum_failures, 0) AS failures, to_regclass('schema_migrations') IS NOT NULL AS made
  FROM pg_stat_database WHERE datname = current_database()`
const LIVING = `SELECT count(*)::integer AS n FROM processes WHERE ${IS_HEARD}`

const readMigrations = async (ask: Ask) =>
  new Map(
    ((await ask('SELECT name, sha256 FROM schema_migrations')) as { name: string; sha256: string }[]).map((row) => [
      row.name,
      row.sha256,
    ]),
  )

const RESTORE = 'put back the newest backup that is whole (docs/operations.md).'

function failureFinding(failure: unknown): Finding {
  const { message, server } = toStorageError(failure) as StorageError
  return error(
    'open',
    server ? `${message} (${server})` : message,
    `The database cannot be read. If it is damaged, ${RESTORE}`,
  )
}

/** A batch of some thousand trajectories may fill less. */
const LEAST_FREE = 256 * MIB

function spaceFinding(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(resolve(path)))
  const [free, size, log] = [
    bavail * bsize,
    statSync(path).size,
    statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  ]
  const found = `${mebibytes(free)} free, the file has ${mebibytes(size)}, its log ${mebibytes(log)}`
  return free < LEAST_FREE + log
    ? warning('space', found, 'A full disk ends every write (503 storage_full): make room, or move the database.')
    : ok('space', found)
}

function schemaFinding(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): Finding {
  if (applied.size === 0)
    return error('schema', 'this is no database of Veridict', 'Name the right one: --database or VERIDICT_DATABASE.')
  try {
    assertKnown(applied, migrations)
  } catch (failure) {
    const isNewer = [...applied.keys()].some((name) => !migrations.some((migration) => migration.name === name))
    const advice = isNewer ? 'Run the version of Veridict that wrote it, or a newer one: it is not damaged.' : null
    return error('schema', (failure as StorageError).message, advice ?? `This program refuses the database: ${RESTORE}`)
  }
  const version = `version ${applied.size} of ${migrations.length}`
  if (applied.size === migrations.length) return ok('schema', version)
  return note('schema', `${version}: older than this program`, 'Back it up: the next start of the service migrates it.')
}

function integrityFinding(db: Database.Database, pragma: string): Finding {
  const faults = (db.pragma(`${pragma}(20)`) as Record<string, string>[]).flatMap((row) => Object.values(row))
  if (faults.length === 1 && faults[0] === 'ok') return ok('integrity', `${pragma}: ok`)
  const found = `${pragma}: ${count(faults.length, 'fault')}, such as: ${faults.slice(0, 3).join('; ')}`
  return error('integrity', found, `The file is damaged. Stop the service, keep the file, and ${RESTORE}`)
}

function checksumFinding({ checksums, failures }: Server): Finding {
  if (failures > 0)
    return error(
      'integrity',
      `${count(failures, 'page')} failed the server’s checksums`,
      `Keep the server’s files, and ${RESTORE}`,
    )
  if (checksums === 'on') return ok('integrity', 'no page failed the server’s checksums')
  return note(
    'integrity',
    'the server keeps no checksums',
    '`pg_checksums --enable` on the stopped server makes damage visible.',
  )
}

/** Providers end a batch within a day. */
const LATE_MS = 25 * 60 * 60 * 1000
const OPEN_BATCH = "status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL)"
const OPEN_SUBMISSION = "status IN ('recorded', 'submitted')"

const NOBODY = 'no process runs batches'

const usersText = (n: number): string | null =>
  n === 0 ? null : `${count(n, 'process uses', 'processes use')} the database`

/** Examines the unfinished work: batches, judge calls in flight, and batches at a provider. `users`: the processes that go on with the work. */
async function* examineWork(ask: Ask, users: string | null, now: Date): AsyncGenerator<Finding> {
  async function find(table: string, condition: string, amount = '0') {
    const sql = `SELECT id, count(*) OVER () AS n, sum(${amount}) OVER () AS usd FROM ${table} WHERE ${condition} LIMIT 5`
    const rows = (await ask(sql)) as { id: string; n: number; usd: number | null }[]
    return { n: rows[0]?.n ?? 0, usd: rows[0]?.usd ?? 0, ids: rows.map(({ id }) => id) }
  }
  const batches = await find('batches', OPEN_BATCH)
  if (users !== null || batches.n === 0) yield ok('batches', `${batches.n} unfinished; ${users ?? NOBODY}`)
  else {
    const advice = 'Nothing is lost: `veridict serve` or `veridict resume BATCH` goes on with them.'
    yield warning('batches', `${count(batches.n, 'batch', 'batches')} that no process runs`, advice, batches.ids)
  }
  const parked = await find('batches', "status = 'parked' AND resumes_at IS NULL")
  const resume = '`veridict status BATCH` has the reason; then `veridict resume BATCH`.'
  if (parked.n > 0)
    yield note('batches', `${count(parked.n, 'batch', 'batches')} parked until resumed`, resume, parked.ids)

  const sent = await find('attempts', "outcome = 'sent' AND reserved_usd IS DISTINCT FROM 0")
  if (users !== null || sent.n === 0) yield ok('calls', `${count(sent.n, 'paid call')} in flight`)
  else
    yield note('calls', `${count(sent.n, 'call')} of dead processes`, 'The next start marks them as unknown.', sent.ids)
  const unknown = await find('attempts', "outcome = 'unknown' AND reserved_usd IS DISTINCT FROM 0", 'reserved_usd')
  const bill = 'The provider may have billed them: they count as uncertain_usd, and against caps.'
  if (unknown.n > 0)
    yield note(
      'calls',
      `${count(unknown.n, 'call')} cut off by a crash, $${unknown.usd.toFixed(4)} at most`,
      bill,
      unknown.ids,
    )

  const late = await find(
    'provider_batches',
    `${OPEN_SUBMISSION} AND recorded_at < '${new Date(now.getTime() - LATE_MS).toISOString()}'`,
  )
  const open = await find('provider_batches', OPEN_SUBMISSION)
  const found = `${count(open.n, 'batch', 'batches')} at a provider`
  const fetching = 'A running service fetches them, and asks the provider before anything is sent again.'
  if (open.n === 0) yield ok('provider batches', found)
  else if (late.n === 0) yield note('provider batches', found, fetching, open.ids)
  else yield warning('provider batches', `${found}, ${late.n} of them for over a day`, fetching, late.ids)
}
