/**
 * Loaded by `--import` into the service: on SIGUSR2 its database may not grow by a single page any more, and on the next one it may
 * again. SQLite then says what it says on a full disk.
 */
import Database from 'better-sqlite3'

const UNLIMITED = 1_073_741_823
const opened = new Set<Database.Database>()
const pragma = Database.prototype.pragma
Database.prototype.pragma = function (this: Database.Database, ...args: Parameters<typeof pragma>) {
  opened.add(this)
  return pragma.apply(this, args)
}

let limited = false
process.on('SIGUSR2', () => {
  limited = !limited
  for (const db of opened)
    if (db.open)
      pragma.call(
        db,
        `max_page_count = ${limited ? String(pragma.call(db, 'page_count', { simple: true })) : UNLIMITED}`,
      )
})
