import { expect, test } from 'vitest'
import type { Planner } from '../../src/batches/planner.ts'
import { Supervisor } from '../../src/batches/supervisor.ts'
import type { BatchStore } from '../../src/ports/batch-ports.ts'
import type { Lease, LeaseStore } from '../../src/ports/lease-ports.ts'

/** One lease for all. */
function makeLeases(): Pick<LeaseStore, 'take' | 'release'> {
  let held: Lease | null = null
  return {
    async take(name) {
      if (held !== null) return null
      held = { name, token: 'token', lost: new AbortController().signal }
      return held
    },
    async release(lease) {
      if (held === lease) held = null
    },
  }
}

test('a supervisor that cannot work leaves the work to another', async () => {
  const leases = makeLeases() as LeaseStore
  const batches = { get: async () => ({ id: 'bat_1', mode: 'direct', status: 'running' }) } as unknown as BatchStore
  const stop = new AbortController()
  const troubles: unknown[] = []
  const mended: string[] = []
  const keep = (name: string, mend: () => Promise<void>) =>
    new Supervisor({
      batches,
      leases,
      planner: { mend } as unknown as Planner,
      clock: { now: () => new Date(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
      every_ms: 10,
      ids: async () => ['bat_1'],
      isAlone: false,
      notify: () => undefined,
      onTrouble: ({ error }) => troubles.push([name, error]),
    }).keep(stop.signal)
  const refuse = async () => Promise.reject(new Error('its queue is out of reach'))
  const broken = keep('broken', refuse)
  const sound = keep('sound', async () => void mended.push('sound'))
  await new Promise((resolve) => setTimeout(resolve, 500))
  stop.abort()
  await Promise.all([broken, sound])
  expect(troubles.length).toBeGreaterThan(0)
  expect(mended.length).toBeGreaterThan(0)
})
