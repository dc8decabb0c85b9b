import { setTimeout as delay } from 'node:timers/promises'
import type { Lease, LeaseStore } from '../../src/ports/lease-ports.ts'
import type { Stores } from '../../src/db/stores.ts'

export function leasesOf({ cluster }: Pick<Stores, 'cluster'>): LeaseStore {
  if (cluster === null) throw new Error('PostgreSQL has a cluster')
  return cluster.leases
}

export async function takeSurely(leases: LeaseStore, name: string): Promise<Lease> {
  for (let tries = 0; tries < 200; tries++) {
    const lease = await leases.take(name)
    if (lease !== null) return lease
    await delay(20)
  }
  throw new Error(`nobody gives ${name} back`)
}
