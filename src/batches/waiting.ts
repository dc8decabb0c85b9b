import type { BatchRecord } from '../db/batches.ts'
import { count } from '../domain/words.ts'
import type { Batch } from '../schemas/batch.ts'
import type { BatchDeps } from './run-chunk.ts'

/** The subject for which a batch waits, and the sentence that says so; empty where the batch runs. */
type Waiting = Pick<Batch, 'waiting_for'> & Partial<Pick<Batch, 'parked_reason'>>

/** Within this time both providers answer a batch or give the batch up. */
const PROVIDER_WINDOW_MS = 24 * 3_600_000
/** A call in flight for longer may be one of a process that has ended. */
const YOUNG_CALL_MS = 30_000

/** Creates the view of a batch. `runsHere` tells whether this process runs the batches of the database. */
export function createView({ stores, judges, clock, lost_ms }: BatchDeps, runsHere: () => boolean) {
  const { batches, provider, attempts, run_lock } = stores

  /** Finds the judge of the next item, or of an open submission. */
  async function nextJudge({ id, mode, status }: BatchRecord): Promise<string | null> {
    const [item] = status === 'running' ? await batches.pending(id, -1, 1) : []
    if (item !== undefined) return item.request.judge ?? ''
    return mode === 'provider' ? ((await provider.judges(id))[0] ?? null) : null
  }

  /** Tells whether no process that runs batches has the judge. */
  async function isMissing(judge: string): Promise<boolean> {
    if (runsHere() && (run_lock !== null || judges.has(judge))) return !judges.has(judge)
    // Without a holder of the run lock nothing is known: the next holder may have the judge.
    return run_lock?.isTaken() !== false && !(await stores.judges.hasWorker(judge))
  }

  /** Explains that all calls in flight are old. */
  function waitingSince(items: number, newest: number): Waiting {
    const age = clock.now().getTime() - newest
    if (age < YOUNG_CALL_MS) return {}
    const lost = new Date(newest + lost_ms).toISOString()
    const late = `waiting: ${count(items, 'item')} without an answer for ${Math.round(age / 1000)} s`
    const parked_reason = `${late}: the judge is slow, or the process that called has ended; lost calls are made again after ${lost}`
    return { waiting_for: 'answers', parked_reason }
  }

  /** Explains that no worker has the judge of the next item, or that the judge asked for a pause. */
  async function waitingFor(record: BatchRecord): Promise<Waiting> {
    const judge = await nextJudge(record)
    if (judge === null) return {}
    if (await isMissing(judge)) return { waiting_for: 'worker', parked_reason: `waiting: no worker for ${judge}` }
    const { paused_until, failure } = await stores.judges.get(judge)
    if (failure === null || paused_until <= clock.now().getTime()) return {}
    const until = new Date(paused_until).toISOString()
    return { waiting_for: 'judge', parked_reason: `${judge}: ${failure.code}, waiting until ${until}` }
  }

  /** Adds to a stored batch its items in flight, over all processes, the reason for which it waits, and its part that lies with a provider. */
  return async (record: BatchRecord): Promise<Batch> => {
    const { id, status, mode, counts } = record
    if (status === 'done' || status === 'cancelled') return record
    const runs = status === 'running' || status === 'cancelling'
    const isAsking = runs && counts.pending > 0
    const { items, newest } = isAsking ? await attempts.inFlight(id) : { items: 0, newest: null }
    const moved = newest === null ? 0 : Math.min(items, counts.pending)
    const wait = newest !== null ? waitingSince(items, Date.parse(newest)) : runs ? await waitingFor(record) : {}
    const round = mode === 'provider' ? await provider.round(id) : null
    const ends_by = new Date(Date.parse(round?.begun_at ?? '') + PROVIDER_WINDOW_MS)
    return {
      ...{ ...record, ...wait },
      counts: { ...counts, pending: counts.pending - moved, running: counts.running + moved },
      ...(round && { round: { ...round, ends_by: ends_by.toISOString() } }),
    }
  }
}
