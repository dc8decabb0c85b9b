import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { backUpDatabase } from '../../src/db/files/file.ts'
import { getResults, postBatch, verdictsOf, waitForEnd, waitUntil } from '../e2e/batch-client.ts'
import { readLedger } from '../e2e/ledger.ts'
import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { type ServiceSettings, spawnService } from '../e2e/service-process.ts'
import { answerText, makeTrials, roundOfBody, runOfBody } from '../e2e/trials.ts'
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
  const mock = await startMockCalls({ latency_ms: () => 1 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, config: { judges: judgeAt(mock.base_url, 16) } })
  const origin = await service.ready
  const { id } = await postBatch(origin, makeTrials(ITEMS, 'mock'))
  const { counts } = await waitForEnd(origin, id)
  const results = await getResults(origin, id)
  expect(await service.stop()).toBe(0)
  return { counts, verdicts: verdictsOf(results), calls: mock.calls.length }
}

const GRADES = 'SELECT id, body FROM grades ORDER BY id'
const REPLIES = "SELECT id, reply_text, cost_usd FROM attempts WHERE outcome = 'ok' ORDER BY id"

test('what was acknowledged before the backup is there, the rest is graded again, and the counts add up', async () => {
  const calm = await runCalmly()
  const mock = await startMockCalls({ latency_ms: ({ nth }) => 15 + ((nth * 7) % 20) })
  const folder = tempFolder()
  const [database, backup] = [join(folder, 'veridict.sqlite'), join(folder, 'backup.sqlite')]
  const settings: ServiceSettings = { database, config: { judges: judgeAt(mock.base_url, 4) } }

  const first = spawnService(settings)
  const origin = await first.ready
  const { id } = await postBatch(origin, makeTrials(ITEMS, 'mock'))
  await waitUntil(origin, id, ({ counts }) => counts.pending + counts.running <= ITEMS - 30)
  const acknowledged = await getResults(origin, id)
  await backUpDatabase(database, backup)
  const atBackup = { grades: rows(backup, GRADES), replies: rows(backup, REPLIES), ledger: readLedger(backup) }
  expect(atBackup.grades.length).toBeGreaterThanOrEqual(acknowledged.length)
  expect(atBackup.grades.length).toBeLessThan(ITEMS)

  // After the backup: more items, and a batch that the backup knows nothing of.
  await waitUntil(origin, id, ({ counts }) => counts.pending + counts.running <= ITEMS - atBackup.grades.length - 20)
  const later = await postBatch(origin, makeTrials(2, 'mock'))
  await first.kill()
  const lostGrades = rows(database, GRADES).length - atBackup.grades.length
  expect(lostGrades).toBeGreaterThan(0)
  const callsBefore = mock.calls.length

  putBack(backup, database)
  const second = spawnService(settings)
  const again = await second.ready
  expect((await fetch(`${again}/v1/batches/${later.id}`)).status).toBe(404)
  const batch = await waitForEnd(again, id)
  const results = await getResults(again, id)
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
  const asked = mock.calls.length - callsBefore
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
      answer(body) {
        const text = JSON.stringify(body)
        return answerText(runOfBody(text), roundOfBody(text))
      },
      plan: () => ({ polls }),
      intercept: (method, path) =>
        provider.open || method !== 'POST' || !path.endsWith('/batches')
          ? undefined
          : { status: 503, body: '{"error":{"message":"not now"}}', headers: { 'content-type': 'application/json' } },
    })
    const folder = tempFolder()
    const database = join(folder, 'veridict.sqlite')
    const judge = { provider: 'openai', model: 'mock-1', base_url: mock.openai_base_url, effort: null }
    const config = { judges: { mock: { ...judge, key_env: 'OPENAI_API_KEY' } }, batches: { poll_seconds: 1 } }
    return { mock, provider, database, backup: join(folder, 'backup.sqlite'), settings: { database, config } }
  }

  test('recorded before the backup, sent after it: found there, and not sent again', async () => {
    const { mock, provider, database, backup, settings } = await startProvider(3)
    provider.open = false
    const first = spawnService(settings)
    const { id } = await postBatch(await first.ready, makeTrials(RUNS, 'mock'), '?mode=provider')
    await until(() => rows(database, "SELECT 1 FROM submissions WHERE status = 'recorded'").length === 1)
    await backUpDatabase(database, backup)
    provider.open = true
    await until(() => mock.counts.submits === 1)
    await first.kill()
    putBack(backup, database)
    const second = spawnService(settings)
    const batch = await waitForEnd(await second.ready, id)
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
