import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { readLedger } from '../e2e/ledger.ts'
import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { callsOfAll, labelsOf } from '../e2e/trials.ts'
import { postJson } from '../local-server.ts'
import { sendBatch } from './batch-operations.ts'
import { emptyDisk, fillDisk, isLinux, makeSmallDisk, pidOf, setLimit } from './machine.ts'
import { findBroken } from './stored-state.ts'
import { recordRow } from './sweep.ts'
import { get, readEnded } from './user.ts'
import { sleep } from './victim.ts'

/** A disk that takes no more bytes, for a while, under a batch that runs. */

const ITEMS = 40

/** The ways to fill the disk of a service and to make room again; `makeFolder` answers null where this user may not. */
const WAYS = [
  {
    name: 'a tmpfs of 12 MiB',
    makeFolder: () => makeSmallDisk(12),
    fill: (folder: string) => fillDisk(folder),
    empty: (folder: string) => emptyDisk(folder),
  },
  {
    name: 'a limit of the size of files (EFBIG)',
    makeFolder: () => (isLinux ? tempFolder() : null),
    fill: (folder: string, pid: number) =>
      setLimit(pid, 'fsize', Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size))),
    empty: (_: string, pid: number) => setLimit(pid, 'fsize', 'unlimited'),
  },
]

test.each(WAYS)('a disk without room: $name', { timeout: 60_000 }, async ({ name, makeFolder, fill, empty }) => {
  const folder = makeFolder()
  if (folder === null) return
  const mock = await startMockCalls({ latency_ms: () => 60 })
  const database = join(folder, 'veridict.sqlite')
  const service = spawnService({ database, config: { judges: judgeAt(mock.base_url, 4) } })
  const origin = await service.ready
  const id = await sendBatch(origin, '', ITEMS)
  while ((await get<Batch>(origin, `/v1/batches/${id}`)).counts.graded < 4) await sleep(20)
  fill(folder, pidOf(service))
  expect(await untilRefused(origin)).toBe('storage_full')
  const ready = await fetch(`${origin}/readyz`)
  // As the grades do.
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ code: 'storage_full' })])
  // What is stored can be read all the same.
  expect((await fetch(`${origin}/v1/batches/${id}`)).status).toBe(200)
  await sleep(1500)
  const held = mock.calls.length
  await sleep(1500)
  // Nothing more is bought while nothing can be stored.
  expect(mock.calls.length).toBe(held)
  empty(folder, pidOf(service))
  const { batch, results } = await readEnded(origin, id)
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  expect(await service.stop()).toBe(0)
  expect(batch).toMatchObject({ status: 'done', counts: { failed: 0, total: ITEMS }, calls: { unknown: 0 } })
  expect(results.map((one) => one.label)).toEqual(labelsOf(ITEMS))
  // Everything that was paid for is in the ledger, once.
  expect(mock.calls).toHaveLength(callsOfAll(ITEMS))
  expect(readLedger(database)).toMatchObject({ outcomes: { ok: callsOfAll(ITEMS) }, graded_twice: 0, paid_twice: 0 })
  expect(findBroken(database)).toEqual([])
  recordRow({
    operation: `full disk: ${name}`,
    act: 'full',
    promise:
      '503 for writes, reads go on; nothing is bought that cannot be stored, nothing paid for is lost; it goes on by itself',
  })
})

/** New trajectories, until one does not fit. */
async function untilRefused(origin: string): Promise<string> {
  for (let run = 1000; run < 1400; run++) {
    const trial = { steps: [{ actor: 'user', text: `${run} ${'x'.repeat(200)}` }] }
    const response = await postJson(`${origin}/v1/trajectories`, trial)
    if (response.status === 503) return ((await response.json()) as { code: string }).code
    expect(response.status).toBeLessThan(300)
  }
  throw new Error('nothing is refused')
}
