import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { BatchCluster, EngineDeps } from '../../src/batches/engine.ts'
import { BatchEngine } from '../../src/batches/engine.ts'
import type { BatchRecord, BatchStore } from '../../src/db/batches.ts'
import type { OpenItem } from '../../src/db/items.ts'
import type { Lease } from '../../src/ports/lease-ports.ts'
import type { SliceStore, WorkNotice } from '../../src/ports/slice-ports.ts'

const LEASE_S = 3

/** An engine over stores of the test, on a clock that goes as fast as it is waited for. */
function setUp(
  batches: Partial<BatchStore>,
  slices: Partial<SliceStore>,
  { adopts = true, judges = ['ours'], alone = false } = {},
) {
  let now = 0
  /** Leases that other processes hold. */
  const elsewhere = new Set<string>()
  const wanted: { readonly name: string; readonly at: number }[] = []
  const sent: Omit<WorkNotice, 'project'>[] = []
  const troubles: unknown[] = []
  const held = new Set<string>()
  const takeMany = async (names: readonly string[]) => {
    wanted.push(...names.map((name) => ({ name, at: now })))
    const taken = names.filter((name) => !elsewhere.has(name) && !held.has(name))
    for (const name of taken) held.add(name)
    return taken.map((name): Lease => ({ name, token: name, lost: new AbortController().signal }))
  }
  const lock = {
    isFree: true,
    isHeld: false,
    fault: null as Error | null,
    take() {
      if (lock.fault !== null) throw lock.fault
      lock.isHeld ||= lock.isFree
      return lock.isHeld
    },
    release() {
      lock.isHeld = false
    },
  }
  const marked: unknown[] = []
  const isHeld = async (name: string) => elsewhere.has(name)
  const cluster = {
    leases: { takeMany, isHeld, release: async ({ name }: Lease) => void held.delete(name), note: () => undefined },
    slices: {
      open: async () => [],
      free: async () => [],
      freeWhole: async () => [],
      cancel: async () => false,
      ...slices,
    },
  } as unknown as BatchCluster
  const onWork = vi.fn()
  const announced = new Set(judges)
  const engine = new BatchEngine({
    stores: {
      run_lock: lock,
      runner_judges: { put: async () => undefined, get: async () => ['ours'] },
      attempts: { markInterrupted: async (isRunner: boolean) => void marked.push(isRunner) },
      batches: { listUnclaimed: async () => ['bat_1', 'bat_2'], claim: async () => true, ...batches },
    },
    judges: new Map(judges.map((name) => [name, {}])),
    newId: () => 'bat_since_7',
    adopts,
    clock: {
      now: () => new Date(now),
      async sleep(ms: number) {
        now += ms
        await delay(1)
      },
    },
    notify: () => undefined,
    onTrouble: ({ batch, error }: { batch: string; error: unknown }) => troubles.push([batch, String(error)]),
    onStatus: () => undefined,
    cluster,
    lease_s: LEASE_S,
    company: alone
      ? null
      : {
          judges: announced,
          send: async (notice: (typeof sent)[number]) => void sent.push(notice),
          onCapacity: () => undefined,
          onWork,
        },
  } as unknown as EngineDeps)
  return { engine, elsewhere, wanted, held, sent, troubles, onWork, lock, marked, announced }
}

const BATCH = { id: 'bat_1', mode: 'direct', status: 'running', resumes_at: null } as unknown as BatchRecord
const open = (id: string) => ({ id, mode: 'direct', status: 'running', resumes_at: null, is_over: true }) as const

test('trouble with one batch is told, and keeps no other waiting', async () => {
  const finish = vi.fn(async (id: string) => {
    if (id === 'bat_1') throw new Error('damaged')
    return true
  })
  const { engine, troubles, onWork } = setUp({ finish }, { open: async (ids) => ids.map(open) })
  await engine.start()
  await vi.waitFor(() => expect(onWork).toHaveBeenCalled())
  await engine.stop()
  expect(finish.mock.calls.map(([id]) => id).slice(0, 2)).toEqual(['bat_1', 'bat_2'])
  expect(troubles[0]).toEqual(['bat_1', 'Error: damaged'])
})

test('a database that is away is told of once, and asked again', async () => {
  let looks = 0
  const listUnclaimed = async () => {
    looks += 1
    throw new Error('away')
  }
  const { engine, troubles } = setUp({ listUnclaimed }, {})
  await engine.start()
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3))
  await engine.stop()
  expect(troubles).toEqual([['', 'Error: away']])
})

test('a judge that another process announces is announced here once that process is gone, until the engine stops', async () => {
  const { engine, elsewhere, held } = setUp({}, {})
  elsewhere.add('judge:ours')
  await engine.start()
  expect([...held]).toEqual([])
  elsewhere.clear()
  await vi.waitFor(() => expect([...held]).toEqual(['judge:ours']))
  await engine.stop()
  expect([...held]).toEqual([])
})

test.each([
  ['ours', null],
  ['theirs', null],
  ['nobodys', 'nobodys'],
])('the next item of a batch needs %s: a missing worker is %s', async (judge, missing) => {
  const pending = async () => [{ request: { judge } }] as unknown as OpenItem[]
  const { engine, elsewhere } = setUp({ pending }, {})
  elsewhere.add('judge:theirs')
  expect(await engine.missingJudge(BATCH)).toBe(missing)
  expect(await engine.missingJudge({ ...BATCH, status: 'parked' })).toBe(null)
})

test('a batch is told to all; one that this process has for itself to nobody', async () => {
  const shared = setUp({}, {})
  await shared.engine.begin('bat_1')
  expect(shared.sent).toEqual([{ batch: 'bat_1' }])
  const seen: string[][] = []
  const see = async (ids: readonly string[]) => {
    seen.push([...ids])
    return []
  }
  const own = setUp({}, { open: see }, { adopts: false, judges: [] })
  await own.engine.begin('bat_3')
  await own.engine.start()
  await vi.waitFor(() => expect(seen).toContainEqual(['bat_3']))
  await own.engine.stop()
  expect(own.sent).toEqual([])
  expect(own.wanted).toEqual([])
})

test('a command on PostgreSQL runs its own batch with judges that no worker has', async () => {
  const pending = async () => [{ request: { judge: 'ours' } }] as unknown as OpenItem[]
  const { engine, announced } = setUp({ pending }, {}, { adopts: false })
  announced.clear()
  expect(await engine.missingJudge(BATCH)).toBe('ours')
  await engine.begin('bat_1')
  expect(await engine.missingJudge(BATCH)).toBe(null)
  await engine.stop()
})

test.each([
  ['ours', true],
  ['theirs', false],
])(
  'a command on SQLite that is stopped parks its own batch, unless that waits for a worker: %s',
  async (judge, isParked) => {
    const park = vi.fn(async () => true)
    const pending = async () => [{ request: { judge } }] as unknown as OpenItem[]
    const get = async () => BATCH
    const { engine, lock } = setUp({ park, pending, get }, {}, { adopts: false, alone: true })
    lock.isFree = false
    await engine.begin('bat_1')
    await engine.stop()
    expect(park.mock.calls).toEqual(isParked ? [['bat_1', 'the command that ran it was stopped', null]] : [])
  },
)

describe('the run lock of an SQLite file', () => {
  const see = () => {
    const seen: string[][] = []
    const open = async (ids: readonly string[]) => {
      if (ids.length > 0) seen.push([...ids])
      return []
    }
    return { seen, open }
  }

  test('a service that holds it runs every batch, after the calls of the holder before were settled', async () => {
    const { seen, open } = see()
    const { engine, lock, marked } = setUp({}, { open }, { alone: true })
    lock.isFree = false
    await engine.start()
    expect([seen, marked]).toEqual([[], []])
    lock.isFree = true
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1))
    expect([seen[0], marked]).toEqual([['bat_1', 'bat_2'], [true]])
    await engine.stop()
    expect(lock.isHeld).toBe(false)
  })

  test('a command takes it for its own batch only, and runs that and the batches made since', async () => {
    const { seen, open } = see()
    const listUnclaimed = async () => ['bat_1', 'bat_own', 'bat_since_5', 'bat_since_9']
    const { engine, lock } = setUp({ listUnclaimed, get: async () => null }, { open }, { adopts: false, alone: true })
    await engine.start()
    expect(lock.isHeld).toBe(false)
    await engine.begin('bat_own')
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0))
    expect(seen[0]).toEqual(['bat_own', 'bat_since_9'])
    await engine.stop()
  })

  test('a command learns that it cannot be used', async () => {
    const { engine, lock } = setUp({}, {}, { adopts: false, alone: true })
    lock.fault = new Error('read-only')
    await expect(engine.begin('bat_1')).rejects.toThrow('read-only')
    await engine.stop()
  })
})
