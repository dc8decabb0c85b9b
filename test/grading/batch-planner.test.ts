import { expect, test } from 'vitest'
import { Planner } from '../../src/batches/planner.ts'
import { createMemoryQueue } from '../../src/batches/shared/memory-queue.ts'
import type { BatchRecord, BatchStore } from '../../src/ports/batch-ports.ts'
import type { LeaseStore } from '../../src/ports/lease-ports.ts'
import { rankOf, SLICE_ITEMS, type SliceStore } from '../../src/ports/slice-ports.ts'

const SLICES = 62_500

test('of a large batch a part stands in the queue; what follows comes as that is done, until all is', async () => {
  const open = new Set(Array.from({ length: SLICES }, (_, at) => at * SLICE_ITEMS))
  let looks = 0
  const slices: Pick<SliceStore, 'pending'> = {
    async pending(_batch, from, most) {
      looks += 1
      return [...open]
        .filter((one) => one >= from)
        .slice(0, most / SLICE_ITEMS)
        .map((one) => ({ from: one, judge: 'j' }))
    },
  }
  const leases = {
    takeMany: async (names: readonly string[]) => names.map((name) => ({ name })),
    release: async () => undefined,
  }
  const finished: string[] = []
  const queue = createMemoryQueue()
  const planner = new Planner({
    project: 'p',
    batches: { finish: async (id: string) => void finished.push(id) } as unknown as BatchStore,
    leases: leases as unknown as LeaseStore,
    slices: slices as SliceStore,
    queue,
    clock: { now: () => new Date(), sleep: async () => undefined },
    old_s: 1000,
    traceparent: () => undefined,
  })
  const record = { id: 'bat_1', mode: 'direct', status: 'running' } as BatchRecord
  await planner.plan(record)
  let most = 0
  while (finished.length === 0) {
    looks = 0
    const jobs = await queue.fetch('j', SLICES)
    most = Math.max(most, jobs.length)
    expect(jobs.map(rankOf)).toEqual(jobs.map((_, at) => at))
    for (const { from } of jobs) open.delete(from)
    await queue.complete(jobs)
    await planner.mend(record)
    expect(looks).toBeLessThan(5)
  }
  expect(open.size).toBe(0)
  expect(most).toBeLessThan(5000)
})
