import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { ProjectTrouble } from '../../src/batches/engine-deps.ts'
import { logTrouble } from '../../src/process/trouble-log.ts'
import { StorageError } from '../../src/storage/storage-error.ts'

function logged(trouble: ProjectTrouble): Record<string, unknown> {
  const stream = new PassThrough()
  logTrouble(pino({ base: null, timestamp: false }, stream), trouble)
  return JSON.parse(String(stream.read())) as Record<string, unknown>
}

const refused = new StorageError('storage_busy', 'the server is gone', { server: 'db.example:5432', away: true })
const cut = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' })

test.each<[string, ProjectTrouble, Record<string, unknown>]>([
  [
    'of the store and no batch',
    { project: 'default', batch: '', error: refused },
    {
      ...{ project: 'default', code: 'storage_busy', detail: 'the server is gone', server: 'db.example:5432' },
      msg: 'work on batches met an error',
    },
  ],
  [
    'of the queue',
    { project: '', batch: '', error: cut },
    { code: 'ECONNREFUSED', detail: 'connect refused', msg: 'work on batches met an error' },
  ],
  [
    'of the store and a batch',
    { project: 'default', batch: 'bat_1', error: new StorageError('storage_full', 'full') },
    { project: 'default', batch: 'bat_1', code: 'storage_full', detail: 'full', msg: 'a batch met an error' },
  ],
])('trouble %s is told without a stack', (_of, trouble, line) => {
  expect(logged(trouble)).toEqual({ level: 50, ...line })
})

test('a mistake of our own brings its stack', () => {
  expect(logged({ project: 'default', batch: 'bat_1', error: new TypeError('oops') })).toMatchObject({
    msg: 'a batch met an error',
    err: { type: 'TypeError', stack: expect.stringContaining('trouble-log.test.ts') },
  })
})
