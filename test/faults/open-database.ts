import { openDatabase } from '../../src/storage/sqlite/database.ts'

/** Opens the database of its argument, migrates it, and ends: a start of the service up to there. */
const [, , path] = process.argv
if (path === undefined) throw new Error('which database?')
try {
  openDatabase(path).close()
} catch (error) {
  process.stderr.write(`${(error as Error).name}: ${(error as Error).message}\n`)
  process.exit(1)
}
