import { isLeaseLost, type Lease } from '../ports/lease-ports.ts'
import type { Clock, Stores } from '../ports/ports.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import type { Judged } from './judging.ts'

/** Who asks a question, and how. */
export interface Flight {
  /** Equal keys are asked once at a time, by whatever process. */
  readonly key: string
  /** What answers it already; null: nothing does. */
  look(): Promise<Grade | null>
  /** Asks, under the lease of the question where several processes share the database. */
  judge(lease: Lease | null): Promise<Judged>
  /** Ends the waiting for another process. */
  readonly signal: AbortSignal | undefined
}

interface Flown {
  /** This call did the work. */
  readonly led: boolean
  readonly value: Judged
}

/** A lost lease is taken again, for what its holder has paid for: so often in one flight. */
const MOST_LOSSES = 3
/** A lease that has run out is not free before its last holder’s commit has ended. */
const TAKE_AGAIN_MS = 50

/** Equal questions in flight are asked once: in this process, and over all processes of the database. */
export function createFlights(
  stores: Pick<Stores, 'cluster' | 'grades'>,
  clock: Clock,
): (flight: Flight) => Promise<Flown> {
  const local = new Map<string, Promise<Flown>>()
  return async (flight) => {
    const flying = local.get(flight.key)
    if (flying !== undefined) return { ...(await flying), led: false }
    const flown = fly(stores, clock, flight).finally(() => local.delete(flight.key))
    local.set(flight.key, flown)
    return flown
  }
}

async function fly(stores: Pick<Stores, 'cluster' | 'grades'>, clock: Clock, flight: Flight): Promise<Flown> {
  if (stores.cluster === null) return { led: true, value: await flight.judge(null) }
  const { leases } = stores.cluster
  const name = `flight:${flight.key}`
  for (let losses = 0; ; ) {
    const lease = await leases.take(name)
    if (lease === null) {
      const released = await leases.wait(name, flight.signal)
      if (released === null) return { led: true, value: { kind: 'passed_over', failure: CANCELLED } }
      const grade = released.result === null ? null : await stores.grades.get(released.result)
      if (grade !== null) return { led: false, value: { kind: 'graded', grade, cached: false } }
      await clock.sleep(TAKE_AGAIN_MS)
      continue
    }
    const flown = await lead(flight, lease).catch((error: unknown) => {
      void leases.release(lease)
      losses += 1
      if (!isLeaseLost(error) || losses >= MOST_LOSSES || flight.signal?.aborted) throw error
      return null
    })
    if (flown === null) continue
    // No caller that has its answer waits for that.
    void leases.release(lease, flown.value.kind === 'graded' ? flown.value.grade.id : undefined)
    return flown
  }
}

/** The holder before may have answered the question meanwhile. */
async function lead(flight: Flight, lease: Lease): Promise<Flown> {
  const known = await flight.look()
  if (known !== null) return { led: false, value: { kind: 'graded', grade: known, cached: false } }
  return { led: true, value: await flight.judge(lease) }
}

const CANCELLED: Failure = {
  code: 'cancelled',
  message: 'the item was called away while another process asked its question',
  retryable: true,
  retry_after_s: null,
}
