import { afterEach, expect, test } from 'vitest'
import { StorageError } from '../../src/db/errors.ts'
import type { GradeStore } from '../../src/db/grades.ts'
import type { AttemptLedger } from '../../src/db/ledger.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems, startBatch } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'

let app: TestApp
afterEach(() => app.stop())

/** A batch whose ledger refuses the first call: its run has ended, and it would try again in ten seconds. */
async function startRefused(): Promise<string> {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const ledger = app.context.stores.attempts as { reserve: AttemptLedger['reserve'] }
  const { reserve } = ledger
  let refused = false
  ledger.reserve = () => {
    refused = true
    return Promise.reject(new StorageError('storage_busy', 'the database is locked by another process'))
  }
  const { id } = await startBatch(app, makeItems(5))
  while (!refused || (await look(id)).counts.running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  ledger.reserve = reserve
  expect(await look(id)).toMatchObject({ status: 'running', counts: { pending: 5 } })
  return id
}

const look = (id: string) => app.read<Batch>(`/v1/batches/${id}`)
const tell = (id: string, what: string) => app.post(`/v1/batches/${id}/${what}`)

/** Well before the ten seconds are over. */
const SOON = { timeout: 8000, interval: 20 }

test('told to stop, it does not wait', async () => {
  const id = await startRefused()
  expect((await tell(id, 'cancel')).statusCode).toBe(202)
  await expect.poll(async () => (await look(id)).status, SOON).toBe('cancelled')
})

test('told nothing, it goes on by itself', async () => {
  const id = await startRefused()
  const { batch } = await finish(app, id)
  expect(batch).toMatchObject({ status: 'done', counts: { graded: 5 }, calls: { made: 5 } })
})

/** A batch, the store refusing the grades for which `isRefused` says so; told to go on until it has ended or is parked. */
async function runRefusing(items: number, isRefused: (put: number, item: number) => boolean): Promise<Batch> {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const grades = app.context.stores.grades as { put: GradeStore['put'] }
  const put = grades.put
  let puts = 0
  let refused = 0
  grades.put = (record) => {
    if (!isRefused(++puts, record.item?.index ?? -1)) return put(record)
    refused++
    return Promise.reject(new StorageError('storage_error', 'the database answered SQLITE_IOERR_WRITE'))
  }
  const { id } = await startBatch(app, makeItems(items))
  for (let seen = 0; ; ) {
    const batch = await look(id)
    if (batch.status !== 'running') return batch
    if (refused > seen && batch.counts.running === 0) {
      seen = refused
      await tell(id, 'resume')
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('what is refused now and then, at other items, is not damage', async () => {
  const batch = await runRefusing(200, (put) => put % 40 === 20)
  expect(batch).toMatchObject({ status: 'done', counts: { graded: 200 } })
})

test('an item that is refused each time parks its batch', async () => {
  const { status, parked_reason } = await runRefusing(10, (_put, item) => item === 4)
  expect([status, parked_reason]).toEqual(['parked', expect.stringContaining('refused 3 times in a row')])
})
