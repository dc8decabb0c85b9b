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

const finding = (
  severity: Severity,
  check: string,
  found: string,
  advice: string | null = null,
  ids: readonly string[] = [],
): Finding => ({ check, severity, found, advice, ids })

const MIB = 1024 * 1024
const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`

type Ask = <T>(sql: string) => readonly T[] | Promise<readonly T[]>

/**
 * Examines an SQLite database, which is opened for reading beside a running service. Yields a finding for each part; a failure of the
 * database is a finding, too. `full` also compares the indexes with their tables.
 */
export async function* examineFile(path: string, full: boolean, now: Date): AsyncGenerator<Finding> {
  let db: Database.Database | undefined
  try {
    db = openToRead(path)
    const open = db
    yield spaceFinding(path)
    const ask: Ask = <T>(sql: string) => open.prepare<[], T>(sql).all()
    yield* examineContent(ask, hasTable(db, 'schema_migrations'), loadMigrations(), now, {
      integrity: () => integrityFinding(open, full ? 'integrity_check' : 'quick_check'),
      users: () => (isRun(path) ? 'a process runs the batches' : null),
    })
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
  try {
    const [server] = (await unit.rows<Server>(SERVER)) as [Server]
    yield finding('ok', 'space', `the database has ${mebibytes(server.bytes)}; the disk is the server’s`)
    yield* examineContent((sql) => unit.rows(sql), server.made, loadPostgresMigrations(), now, {
      integrity: () => checksumFinding(server),
      async users() {
        const [living] = await unit.rows<{ n: number }>(LIVING, [SILENCE_S])
        return living?.n ? `${count(living.n, 'process uses', 'processes use')} the database` : null
      },
    })
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

interface Parts {
  integrity(): Finding
  /** Names the processes that go on with unfinished work; null without any. */
  users(): string | null | Promise<string | null>
}

async function* examineContent(ask: Ask, made: boolean, migrations: readonly Migration[], now: Date, parts: Parts) {
  const rows = made ? await ask<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migrations') : []
  const schema = schemaFinding(new Map(rows.map(({ name, sha256 }) => [name, sha256])), migrations)
  yield schema
  if (schema.severity === 'error') return
  yield parts.integrity()
  if (schema.severity === 'ok') yield* examineWork(ask, await parts.users(), now)
}

const RESTORE = 'put back the newest backup that is whole (docs/operations.md).'

function failureFinding(failure: unknown): Finding {
  const { message, server } = toStorageError(failure) as StorageError
  const found = server ? `${message} (${server})` : message
  return finding('error', 'open', found, `The database cannot be read. If it is damaged, ${RESTORE}`)
}

/** A batch of some thousand trajectories may fill less. */
const LEAST_FREE = 256 * MIB

function spaceFinding(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(resolve(path)))
  const free = bavail * bsize
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const found = `${mebibytes(free)} free, the file has ${mebibytes(statSync(path).size)}, its log ${mebibytes(log)}`
  if (free >= LEAST_FREE + log) return finding('ok', 'space', found)
  const advice = 'A full disk ends every write (503 storage_full): make room, or move the database.'
  return finding('warning', 'space', found, advice)
}

function schemaFinding(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): Finding {
  const error = (found: string, advice: string) => finding('error', 'schema', found, advice)
  if (applied.size === 0)
    return error('this is no database of Veridict', 'Name the right one: --database or VERIDICT_DATABASE.')
  try {
    assertKnown(applied, migrations)
  } catch (failure) {
    const isNewer = [...applied.keys()].some((name) => !migrations.some((migration) => migration.name === name))
    const newer = 'Run the version of Veridict that wrote it, or a newer one: it is not damaged.'
    return error((failure as StorageError).message, isNewer ? newer : `This program refuses the database: ${RESTORE}`)
  }
  const version = `version ${applied.size} of ${migrations.length}`
  if (applied.size === migrations.length) return finding('ok', 'schema', version)
  const advice = 'Back it up: the next start of the service migrates it.'
  return finding('note', 'schema', `${version}: older than this program`, advice)
}

function integrityFinding(db: Database.Database, pragma: string): Finding {
  const faults = (db.pragma(`${pragma}(20)`) as Record<string, string>[]).flatMap((row) => Object.values(row))
  if (faults.length === 1 && faults[0] === 'ok') return finding('ok', 'integrity', `${pragma}: ok`)
  const found = `${pragma}: ${count(faults.length, 'fault')}, such as: ${faults.slice(0, 3).join('; ')}`
  return finding('error', 'integrity', found, `The file is damaged. Stop the service, keep the file, and ${RESTORE}`)
}

function checksumFinding({ checksums, failures }: Server): Finding {
  const failed = `${count(failures, 'page')} failed the server’s checksums`
  if (failures > 0) return finding('error', 'integrity', failed, `Keep the server’s files, and ${RESTORE}`)
  if (checksums === 'on') return finding('ok', 'integrity', 'no page failed the server’s checksums')
  const advice = '`pg_checksums --enable` on the stopped server makes damage visible.'
  return finding('note', 'integrity', 'the server keeps no checksums', advice)
}

/** Providers end a batch within a day. */
const LATE_MS = 25 * 60 * 60 * 1000
const OPEN_BATCH = "status IN ('running', 'cancelling') OR (status = 'parked' AND resumes_at IS NOT NULL)"
const OPEN_SUBMISSION = "status IN ('recorded', 'submitted')"
const PAID = 'reserved_usd IS DISTINCT FROM 0'

/** Examines the unfinished work: batches, judge calls in flight, and batches at a provider. `users`: the processes that go on with the work. */
async function* examineWork(ask: Ask, users: string | null, now: Date): AsyncGenerator<Finding> {
  async function find(table: string, condition: string, amount = '0') {
    const sql = `SELECT id, count(*) OVER () AS n, sum(${amount}) OVER () AS usd FROM ${table} WHERE ${condition} LIMIT 5`
    const rows = await ask<{ id: string; n: number; usd: number | null }>(sql)
    return { n: rows[0]?.n ?? 0, usd: rows[0]?.usd ?? 0, ids: rows.map(({ id }) => id) }
  }
  const batches = (n: number) => count(n, 'batch', 'batches')
  const open = await find('batches', OPEN_BATCH)
  const resume = 'Nothing is lost: `veridict serve` or `veridict resume BATCH` goes on with them.'
  if (users === null && open.n > 0)
    yield finding('warning', 'batches', `${batches(open.n)} that no process runs`, resume, open.ids)
  else yield finding('ok', 'batches', `${open.n} unfinished; ${users ?? 'no process runs batches'}`)
  const parked = await find('batches', "status = 'parked' AND resumes_at IS NULL")
  const reason = '`veridict status BATCH` has the reason; then `veridict resume BATCH`.'
  if (parked.n > 0) yield finding('note', 'batches', `${batches(parked.n)} parked until resumed`, reason, parked.ids)

  const sent = await find('attempts', `outcome = 'sent' AND ${PAID}`)
  const dead = `${count(sent.n, 'call')} of dead processes`
  if (users !== null || sent.n === 0) yield finding('ok', 'calls', `${count(sent.n, 'paid call')} in flight`)
  else yield finding('note', 'calls', dead, 'The next start marks them as unknown.', sent.ids)
  const cut = await find('attempts', `outcome = 'unknown' AND ${PAID}`, 'reserved_usd')
  const bill = 'The provider may have billed them: they count as uncertain_usd, and against caps.'
  const most = `${count(cut.n, 'call')} cut off by a crash, $${cut.usd.toFixed(4)} at most`
  if (cut.n > 0) yield finding('note', 'calls', most, bill, cut.ids)

  const since = new Date(now.getTime() - LATE_MS).toISOString()
  const late = await find('provider_batches', `${OPEN_SUBMISSION} AND recorded_at < '${since}'`)
  const away = await find('provider_batches', OPEN_SUBMISSION)
  const found = `${batches(away.n)} at a provider`
  const fetching = 'A running service fetches them, and asks the provider before anything is sent again.'
  if (away.n === 0) yield finding('ok', 'provider batches', found)
  else if (late.n === 0) yield finding('note', 'provider batches', found, fetching, away.ids)
  else yield finding('warning', 'provider batches', `${found}, ${late.n} of them for over a day`, fetching, late.ids)
}
