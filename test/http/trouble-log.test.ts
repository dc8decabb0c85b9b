import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Trouble } from '../../src/batches/run-chunk.ts'
import { StorageError } from '../../src/db/errors.ts'
import { logTrouble } from '../../src/process/log.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { answeringJudge, makeItems, readLines, startBatch } from './make-batch.ts'

function logged(trouble: Trouble): Record<string, unknown> {
  const stream = new PassThrough()
  logTrouble(pino({ base: null, timestamp: false }, stream), trouble)
  return JSON.parse(String(stream.read())) as Record<string, unknown>
}

const refused = new StorageError('storage_busy', 'the server is gone', { server: 'db.example:5432', away: true })
const cut = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' })

test.each<[string, Trouble, Record<string, unknown>]>([
  [
    'of the store and no batch',
    { batch: '', error: refused },
    {
      ...{ code: 'storage_busy', detail: 'the server is gone', server: 'db.example:5432' },
      msg: 'work on batches met an error',
    },
  ],
  [
    'of the queue',
    { batch: '', error: cut },
    { code: 'ECONNREFUSED', detail: 'connect refused', msg: 'work on batches met an error' },
  ],
  [
    'of the store and a batch',
    { batch: 'bat_1', error: new StorageError('storage_full', 'full') },
    { batch: 'bat_1', code: 'storage_full', detail: 'full', msg: 'a batch met an error' },
  ],
])('trouble %s is told without a stack', (_of, trouble, line) => {
  expect(logged(trouble)).toEqual({ level: 50, ...line })
})

test('a mistake of our own brings its stack', () => {
  expect(logged({ batch: 'bat_1', error: new TypeError('oops') })).toMatchObject({
    msg: 'a batch met an error',
    err: { type: 'TypeError', stack: expect.stringContaining('trouble-log.test.ts') },
  })
})

test('a batch is logged as it begins, parks and ends, and no item of it', async () => {
  let isOut = true
  const judge = answeringJudge(() => (isOut ? { fail: 'quota_exhausted' } : GOOD_ANSWER))
  const app = await startApp({ judges: [judge] })
  const told = () =>
    readLines<{ msg: string; batch: string; status: string; items: number; counts: object; cost_usd: number }>(
      app.logs.join(''),
    ).filter(({ msg }) => msg.startsWith('a batch is'))
  const first = await startBatch(app, makeItems(3))
  await expect.poll(() => told().map(({ status }) => status)).toEqual(['running', 'parked'])
  isOut = false
  await app.post(`/v1/batches/${first.id}/resume`)
  await expect.poll(() => told().length).toBe(3)
  expect(told()[2]).toMatchObject({
    ...{ level: 30, batch: first.id, status: 'done', items: 3, cost_usd: expect.any(Number) },
    counts: { graded: 3, pending: 0 },
  })
  isOut = true
  const second = await startBatch(app, makeItems(3, { cache: 'refresh' }))
  await expect.poll(() => told().length).toBe(5)
  await app.post(`/v1/batches/${second.id}/cancel`)
  await expect
    .poll(() =>
      told()
        .slice(3)
        .map(({ batch, status }) => [batch, status]),
    )
    .toEqual([
      [second.id, 'running'],
      [second.id, 'parked'],
      [second.id, 'cancelled'],
    ])
})
