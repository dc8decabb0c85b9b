import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { readLedger } from '../e2e/ledger.ts'
import { judgeAt, startMockCalls } from '../e2e/mock-calls.ts'
import { type ServiceProcess, spawnService, tempFolder } from '../e2e/service-process.ts'
import { callsOfAll, labelsOf } from '../e2e/trials.ts'
import { postJson } from '../local-server.ts'
import { sendBatch } from './batch-operations.ts'
import { emptyDisk, fillDisk, makeSmallDisk, pidOf, setLimit } from './machine.ts'
import { findBroken } from './stored-state.ts'
import { recordRow } from './sweep.ts'
import { get, readEnded } from './user.ts'
import { sleep } from './victim.ts'

/** A disk that is really full, for a while, under a batch that runs. */

const ITEMS = 40
const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
if (!slow) process.stdout.write('faults: two of three full disks are left out: set VERIDICT_SLOW_TESTS=1\n')

interface Disk {
  readonly name: string
  readonly folder: string
  readonly env?: NodeJS.ProcessEnv
  readonly take: (service: ServiceProcess) => void
  readonly give: (service: ServiceProcess) => void
  /** What the service says of it. */
  readonly code: string
  /** Whether even what needs no new page is refused. */
  readonly refuses_all: boolean
}

async function fill(disk: Disk): Promise<void> {
  const mock = await startMockCalls({ latency_ms: () => 60 })
  const database = join(disk.folder, 'veridict.sqlite')
  const config = { judges: judgeAt(mock.base_url, 4) }
  const service = spawnService({ database, config, ...(disk.env && { env: disk.env }) })
  const origin = await service.ready
  const id = await sendBatch(origin, '', ITEMS)
  while ((await get<Batch>(origin, `/v1/batches/${id}`)).counts.graded < 4) await sleep(20)
  disk.take(service)
  const refused = await untilRefused(origin)
  expect(refused).toBe(disk.code)
  if (disk.refuses_all) {
    const ready = await fetch(`${origin}/readyz`)
    // As the grades do.
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ code: disk.code })])
  }
  // What is stored can be read all the same.
  expect((await fetch(`${origin}/v1/batches/${id}`)).status).toBe(200)
  await sleep(1500)
  const held = mock.calls.length
  await sleep(1500)
  // Nothing more is bought while nothing can be stored.
  expect(mock.calls.length).toBe(held)
  disk.give(service)
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
    operation: `full disk: ${disk.name}`,
    act: 'full',
    promise:
      '503 for writes, reads go on; nothing is bought that cannot be stored, nothing paid for is lost; it goes on by itself',
  })
}

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

test('a file system without room', async () => {
  const folder = makeSmallDisk(12)
  if (folder === null) return
  await fill({
    name: 'a tmpfs of 12 MiB',
    folder,
    take: () => fillDisk(folder),
    give: () => emptyDisk(folder),
    code: 'storage_full',
    refuses_all: true,
  })
}, 60_000)

test.skipIf(!slow)(
  'a database that may have no more pages (max_page_count)',
  async () => {
    const toggle = ({ child }: ServiceProcess) => void child.kill('SIGUSR2')
    await fill({
      name: 'max_page_count',
      folder: tempFolder(),
      env: { NODE_OPTIONS: `--import ${resolve('test/faults/page-limit.ts')}` },
      take: toggle,
      give: toggle,
      code: 'storage_full',
      refuses_all: false,
    })
  },
  60_000,
)

test.skipIf(!slow)(
  'a limit on the size of files (RLIMIT_FSIZE)',
  async () => {
    const folder = tempFolder()
    await fill({
      name: 'RLIMIT_FSIZE',
      folder,
      take: (service) => setLimit(pidOf(service), 'fsize', statSync(join(folder, 'veridict.sqlite')).size > 0 ? 1 : 0),
      give: (service) => setLimit(pidOf(service), 'fsize', 'unlimited'),
      // The system says EFBIG, which SQLite does not take for a full disk.
      code: 'storage_error',
      refuses_all: true,
    })
  },
  60_000,
)
