import Database from 'better-sqlite3'
import { loadMigrations, migrate } from '../../src/storage/sqlite/migrate.ts'

/** Run by itself: upgrades the given file, and dies with everything of the given migration done but its commit. */
const [path, at] = process.argv.slice(2)
if (path === undefined || at === undefined) throw new Error('usage: upgrade-killed.ts <database> <number>')
const db = new Database(path)
db.pragma('synchronous = FULL')
// What is written goes to the log before the commit, as it does where a migration is larger than the cache.
db.pragma('cache_size = 2')
db.function('die', { directOnly: false }, () => {
  process.kill(process.pid, 'SIGKILL')
  return 0
})
const migrations = loadMigrations().map(({ name, sql }, index) => ({
  name,
  sql: index + 1 === Number(at) ? `${sql}; INSERT INTO settings VALUES ('die', die());` : sql,
}))
migrate(db, migrations)
