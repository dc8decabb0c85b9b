import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { BatchEngine } from '../../src/batches/engine.ts'
import type { BatchCluster, EngineDeps } from '../../src/batches/engine-deps.ts'
import type { BatchStore } from '../../src/ports/batch-ports.ts'
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
  const cluster = {
    leases: { takeMany, release: async ({ name }: Lease) => void held.delete(name), note: () => undefined },
    slices: {
      open: async () => [],
      free: async () => [],
      freeWhole: async () => [],
      cancel: async () => false,
      ...slices,
    },
  } as unknown as BatchCluster
  const onWork = vi.fn()
  const engine = new BatchEngine({
    stores: { batches: { listUnclaimed: async () => ['bat_1', 'bat_2'], claim: async () => true, ...batches } },
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
          judges: new Set(judges),
          send: async (notice: (typeof sent)[number]) => void sent.push(notice),
          onCapacity: () => undefined,
          onWork,
        },
  } as unknown as EngineDeps)
  return { engine, elsewhere, wanted, held, sent, troubles, onWork }
}

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

test('slices of a judge that some process has are left to it; once nobody has had it for long they are taken', async () => {
  const foreign = { batch: 'bat_1', from: 0, judge: 'theirs', rank: 0 }
  const { engine, elsewhere, wanted, held } = setUp(
    { get: async () => null, finish: async () => false },
    { open: async (ids) => ids.map((id) => ({ ...open(id), is_over: false })), free: async () => [foreign] },
  )
  elsewhere.add('judge:theirs')
  await engine.start()
  const asked = (name: string) => wanted.filter((one) => one.name === name)
  await vi.waitFor(() => expect(asked('judge:theirs').at(-1)?.at).toBeGreaterThan(60_000))
  expect(asked('slice:bat_1:0')).toEqual([])
  expect([...held]).toContain('judge:ours')
  const gone = asked('judge:theirs').at(-1)?.at ?? 0
  elsewhere.clear()
  await vi.waitFor(() => expect(asked('slice:bat_1:0').length).toBeGreaterThan(0))
  expect(asked('slice:bat_1:0')[0]?.at).toBeGreaterThanOrEqual(gone + 2000 * LEASE_S)
  await engine.stop()
  expect([...held]).toEqual([])
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

test.each([
  ['its own', true],
  ['not one that a service has taken over meanwhile', false],
])('a command that is stopped parks %s', async (_, isOurs) => {
  let claims = 0
  const claim = vi.fn(async () => ++claims === 1 || isOurs)
  const park = vi.fn(async () => true)
  const { engine } = setUp(
    { claim, park, get: async () => null, finish: async () => false },
    {},
    { adopts: false, alone: true },
  )
  await engine.begin('bat_1')
  await engine.stop()
  expect(park.mock.calls).toEqual(isOurs ? [['bat_1', 'the command that ran it was stopped', null]] : [])
})
