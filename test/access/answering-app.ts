import Database from 'better-sqlite3'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'

export interface AnsweringApp extends TestApp {
  /** The run of every call of the judge `scripted`, in order. */
  readonly calls: readonly number[]
  /** The main database. */
  readonly database: string
}

/** The application over files, where every request needs a key: `scripted` and `second` answer, `broke` has no quota. */
export async function startAnswering(database: string): Promise<AnsweringApp> {
  const scripted = answeringJudge(() => GOOD_ANSWER)
  const judges = [
    scripted,
    answeringJudge(() => GOOD_ANSWER, 'second'),
    answeringJudge(() => ({ fail: 'quota_exhausted' }), 'broke'),
  ]
  const app = await startApp({ env: { VERIDICT_DATABASE: database, VERIDICT_ACCESS: 'on' }, judges })
  return { ...app, calls: scripted.calls, database }
}

/** Every row of every table, but for who is running. */
export function dumpTables(path: string): Readonly<Record<string, readonly unknown[]>> {
  const db = new Database(path, { readonly: true })
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
    const kept = (names as string[]).filter((name) => name !== 'processes')
    return Object.fromEntries(kept.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  } finally {
    db.close()
  }
}
