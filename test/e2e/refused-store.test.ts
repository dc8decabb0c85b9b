import { afterEach, expect, test } from 'vitest'
import { StorageError } from '../../src/db/errors.ts'
import type { AttemptLedger } from '../../src/db/ledger.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, makeItems, startBatch } from '../http/make-batch.ts'
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

test('told to stop well before the ten seconds are over, it does not wait', async () => {
  const id = await startRefused()
  expect((await tell(id, 'cancel')).statusCode).toBe(202)
  await expect.poll(async () => (await look(id)).status, { timeout: 8000 }).toBe('cancelled')
})
