import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { examineFile, type Finding } from '../../src/db/files/file.ts'
import { openSqliteStores, type Stores } from '../../src/db/stores.ts'
import { digestValue } from '../../src/domain/digest.ts'
import { begin, finishOk, planAttempt } from '../storage/make-attempt.ts'
import { ENDS, openBatch } from '../storage/make-batch.ts'
import { makeRecord } from '../storage/make-grade.ts'
import { tempFolder } from '../temp-folder.ts'

const AT = '2026-11-21T00:00:00.000Z'

/** Stores a trajectory and its grade; the number makes both unique. */
export async function addGrade(stores: Stores, n: number) {
  const document = { steps: [{ actor: 'user', text: `run ${n} ${'x'.repeat(500)}` }] }
  const id = digestValue(document)
  await stores.trajectories.put({ id, format: 'steps', document }, AT)
  const record = makeRecord({ key: `doctor ${n}` })
  const grade = { ...record.grade, receipt: { ...record.grade.receipt, trajectory: id } }
  await stores.grades.put({ ...record, grade })
  return grade
}

/**
 * Creates a healthy database and closes it: three grades, one of them with its call, and a batch `bat_done` whose two items have ended.
 * Answers the grades.
 */
export async function healthyDatabase(path: string) {
  mkdirSync(dirname(path), { recursive: true })
  const stores = openSqliteStores({ path })
  try {
    const grades = [await addGrade(stores, 0), await addGrade(stores, 1), await addGrade(stores, 2)] as const
    const [first, second] = grades
    await begin(stores, planAttempt('att_1', { grade_id: first.id, reserved_usd: 0.01 }))
    await stores.attempts.finish(finishOk('att_1'))
    await openBatch(stores, 'bat_done', 2)
    await stores.batches.settle({ batch: 'bat_done', index: 0 }, { ...ENDS.aligned, grade_id: first.id })
    await stores.batches.settle({ batch: 'bat_done', index: 1 }, { ...ENDS.cached, grade_id: second.id })
    await stores.batches.finish('bat_done', AT)
    return grades
  } finally {
    await stores.close()
  }
}

/** Runs SQL on a database file without its constraints, to damage the file. */
export function tamper(path: string, sql: string): void {
  const db = new Database(path)
  try {
    // The schema of a damaged file can be written too.
    db.unsafeMode(true)
    db.pragma('foreign_keys = OFF')
    db.exec(sql)
  } finally {
    db.close()
  }
}

export const examine = (path: string): readonly Finding[] => [...examineFile(path)]

/** Lists the findings that are not `ok`, as `severity check: found`. */
export const troubles = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ severity }) => severity !== 'ok')
    .map(({ severity, check, found }) => `${severity} ${check}: ${found}`)

/** Creates a healthy database in a new folder; answers its path and a path for a copy. */
export async function makeDatabase() {
  const folder = tempFolder()
  const path = join(folder, 'veridict.sqlite')
  await healthyDatabase(path)
  return { folder, path, copy: join(folder, 'copy.sqlite') }
}
