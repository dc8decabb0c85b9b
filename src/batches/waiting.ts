import type { BatchRecord } from '../db/batches.ts'
import { count } from '../domain/words.ts'
import type { BatchWait } from '../schemas/vocabulary.ts'
import type { BatchDeps } from './run-chunk.ts'

/** The subject for which a batch waits, and the sentence that says so. */
interface Waiting {
  readonly for: BatchWait
  readonly reason: string
}

/** A call in flight for longer may be one of a process that has ended. */
const YOUNG_CALL_MS = 30_000

/** Creates the readings that explain for which judge a batch waits. `runsHere` tells whether this process runs the batches of the database. */
export function createWaiting({ stores, judges, clock, lost_ms }: BatchDeps, runsHere: () => boolean) {
  const { batches, provider, attempts, run_lock } = stores

  /** Finds the judge of the next item, or of an open submission. */
  async function nextJudge({ id, mode, status }: BatchRecord): Promise<string | null> {
    const [item] = status === 'running' ? await batches.pending(id, -1, 1) : []
    if (item !== undefined) return item.request.judge ?? ''
    return mode === 'provider' ? ((await provider.judges(id))[0] ?? null) : null
  }

  /** Tells whether no process that runs batches has the judge. */
  async function isMissing(judge: string): Promise<boolean> {
    if (runsHere() && judges.has(judge)) return false
    // Without a holder of the run lock nothing is known: the next holder may have the judge.
    if (run_lock !== null && !runsHere() && !run_lock.isTaken()) return false
    const hasOthers = run_lock === null || !runsHere()
    return !(hasOthers && (await stores.judges.hasWorker(judge)))
  }

  /** Explains that all calls in flight are old; null: a call is young. */
  function waitingSince(items: number, newest: number): Waiting | null {
    const age = clock.now().getTime() - newest
    if (age < YOUNG_CALL_MS) return null
    const lost = new Date(newest + lost_ms).toISOString()
    const late = `waiting: ${count(items, 'item')} without an answer for ${Math.round(age / 1000)} s`
    const reason = `${late}: the judge is slow, or the process that called has ended; lost calls are made again after ${lost}`
    return { for: 'answers', reason }
  }

  async function waitingFor(record: BatchRecord): Promise<Waiting | null> {
    const judge = await nextJudge(record)
    if (judge === null) return null
    if (await isMissing(judge)) return { for: 'worker', reason: `waiting: no worker for ${judge}` }
    const { paused_until, failure } = await stores.judges.get(judge)
    if (failure === null || paused_until <= clock.now().getTime()) return null
    return { for: 'judge', reason: `${judge}: ${failure.code}, waiting until ${new Date(paused_until).toISOString()}` }
  }

  return {
    /** Tells whether a running batch waits for a judge that no process has. */
    async lacksJudge(record: BatchRecord): Promise<boolean> {
      const judge = record.status === 'running' ? await nextJudge(record) : null
      return judge !== null && (await isMissing(judge))
    },
    /**
     * Counts the items in flight, in all processes, and explains that the batch waits: no worker has the judge of its next item, the judge asked for a
     * pause, or the calls in flight are old; null: the batch runs.
     */
    async view(record: BatchRecord): Promise<{ readonly in_flight: number; readonly waiting: Waiting | null }> {
      const { id, status, counts } = record
      if (status !== 'running' && status !== 'cancelling') return { in_flight: 0, waiting: null }
      const { items, newest } = counts.pending === 0 ? { items: 0, newest: null } : await attempts.inFlight(id)
      if (newest !== null) return { in_flight: items, waiting: waitingSince(items, Date.parse(newest)) }
      return { in_flight: 0, waiting: await waitingFor(record) }
    },
  }
}
