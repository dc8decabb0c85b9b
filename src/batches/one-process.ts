import type { BatchStore } from '../ports/batch-ports.ts'
import type { Lease } from '../ports/lease-ports.ts'
import { batchOfLease, leaseName, wholeOf } from '../ports/slice-ports.ts'
import type { BatchCluster } from './engine-deps.ts'

/**
 * SQLite, where the one slice of a batch is all of it: the process that has claimed the batch holds it, and no other process has a part of it.
 * With `adopts` false it keeps its claims for as long as it lives: no other process shall go on with what it was told to do.
 */
export function oneProcess(batches: BatchStore, adopts: boolean): BatchCluster {
  /** Names of the leases of what is worked on here. */
  const held = new Set<string>()
  /** Batches that could not be given back: still claimed, and not worked on. */
  const stuck = new Set<string>()

  function hold(name: string): Lease {
    held.add(name)
    return { name, token: '', lost: new AbortController().signal }
  }

  async function take(name: string): Promise<Lease[]> {
    if (held.has(name)) return []
    const lease = hold(name)
    let isOurs = false
    try {
      isOurs = await batches.claim(batchOfLease(name))
    } finally {
      if (!isOurs) held.delete(name)
    }
    return isOurs ? [lease] : []
  }

  async function release({ name }: Lease): Promise<void> {
    const id = batchOfLease(name)
    stuck.delete(id)
    if (adopts) await batches.release(id).catch(() => stuck.add(id))
    held.delete(name)
  }

  return {
    slices: {
      async open(ids) {
        const records = await Promise.all([...new Set([...ids, ...stuck])].map((id) => batches.get(id)))
        return records.flatMap((record) => {
          if (record === null || record.status === 'done' || record.status === 'cancelled') return []
          return { ...record, status: record.status, is_over: false }
        })
      },
      free: async () => [],
      freeWhole: async (ids) => ids.map(wholeOf).filter((whole) => !held.has(leaseName(whole))),
      // By the run that holds it.
      cancel: async () => false,
    },
    leases: {
      async takeMany(names) {
        const settled = await Promise.allSettled(names.map(take))
        const failed = settled.find((one) => one.status === 'rejected')
        const taken = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
        if (failed !== undefined && taken.length === 0) throw failed.reason
        return taken
      },
      release,
      holds: ({ name }) => batches.claim(batchOfLease(name)),
      note: () => undefined,
      inFlight: async () => 0,
    },
  }
}
