import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { backUpDatabase } from '../../src/db/files/file.ts'
import { readLedger } from '../e2e/ledger.ts'
import { batchJudgeAt } from '../e2e/mock-calls.ts'
import { makeScene, startService, verdictsOf } from '../e2e/scene.ts'
import { answerBatchRequest, makeTrials } from '../e2e/trials.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import { tempFolder } from '../temp-folder.ts'
import { examine } from './doctor-database.ts'

/** The drill of docs/operations.md: back up while a batch runs, lose the machine, restore, go on. Real processes. */

const ITEMS = 160

/** Puts a backup back as docs/operations.md says, after the service has ended. */
function putBack(backup: string, database: string): void {
  copyFileSync(backup, database)
  for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true })
}

function rows(path: string, sql: string): unknown[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).raw().all()
  } finally {
    db.close()
  }
}

/** The same batch where nothing happens to it. */
async function runCalmly() {
  const { start, calls } = await makeScene({ latency_ms: () => 1, concurrency: 16 })
  const service = await start()
  const { id } = await service.post(makeTrials(ITEMS, 'mock'))
  const { counts } = await service.end(id)
  const results = await service.results(id)
  expect(await service.stop()).toBe(0)
  return { counts, verdicts: verdictsOf(results), calls: calls.length }
}

const GRADES = 'SELECT id, body FROM grades ORDER BY id'
const REPLIES = "SELECT id, reply_text, cost_usd FROM attempts WHERE outcome = 'ok' ORDER BY id"

test('what was acknowledged before the backup is there, the rest is graded again, and the counts add up', async () => {
  const calm = await runCalmly()
  const { start, calls, folder, database } = await makeScene({ latency_ms: ({ nth }) => 15 + ((nth * 7) % 20) })
  const backup = join(folder, 'backup.sqlite')
  const first = await start()
  const { id } = await first.post(makeTrials(ITEMS, 'mock'))
  const untilLeft = (left: number) => first.until(id, ({ counts }) => counts.pending + counts.running <= left)
  await untilLeft(ITEMS - 30)
  const acknowledged = await first.results(id)
  await backUpDatabase(database, backup)
  const atBackup = { grades: rows(backup, GRADES), replies: rows(backup, REPLIES), ledger: readLedger(backup) }
  expect(atBackup.grades.length).toBeGreaterThanOrEqual(acknowledged.length)
  expect(atBackup.grades.length).toBeLessThan(ITEMS)

  // After the backup: more items, and a batch that the backup knows nothing of.
  await untilLeft(ITEMS - atBackup.grades.length - 20)
  const later = await first.post(makeTrials(2, 'mock'))
  await first.kill()
  const lostGrades = rows(database, GRADES).length - atBackup.grades.length
  expect(lostGrades).toBeGreaterThan(0)
  const callsBefore = calls.length

  putBack(backup, database)
  const second = await start()
  expect((await fetch(`${second.origin}/v1/batches/${later.id}`)).status).toBe(404)
  const batch = await second.end(id)
  const results = await second.results(id)
  expect(await second.stop()).toBe(0)

  expect(batch).toMatchObject({ status: 'done', counts: calm.counts })
  expect(verdictsOf(results)).toEqual(calm.verdicts)
  expect(results).toEqual(expect.arrayContaining(acknowledged))
  const after = new Set(rows(database, GRADES).map((row) => JSON.stringify(row)))
  expect(atBackup.grades.filter((row) => !after.has(JSON.stringify(row)))).toEqual([])
  const kept = new Set(rows(database, REPLIES).map((row) => JSON.stringify(row)))
  expect(atBackup.replies.filter((row) => !kept.has(JSON.stringify(row)))).toEqual([])
  const ledger = readLedger(database)
  // Replies of the backup were not asked for again, not even those whose grade was not written yet.
  expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(ledger.outcomes['ok']).toBe(calm.calls)
  const asked = calls.length - callsBefore
  expect(asked).toBe(calm.calls - (atBackup.ledger.outcomes['ok'] ?? 0))
  // Calls that were in flight while the backup was made are of an unknown end there.
  expect(ledger.outcomes['unknown'] ?? 0).toBe(atBackup.ledger.outcomes['sent'] ?? 0)
  const findings = examine(database)
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  process.stdout.write(
    `restore drill: ${atBackup.grades.length} of ${ITEMS} grades in the backup, ${lostGrades} lost with the machine and made again\n`,
  )
}, 90_000)

describe('what lies with a provider when a backup is restored', () => {
  const RUNS = 6

  async function startProvider(polls: number) {
    const provider = { open: true }
    const mock = await startMockBatches({
      answer: answerBatchRequest,
      plan: () => ({ polls }),
      intercept: (method, path) =>
        provider.open || method !== 'POST' || !path.endsWith('/batches')
          ? undefined
          : { status: 503, body: '{"error":{"message":"not now"}}', headers: { 'content-type': 'application/json' } },
    })
    const folder = tempFolder()
    const database = join(folder, 'veridict.sqlite')
    const settings = { database, config: batchJudgeAt('openai', mock.origin) }
    return { mock, provider, database, backup: join(folder, 'backup.sqlite'), settings }
  }

  test('recorded before the backup, sent after it: found there, and not sent again', async () => {
    const { mock, provider, database, backup, settings } = await startProvider(3)
    provider.open = false
    const first = await startService(settings)
    const { id } = await first.post(makeTrials(RUNS, 'mock'), '?mode=provider')
    await until(() => rows(database, "SELECT 1 FROM submissions WHERE status = 'recorded'").length === 1)
    await backUpDatabase(database, backup)
    provider.open = true
    await until(() => mock.counts.submits === 1)
    await first.kill()
    putBack(backup, database)
    const second = await startService(settings)
    const batch = await second.end(id)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'done', counts: { total: RUNS, failed: 0 } })
    const ledger = readLedger(database)
    expect(ledger).toMatchObject({ grades: RUNS, graded_twice: 0, paid_twice: 0 })
    // Every question was run, and billed, once.
    expect(mock.counts.requests_run).toBe(ledger.outcomes['ok'])
  }, 60_000)
})

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 20_000; !holds(); ) {
    if (Date.now() > deadline) throw new Error('waited too long')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
