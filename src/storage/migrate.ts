import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'

export interface Migration {
  readonly name: string
  readonly sql: string
}

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url))

/** The numbered files of `migrations/`, in order. */
export const loadMigrations = (): Migration[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(FOLDER + name, 'utf8') }))

/**
 * Applies what is missing, one transaction a file. Refuses a database that is newer than the code, and one whose applied files
 * were edited afterwards: both would mean that nobody knows what the tables hold.
 */
export function migrate(db: Database.Database, migrations: readonly Migration[] = loadMigrations()): void {
  db.exec(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT',
  )
  const apply = db.transaction(() => {
    const applied = new Map(
      (db.prepare('SELECT name, sha256 FROM schema_migrations').all() as { name: string; sha256: string }[]).map(
        (row) => [row.name, row.sha256],
      ),
    )
    for (const name of applied.keys()) {
      if (!migrations.some((one) => one.name === name))
        throw new Error(
          `the database is newer than this version of Veridict: it has the unknown migration ${name}; use a newer version`,
        )
    }
    for (const { name, sql } of migrations) {
      const digest = createHash('sha256').update(sql).digest('hex')
      const known = applied.get(name)
      if (known === digest) continue
      if (known !== undefined) throw new Error(`migration ${name} was changed after it was applied; restore the file`)
      db.exec(sql)
      db.prepare("INSERT INTO schema_migrations VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))").run(name, digest)
    }
  })
  apply.immediate()
}

/** Versions with the WAL-reset bug can lose committed pages: 3.7.0 to 3.51.2, but for the two fixed branches. */
export function assertSafeVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const number = major * 1e6 + minor * 1e3 + patch
  const safe = number >= 3_051_003 || (minor === 50 && patch >= 7) || (minor === 44 && patch >= 6)
  if (!safe) throw new Error(`SQLite ${version} can corrupt a database in WAL mode; 3.51.3 or newer is needed`)
}
