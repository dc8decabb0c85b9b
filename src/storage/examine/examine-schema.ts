import type Database from 'better-sqlite3'
import { count } from '../../domain/count.ts'
import type { Finding } from '../../ports/upkeep-ports.ts'
import { hasTable } from '../read-file.ts'
import { assertSafeVersion } from '../sqlite/database.ts'
import { assertKnown, loadMigrations } from '../sqlite/migrate.ts'
import { type Check, error, MOST_IDS, note, ok } from './examine-check.ts'

interface SchemaState {
  /** Migrations of this program that the file has; 0: nothing of it can be read. */
  readonly applied: number
  readonly of: number
  /** Why this program may not use it; null: it may, or may migrate it. */
  readonly fault: string | null
  /** It has migrations that this program does not know: a newer one wrote it. */
  readonly newer: boolean
}

/** Which migrations the file has, against those of this program. */
export function readSchema(db: Database.Database): SchemaState {
  const migrations = loadMigrations()
  const state = (applied: number, fault: string | null, newer = false) => ({
    applied,
    of: migrations.length,
    fault,
    newer,
  })
  if (!hasTable(db, 'schema_migrations')) return state(0, 'this is no database of Veridict')
  const rows = db.prepare('SELECT name, sha256 FROM schema_migrations ORDER BY name').raw().all() as [string, string][]
  const applied = new Map(rows)
  if (applied.size === 0) return state(0, 'no migration is applied')
  try {
    assertKnown(applied, migrations)
    return state(applied.size, null)
  } catch (failure) {
    const isNewer = rows.some(([name]) => !migrations.some((one) => one.name === name))
    return state(isNewer ? 0 : applied.size, (failure as Error).message, isNewer)
  }
}

export function judgeSchema({ applied, of, fault, newer }: SchemaState): Finding {
  if (fault !== null)
    return error('schema', fault, {
      means: 'This program refuses to open it: it does not know what the tables hold.',
      advice: newer
        ? 'Run the version of Veridict that wrote it, or a newer one: that it is newer is no damage.'
        : 'Is it the right file (--database, VERIDICT_DATABASE)? Else restore the newest backup that is whole.',
    })
  const version = `version ${applied} of ${of}`
  if (applied === of) return ok('schema', version)
  return note('schema', `${version}: older than this program`, {
    means: 'The next start of the service migrates it, whole or not at all; older programs refuse it from then on.',
    advice: 'Back it up before you start the new version.',
  })
}

/** SQLite reports up to a hundred faults; each is a line. */
function lookAtPages(db: Database.Database, pragma: 'quick_check' | 'integrity_check'): Finding {
  const faults = db.pragma(`${pragma}(${MOST_IDS * 4})`) as Record<string, string>[]
  const texts = faults.flatMap((row) => Object.values(row))
  if (texts.length === 1 && texts[0] === 'ok') return ok('integrity', `${pragma}: ok`)
  return error('integrity', `${pragma}: ${count(texts.length, 'fault')}, such as: ${texts.slice(0, 3).join('; ')}`, {
    means: 'The file is damaged: what is read from it may be wrong.',
    advice: 'Stop the service, keep the file, and restore the newest backup that is whole.',
  })
}

export const STRUCTURE_CHECKS: readonly Check[] = [
  {
    name: 'versions',
    since: 0,
    *look({ db }) {
      const version = db.prepare('SELECT sqlite_version()').pluck().get() as string
      const found = `SQLite ${version}, Node.js ${process.versions.node}`
      try {
        assertSafeVersion(version)
        yield ok('versions', found)
      } catch (failure) {
        yield error('versions', found, {
          means: (failure as Error).message,
          advice: 'Run `npm ci` of a release again.',
        })
      }
    },
  },
  {
    name: 'integrity',
    since: 0,
    *look({ db, options }) {
      options.onProgress?.({ step: 'integrity', done: 0, total: null })
      yield lookAtPages(db, options.full ? 'integrity_check' : 'quick_check')
    },
  },
  {
    name: 'foreign keys',
    since: 0,
    *look({ db }) {
      const rows = db.pragma('foreign_key_check') as { table: string }[]
      if (rows.length === 0) return yield ok('foreign keys', 'every reference has its row')
      const tables = [...new Set(rows.map(({ table }) => table))].join(', ')
      yield error('foreign keys', `${count(rows.length, 'row')} of ${tables} refer to rows that are not there`, {
        means: 'Rows were removed by something that is not this program.',
        advice: 'Restore the newest backup that is whole.',
      })
    },
  },
]
