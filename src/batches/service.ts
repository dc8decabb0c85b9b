import type { BatchQuery } from '../db/batches.ts'
import type { Payer } from '../db/spending.ts'
import { count } from '../domain/words.ts'
import type { RegradeRequest } from '../schemas/agreement.ts'
import type { Batch, BatchEstimate } from '../schemas/batch.ts'
import { COMMAND_STOPPED } from '../schemas/vocabulary.ts'
import { isEnded } from './follow.ts'
import { type BatchPlan, type Incoming, planRegrade, selectGrades, takeBatch } from './intake.ts'
import type { BatchDeps, Parking } from './run-chunk.ts'
import { createBatchWork } from './work.ts'

/** A draft whose items arrive for longer belongs to a process that has died. */
const LONGEST_DRAFT_MS = 24 * 3_600_000
/** Between two looks at an SQLite file: no process tells another of a new batch. */
const FILE_SWEEP_MS = 1000
/** Between two looks at a PostgreSQL, where jobs tell of work. */
const SERVER_SWEEP_MS = 15_000
/** Between two signs of life of this process, and between two searches for lost calls. */
const UPKEEP_MS = 10_000

export type BatchService = ReturnType<typeof createBatchService>

/** Creates the service of batches. On PostgreSQL every worker takes chunks from shared queues; on SQLite the holder of the run lock runs all of them. */
export function createBatchService(deps: BatchDeps) {
  const { stores, adopts, judges, jobs, clock, newId } = deps
  const { batches, run_lock } = stores
  /** The batches that a command made or resumed. */
  const own = new Set<string>()
  /** An id of the time at which this process began to run batches; null: it runs none. */
  let leadsSince: string | null = null
  let starting: Promise<void> | null = null
  const stopping = new AbortController()
  const loops: Promise<void>[] = []
  /** Whether this process shares the batches of a PostgreSQL with others. */
  const isShared = run_lock === null
  const work = createBatchWork(deps)
  const view = createView(deps, work.restOf, () => leadsSince !== null)

  const now = (): number => clock.now().getTime()
  const troubleOf = (batch: string) => (error: unknown) => deps.onTrouble({ batch, error })
  const markLost = (isRunner = false): Promise<number> =>
    stores.attempts.markLost(new Date(now() - deps.lost_ms).toISOString(), isRunner)
  const announce = async () => leadsSince !== null && stores.judges.announce([...judges.keys()])
  const upkeep = () => Promise.all([announce(), markLost()])

  /** Repeats work until the service stops; tells of trouble once, until the work succeeds again. */
  async function repeat(ms: number, work: () => Promise<unknown>): Promise<void> {
    for (let isTold = false; ; ) {
      await clock.sleep(ms, stopping.signal).catch(() => undefined)
      if (stopping.signal.aborted) return
      try {
        await work()
        isTold = false
      } catch (error) {
        if (!isTold) deps.onTrouble({ batch: '', error })
        isTold = true
      }
    }
  }

  function startLoops(): void {
    if (loops.length > 0) return
    loops.push(repeat(isShared ? SERVER_SWEEP_MS : FILE_SWEEP_MS, sweep), repeat(UPKEEP_MS, upkeep))
  }

  /** Parks the batch of a stopped command: no other process shall go on with the batch, and pay. */
  async function parkOwn(id: string): Promise<void> {
    const record = await batches.get(id)
    if (record === null || (await view(record)).waiting_for === 'worker') return
    // A parked batch with a time would go on at that time.
    if (record.resumes_at !== null) await batches.resume(id)
    await batches.park(id, COMMAND_STOPPED, null)
  }

  /** Begins a stored batch. A command learns of an unusable run lock; every other failure is tried again by the next sweep. */
  async function begin(id: string): Promise<void> {
    if (!adopts && !isShared) {
      // A command that cannot use the run lock parks its batch as it stops.
      own.add(id)
      run_lock.take()
    }
    try {
      if (isShared || (await lead())) await work.enqueue(id)
      if (!isShared) startLoops()
    } catch (error) {
      deps.onTrouble({ batch: id, error })
    }
  }

  /** Puts the chunks of batches without a job into the queues, where a chunk that is added twice does no harm; wakes and ends batches. */
  async function sweep(): Promise<void> {
    const isRunner = await lead()
    if (isShared ? !adopts : !isRunner) return
    // A command does not pay for batches that earlier processes left behind.
    const isOurs = (id: string) => adopts || own.has(id) || id > (leadsSince ?? id)
    const due = await batches.listDue(new Date(now()).toISOString())
    const busy = await jobs.busy()
    for (const { id, status, is_open } of due) {
      if (stopping.signal.aborted) return
      // The jobs of a batch may wait for a worker that does not come: other batches than those that run their items need none.
      if ((status === 'running' && is_open && busy.has(id)) || !isOurs(id)) continue
      const woken = status === 'parked' ? batches.resume(id) : Promise.resolve()
      await woken.then(() => work.enqueue(id)).catch(troubleOf(id))
    }
  }

  /** Begins to run batches where this process may; tells whether this process runs them. */
  async function lead(): Promise<boolean> {
    starting ??= startRuns().finally(() => {
      starting = null
    })
    await starting
    return leadsSince !== null
  }

  /** Starts the jobs of this process; on SQLite with the run lock, which a command without a batch leaves alone, and settles the calls of its last holder. */
  async function startRuns(): Promise<void> {
    if (leadsSince !== null || stopping.signal.aborted) return
    if (!(isShared ? deps.works : (adopts || own.size > 0) && run_lock.take())) return
    if (!isShared) await markLost(true)
    await jobs.start([...judges.keys()], work.doJob)
    leadsSince = newId('bat')
    await announce()
  }

  async function create(plan: BatchPlan, items: Incoming): Promise<Batch> {
    const batch = await takeBatch(deps, plan, items)
    deps.onStatus(batch)
    await begin(batch.id)
    return batch
  }

  const estimate = async (plan: BatchPlan, items: Incoming): Promise<BatchEstimate> =>
    (await import('./estimate.ts')).estimateBatch(deps, plan, items)

  return {
    work,
    create,
    estimate,
    regrade: async (request: RegradeRequest, payer: Payer | null = null): Promise<Batch> =>
      create(await planRegrade(stores, request, payer), selectGrades(stores, request)),
    estimateRegrade: async (request: RegradeRequest): Promise<BatchEstimate> =>
      estimate(await planRegrade(stores, request, null), selectGrades(stores, request)),
    get: (id: string): Promise<Batch | null> => batches.get(id).then((record) => record && view(record)),
    list: async (query: BatchQuery): Promise<readonly Batch[]> => Promise.all((await batches.list(query)).map(view)),
    results: batches.results,
    /** Cancels all items but those in flight. Null: no such batch; false: the batch has ended. */
    async cancel(id: string): Promise<boolean | null> {
      if ((await batches.get(id)) === null) return null
      if (!(await batches.requestCancel(id))) return false
      work.leave(id)
      // Calls in flight end first, and the last chunk or the sweep ends the batch.
      await work.enqueue(id).catch(troubleOf(id))
      return true
    },
    /** Goes on with a parked batch, or with a batch that no process runs. Null: no such batch; false: the batch has ended. */
    async resume(id: string): Promise<boolean | null> {
      const record = await batches.get(id)
      if (record === null) return null
      if (isEnded(record)) return false
      // An operator has mended its judges.
      if (record.status === 'parked') {
        await stores.judges.resume([...judges.keys()])
        for (const judge of judges.keys()) deps.laneOf(judge).restsUntil = 0
        await batches.resume(id)
      }
      work.leave(id)
      await begin(id)
      return true
    },
    /** Starts the loops of a service, which goes on with the batches of earlier processes. */
    async start(): Promise<void> {
      await batches.discardAbandoned(new Date(now() - LONGEST_DRAFT_MS).toISOString())
      // A worker that cannot run batches does not start.
      if (isShared) await lead()
      // The service answers already: the next sweep repeats work that the database refused.
      await sweep().catch(troubleOf(''))
      startLoops()
    },
    /** Begins nothing more; resolves once nothing is in flight and other processes can take over. */
    async stop(): Promise<void> {
      stopping.abort()
      await jobs.stop()
      await Promise.all(loops)
      if (isShared) return
      for (const id of own) await parkOwn(id).catch(troubleOf(id))
      run_lock.release()
    },
  }
}

/** The subject for which a batch waits, and the sentence that says so; empty where the batch runs. */
type Waiting = Partial<Pick<Batch, 'waiting_for' | 'parked_reason'>>

/** Within this time both providers answer a batch or give the batch up. */
const PROVIDER_WINDOW_MS = 24 * 3_600_000
/** A call in flight for longer may be one of a process that has ended. */
const YOUNG_CALL_MS = 30_000

/** Creates the view of a batch. `restOf` is the rest that the database refuses to store; `runsHere`: this process runs the batches of the database. */
function createView(deps: BatchDeps, restOf: (id: string) => Parking | null, runsHere: () => boolean) {
  const { stores, judges, clock, lost_ms } = deps
  const { batches, provider, attempts, run_lock } = stores
  const timeOf = (time: number): string => new Date(time).toISOString()

  async function isMissing(judge: string): Promise<boolean> {
    if (runsHere() && (run_lock !== null || judges.has(judge))) return !judges.has(judge)
    // Without a holder of the run lock nothing is known: the next holder may have the judge.
    return run_lock?.isTaken() !== false && !(await stores.judges.hasWorker(judge))
  }

  /** Explains that no worker has the judge of the next item or of an open submission, or that the judge asked for a pause. */
  async function waitingForJudge({ id, mode, status }: Batch): Promise<Waiting> {
    const [item] = status === 'running' ? await batches.pending(id, -1, 1) : []
    const judge = item?.request.judge ?? (mode === 'provider' ? (await provider.judges(id))[0] : undefined)
    if (judge === undefined) return {}
    if (await isMissing(judge)) return { waiting_for: 'worker', parked_reason: `waiting: no worker for ${judge}` }
    const { paused_until, failure } = await stores.judges.get(judge)
    if (failure === null || paused_until <= clock.now().getTime()) return {}
    return { waiting_for: 'judge', parked_reason: `${judge}: ${failure.code}, waiting until ${timeOf(paused_until)}` }
  }

  async function waitingFor(record: Batch, items: number, newest: string | null): Promise<Waiting> {
    const rest = restOf(record.id)
    if (record.status === 'parked') return {}
    if (rest !== null) return { parked_reason: `waiting: ${rest.reason}` }
    if (newest === null) return waitingForJudge(record)
    const age = clock.now().getTime() - Date.parse(newest)
    if (age < YOUNG_CALL_MS) return {}
    const late = `waiting: ${count(items, 'item')} without an answer for ${Math.round(age / 1000)} s`
    const again = `lost calls are made again after ${timeOf(Date.parse(newest) + lost_ms)}`
    const parked_reason = `${late}: the judge is slow, or the process that called has ended; ${again}`
    return { waiting_for: 'answers', parked_reason }
  }

  /** Adds to a stored batch its items in flight, over all processes, the reason for which it waits, and its part that lies with a provider. */
  return async (record: Batch): Promise<Batch> => {
    const { id, status, mode, counts } = record
    if (isEnded(record)) return record
    const isAsking = status !== 'parked' && counts.pending > 0
    const { items, newest } = isAsking ? await attempts.inFlight(id) : { items: 0, newest: null }
    const moved = Math.min(items, counts.pending)
    const round = mode === 'provider' ? await provider.round(id) : null
    return {
      ...{ ...record, ...(await waitingFor(record, items, newest)) },
      counts: { ...counts, pending: counts.pending - moved, running: counts.running + moved },
      ...(round && { round: { ...round, ends_by: timeOf(Date.parse(round.begun_at) + PROVIDER_WINDOW_MS) } }),
    }
  }
}
