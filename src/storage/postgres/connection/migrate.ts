import { fileURLToPath } from 'node:url'
import { assertKnown, digestSql, loadMigrations, type Migration } from '../../sqlite/migrate.ts'
import { refusal } from '../../storage-error.ts'
import { IS_HEARD, SILENCE_S } from '../cluster/processes.ts'
import type { PoolSettings, Sql } from './pool.ts'
import { openUnit, type Unit } from './unit.ts'

const FOLDER = fileURLToPath(new URL('../../../../migrations/postgres/', import.meta.url))

/** The numbered files of `migrations/postgres/`, in order. */
export const loadPostgresMigrations = (): Migration[] => loadMigrations(FOLDER)

/** Any number that other programs are unlikely to lock. */
const LOCK = 0x7e8d1c7

/** Waits for as long as the others before us take, and for as long as the changes themselves do. */
export async function openMigrated(url: string, schema: string, settings: PoolSettings): Promise<Unit> {
  const patient = openUnit(url, schema, { ...settings, max_connections: 1, statement_timeout_ms: 0 })
  try {
    await migrate(patient, schema)
  } finally {
    await patient.close()
  }
  return openUnit(url, schema, settings)
}

/**
 * Makes the schema where it is missing and applies the missing migrations, all in one transaction, one process at a time. Rejects with a
 * StorageError as the migrations of SQLite do.
 */
export async function migrate(
  unit: Pick<Unit, 'write'>,
  schema: string,
  migrations: readonly Migration[] = loadPostgresMigrations(),
): Promise<void> {
  await unit.write(async (sql) => {
    await sql.rows(`SELECT pg_advisory_xact_lock(${LOCK}, hashtext($1))`, [schema])
    await makeSchema(sql, schema)
    const applied = await readApplied(sql)
    assertKnown(applied, migrations)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    if (applied.size > 0 && missing.length > 0) await assertAlone(sql)
    for (const { name, sql: text } of missing) {
      await sql.say(text)
      await sql.run('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', [name, digestSql(text)])
    }
  })
}

/** Programs of an older version know nothing of what a migration changes: they would fail, or ignore what the new ones rely on. */
async function assertAlone(sql: Sql): Promise<void> {
  const [row] = await sql.rows<{ n: number }>(`SELECT count(*)::integer AS n FROM processes WHERE ${IS_HEARD}`, [
    SILENCE_S,
  ])
  if (row === undefined || row.n === 0) return
  throw refusal(
    `its schema is older than this program, and ${row.n} of the older processes that use it may live: stop them all, then start this one ` +
      '(one that was killed counts as living for a minute)',
  )
}

/** The role that made the schema for us need not let us make others. */
async function makeSchema(sql: Sql, schema: string): Promise<void> {
  const [known] = await sql.rows<{ known: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS known',
    [schema],
  )
  if (known?.known !== true) await sql.say(`CREATE SCHEMA "${schema}"`)
  await sql.say(
    `CREATE TABLE IF NOT EXISTS "${schema}".schema_migrations (
       name text COLLATE "C" PRIMARY KEY, sha256 text COLLATE "C" NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
     )`,
  )
}

async function readApplied(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql.rows<{ name: string; sha256: string }>('SELECT name, sha256 FROM schema_migrations')
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]))
}
