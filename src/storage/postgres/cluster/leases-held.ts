import type { Lease } from '../../../ports/lease-ports.ts'
import { StorageError } from '../../storage-error.ts'

export type HeldLeases = ReturnType<typeof createHeldLeases>

interface Held {
  readonly name: string
  readonly controller: AbortController
  ends: number
}

/** Lost a little before the server says so: the clocks need not run alike, and the check comes now and then. */
const MARGIN = 0.05

/** The leases of this process, by its own monotonic clock: it also knows without a database that one has run out. */
export function createHeldLeases(seconds: number) {
  const held = new Map<string, Held>()
  const endOf = (since: number) => since + seconds * 1000 * (1 - MARGIN)

  function lose(token: string): void {
    const one = held.get(token)
    if (one === undefined) return
    held.delete(token)
    one.controller.abort(new StorageError('lease_lost', `the lease ${one.name} was lost`))
  }

  return {
    /** `since`: when it was asked for, by `performance.now()`; the server’s time counts from later on. */
    add(name: string, token: string, since: number): Lease {
      const one: Held = { name, controller: new AbortController(), ends: endOf(since) }
      held.set(token, one)
      return {
        name,
        token,
        // A reader gets the truth, even where the process was stopped until now and no timer has run yet.
        get lost() {
          if (performance.now() >= one.ends) lose(token)
          return one.controller.signal
        },
      }
    },
    /** False where it was lost, or given back before. */
    remove: (token: string) => held.delete(token),
    tokens: () => [...held.keys()],
    /** `since`: when the renewal was sent. Those that are not among the renewed are lost. */
    renewed(asked: readonly string[], renewed: ReadonlySet<string>, since: number): void {
      for (const token of asked) {
        const one = held.get(token)
        if (one !== undefined && renewed.has(token)) one.ends = endOf(since)
        else lose(token)
      }
    },
    /** Loses what has run out. */
    check(): void {
      const now = performance.now()
      for (const [token, { ends }] of held) if (now >= ends) lose(token)
    },
    loseAll(): void {
      for (const token of held.keys()) lose(token)
    },
  }
}
