/**
 * Work that one process of many does. A lease is lost when its holder says nothing for as long as it runs: then another process may take
 * it, under a new token, and whatever the old holder still writes under the old token is refused by the store.
 */
export interface Lease {
  /** What is done, such as `slice:bat_…:160`, `flight:sha256:…` or `provider:bat_…`. One holder at a time. */
  readonly name: string
  /** The fencing token: new with each taking, never used again. Empty on SQLite, where no write is checked. */
  readonly token: string
  /** Aborted when it is known to be lost: begin nothing more under it. */
  readonly lost: AbortSignal
}

/** What a process that waited for a lease hears: it is free (gone or run out), and what its last holder left to say, if anything. */
export interface Released {
  readonly result: string | null
}

/** Leases over all processes of a database. All times are those of the server’s clock. */
export interface LeaseStore {
  /** Null: another process holds it. */
  take(name: string): Promise<Lease | null>
  /** Takes those that are free, in order. */
  takeMany(names: readonly string[]): Promise<readonly Lease[]>
  /** Whether it is still held, as far as can be told. */
  holds(lease: Lease): Promise<boolean>
  /** Says how much is being done under it: shown to others. */
  note(lease: Lease, inFlight: number): void
  /** Gives it back; `result` is kept for a minute for those that wait. Nothing where it is lost. */
  release(lease: Lease, result?: string): Promise<void>
  /** Resolves when the lease may be free; null where `signal` comes first. Hears of a release at once, of a death when it runs out. */
  wait(name: string, signal?: AbortSignal): Promise<Released | null>
  /** What all processes have in flight under live leases whose names begin so. */
  inFlight(prefix: string): Promise<number>
  /** Whether a process holds a lease of this name. */
  isHeld(name: string): Promise<boolean>
  /** Gives everything back; nothing can be taken any more. */
  close(): Promise<void>
}

/** Thrown (as a StorageError with this code) by what is written under a lease that was lost: nothing was written. */
const LEASE_LOST = 'lease_lost'

export const isLeaseLost = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === LEASE_LOST
