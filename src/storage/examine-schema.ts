import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { count } from '../domain/count.ts'
import type { Finding } from '../grading/upkeep-ports.ts'
import { assertSafeVersion } from './database.ts'
import { type Check, error, MOST_IDS, note, ok } from './examine-check.ts'
import { loadMigrations } from './migrate.ts'

export interface SchemaLook {
  readonly findings: readonly Finding[]
  /** Migrations that this program knows and the file has; 0: nothing more can be looked at. */
  readonly applied: number
}

interface Applied {
  readonly name: string
  readonly sha256: string
}

/** Which migrations the file has, against those of this program. */
export function lookAtSchema(db: Database.Database): SchemaLook {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() !== undefined
  if (!hasTable) {
    const means = 'The file is empty, or another program’s.'
    return { applied: 0, findings: [error('schema', 'this is no database of Veridict', { means, advice: RIGHT_PATH })] }
  }
  const rows = db.prepare('SELECT name, sha256 FROM schema_migrations ORDER BY name').all() as Applied[]
  return judgeSchema(rows, loadMigrations())
}

const RIGHT_PATH = 'Give the right path with --database or VERIDICT_DATABASE.'

export function judgeSchema(
  rows: readonly Applied[],
  migrations: readonly { readonly name: string; readonly sql: string }[],
): SchemaLook {
  const known = new Map(migrations.map(({ name, sql }) => [name, createHash('sha256').update(sql).digest('hex')]))
  const unknown = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  const changed = rows.filter(({ name, sha256 }) => (known.get(name) ?? sha256) !== sha256).map(({ name }) => name)
  const applied = rows.length - unknown.length
  const [of, all] = [`version ${applied} of ${migrations.length}`, migrations.length]
  const findings: Finding[] = []
  if (unknown.length > 0)
    findings.push(
      error('schema', `the database is newer than this program: it has ${unknown.join(', ')}`, {
        means: 'This program refuses to open it: it does not know what the tables hold.',
        advice: 'Run the newer version of Veridict, or restore the backup that was made before the upgrade.',
      }),
    )
  if (changed.length > 0)
    findings.push(
      error('schema', `applied under another content: ${changed.join(', ')}`, {
        means: 'A migration was edited after it was applied; nobody knows what the tables hold.',
        advice: 'Restore the migration files of the release.',
      }),
    )
  const has = new Set(rows.map(({ name }) => name))
  const last = rows.at(-1)?.name ?? ''
  const late = migrations.filter(({ name }) => name < last && !has.has(name)).map(({ name }) => name)
  if (unknown.length === 0 && late.length > 0)
    findings.push(
      error('schema', `not applied, though later ones are: ${late.join(', ')}`, {
        means: 'This program refuses to open it: nobody knows what the tables hold.',
        advice: 'Restore the newest backup that is whole.',
      }),
    )
  if (findings.length > 0) return { findings, applied: unknown.length > 0 ? 0 : applied }
  if (applied < all)
    return {
      applied,
      findings: [
        note('schema', `${of}: older than this program`, {
          means:
            'The next start of the service migrates it, whole or not at all; older programs refuse it from then on.',
          advice: 'Back it up before you start the new version.',
        }),
      ],
    }
  return {
    applied,
    findings: applied === 0 ? [error('schema', 'no migration is applied', { advice: RIGHT_PATH })] : [ok('schema', of)],
  }
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
      let n = 0
      const tables = new Set<string>()
      for (const row of db.prepare('PRAGMA foreign_key_check').iterate() as Iterable<{ table: string }>) {
        n += 1
        tables.add(row.table)
      }
      if (n === 0) return yield ok('foreign keys', 'every reference has its row')
      yield error('foreign keys', `${count(n, 'row')} of ${[...tables].join(', ')} refer to rows that are not there`, {
        means: 'Rows were removed by something that is not this program.',
        advice: 'Restore the newest backup that is whole.',
      })
    },
  },
]
