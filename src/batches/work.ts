import type { Chunk, RunPlan } from '../db/batches.ts'
import type { StorageError } from '../db/errors.ts'
import type { ProviderEnd, SubmissionRecord } from '../db/submissions.ts'
import { costUsd } from '../domain/money.ts'
import { isTransient } from '../grading/ask.ts'
import { type BatchApi, BatchFailure, type Submission } from '../judges/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import type { DoJob, Job } from './jobs.ts'
import { type BatchDeps, type Parking, reasonOf, runChunk } from './run-chunk.ts'

/** While items of a provider’s batch have not asked yet. */
const POLL_SOON_MS = 250
/** Between two runs at a chunk whose items wait for money, or for an equal question in flight elsewhere. */
const CHUNK_AGAIN_MS = 2000
/** A batch without money, and without a call in flight that may give money back, rests so long. */
const BUDGET_REST_MS = 30_000
/** Refusals of the database in a row, without a job done in between, that park a batch. */
const MOST_REFUSALS = 3
const REST_MS = 10_000

/** A batch on which this process works, until the batch is left. */
interface BatchRun {
  /** Aborted where the batch is parked or cancelled: its chunks end here. */
  readonly leaving: AbortController
  /** Refusals of the database since a job was done. */
  refusals: number
  /** The rest of the batch, until the database has stored the rest: nothing begins meanwhile. */
  rest: Parking | null
  /** The pending items of each judge at its last poll: an item that lacks money goes on asking, and holds back no submission. */
  readonly unasked: Map<string, number>
}

/** Creates the work of this process on batches: it does their jobs, parks batches and ends batches. */
export function createBatchWork(deps: BatchDeps) {
  const { clock, jobs } = deps
  const { attempts, batches, provider } = deps.stores
  const pump = createProviderPump(deps)
  const runs = new Map<string, BatchRun>()

  function runOf(id: string): BatchRun {
    const run = runs.get(id) ?? { leaving: new AbortController(), unasked: new Map(), refusals: 0, rest: null }
    runs.set(id, run)
    return run
  }

  /** Returns the rest of a batch that the database refuses to store; null: the batch has none. */
  const restOf = (id: string): Parking | null => runs.get(id)?.rest ?? null

  function leave(id: string): void {
    runs.get(id)?.leaving.abort()
    runs.delete(id)
  }

  async function park(id: string, rest: Parking): Promise<null> {
    const run = runOf(id)
    run.rest = rest
    run.leaving.abort()
    const isParked = await batches.park(id, rest.reason, rest.resumes_at?.toISOString() ?? null)
    leave(id)
    if (isParked) await tell(id)
    return null
  }

  const inRest = (ms: number): Date => new Date(clock.now().getTime() + ms)

  async function pollOnce({ batch, judge }: Poll, plan: RunPlan | null): Promise<number | null> {
    if (plan?.status === 'cancelling' && !(await pump.drain({ batch, judge }))) return deps.poll_ms
    if (plan?.status === 'running') {
      const { unasked } = runOf(batch)
      const pending = await batches.countPending(batch, judge)
      const isAsking = pending > 0 && pending !== unasked.get(judge)
      unasked.set(judge, pending)
      const moves = await pump.step({ batch, judge }, !isAsking)
      const parking = moves.find((move) => typeof move === 'object')
      if (parking !== undefined) return park(batch, parking)
      if (moves.length > 0 && !moves.includes('closed')) return deps.poll_ms
      await jobs.add(await batches.chunks(batch))
      if (moves.length > 0 || isAsking) return POLL_SOON_MS
      if (pending > 0) return CHUNK_AGAIN_MS
    }
    await end(plan)
    return null
  }

  /** Puts the open work of a batch into the queues; a batch without open work ends. */
  async function enqueue(id: string): Promise<void> {
    const plan = await batches.plan(id)
    if (plan?.status === 'running') await jobs.add(await batches.chunks(id))
    await end(plan)
  }

  /** Ends a batch without an open item, unless questions lie with a provider: then their poll ends the batch. */
  async function end(plan: RunPlan | null): Promise<void> {
    if (plan?.status !== 'running' && plan?.status !== 'cancelling') return
    const { id, mode, status } = plan
    const polled = mode === 'provider' ? await provider.judges(id) : []
    await jobs.add(polled.map((judge) => ({ batch: id, judge, chunk: null })))
    const finish = status === 'running' ? batches.finish : batches.finishCancel
    if (polled.length > 0 || !(await finish(id, clock.now().toISOString()))) return
    leave(id)
    await tell(id)
  }

  async function tell(id: string): Promise<void> {
    const batch = await batches.get(id).catch((error: unknown) => deps.onTrouble({ batch: id, error }))
    if (batch) deps.onStatus(batch)
  }

  /** Grades a chunk; returns the time until the next run at the items that stay open in a running batch. */
  async function gradeChunk(chunk: Chunk, plan: RunPlan | null, signal: AbortSignal): Promise<number | null> {
    const { batch, judge } = chunk
    if (plan?.status !== 'running') return null
    const leaving = AbortSignal.any([signal, runOf(batch).leaving.signal])
    const { open, lack } = await runChunk(deps, {
      ...{ plan, chunk, signal: leaving },
      // A call of a run that has been left says nothing any more: another process may have resumed the batch meanwhile.
      park: async (parking) => (leaving.aborted ? null : park(batch, parking)),
    })
    const isPoor = lack !== undefined && plan.mode === 'direct' && !leaving.aborted
    const hasOneJudge = async () => (await batches.chunks(batch)).every((open) => open.judge === judge)
    if (isPoor && (await attempts.inFlight(batch)).newest === null && (await hasOneJudge()))
      await park(batch, { reason: reasonOf(judge, lack), resumes_at: inRest(BUDGET_REST_MS) })
    const after = await batches.plan(batch)
    await end(after)
    if (after?.status !== 'running') leave(batch)
    if (open === 0 || after?.status !== 'running') return null
    return plan.mode === 'provider' ? deps.poll_ms : CHUNK_AGAIN_MS
  }

  /** Counts the refusals of the database in a row, of which the third lets the batch rest: a disk may get room, other damage must be mended. */
  async function meetRefusal(batch: string, { code, message }: Partial<StorageError>): Promise<void> {
    const run = runOf(batch)
    const isFull = code === 'storage_full'
    run.refusals = isFull || code === 'storage_error' ? run.refusals + 1 : 0
    if (run.refusals < MOST_REFUSALS || run.rest !== null) return
    const next = isFull ? 'make room, and the batch goes on by itself' : 'mend it, then resume'
    const reason = `the database refused ${run.refusals} times in a row: ${message}: ${next}`
    await park(batch, { reason, resumes_at: isFull ? inRest(REST_MS) : null }).catch(() => null)
  }

  /** Does a job. A poll of an earlier version has no member `chunk`. */
  const doJob: DoJob = async ({ chunk = null, ...poll }, signal) => {
    const { batch } = poll
    const rest = restOf(batch)
    try {
      if (rest !== null) await park(batch, rest)
      const plan = await batches.plan(batch)
      const again = await (chunk === null ? pollOnce(poll, plan) : gradeChunk({ ...poll, chunk }, plan, signal))
      const run = runs.get(batch)
      if (run !== undefined) run.refusals = 0
      return again
    } catch (error) {
      deps.onTrouble({ batch, error })
      await meetRefusal(batch, error as Partial<StorageError>)
      return REST_MS
    }
  }

  return { doJob, enqueue, leave, restOf }
}

/** Below the limit of any provider: a submission stands in memory while it is sent. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_REQUESTS = 10_000
const CALL_MS = 120_000
const SUBMIT_MS = 15 * 60_000
const DOWNLOAD_MS = 30 * 60_000
const STORED_AT_ONCE = 200

type Poll = Pick<Job, 'batch' | 'judge'>

/** The state of a submission after its step, or the reason for which its batch rests. */
type Move = 'open' | 'closed' | Parking

/** Moves the questions of a batch to a judge’s provider, and the answers back. Every step can be broken off and begun again. */
function createProviderPump(deps: BatchDeps) {
  const queue = deps.stores.provider
  const now = () => deps.clock.now().toISOString()
  const openOf = async ({ batch, judge }: Poll) =>
    (await queue.listOpen(batch)).filter((record) => record.judge === judge)

  /** Polls submissions, stores answers and, with `maySubmit`, sends queued questions. Lists the moves: none where nothing lies with the provider. */
  async function step(poll: Poll, maySubmit: boolean): Promise<readonly Move[]> {
    const api = deps.judges.get(poll.judge)?.batch
    const gone = `${poll.judge} has no batch endpoint any more: configure it as before, then resume`
    if (api === undefined) return [{ reason: gone, resumes_at: null }]
    const moves: Move[] = []
    for (const record of await openOf(poll)) moves.push(await move(api, record, true))
    while (maySubmit && !moves.some((one) => typeof one === 'object')) {
      const id = deps.newId('sub')
      const most_requests = Math.min(MOST_REQUESTS, api.most_requests)
      const limits = { most_requests, most_bytes: Math.min(MOST_BYTES, api.most_bytes) }
      const record = await queue.record({ id, ...poll, at: now() }, limits)
      if (record === null) break
      moves.push(await submit(api, record))
    }
    return moves
  }

  /** Cancels the submissions at the provider, and stores earlier answers; true once no submission is open. */
  async function drain(poll: Poll): Promise<boolean> {
    const api = deps.judges.get(poll.judge)?.batch
    let open = 0
    for (const record of await openOf(poll)) {
      if (api !== undefined && record.provider_id !== null)
        await api.cancel(record.provider_id, AbortSignal.timeout(CALL_MS))
      if (api === undefined || (await move(api, record, false)) !== 'closed') open++
    }
    await queue.dropQueued(poll.batch)
    return open === 0
  }

  async function move(api: BatchApi, record: SubmissionRecord, maySubmit: boolean): Promise<Move> {
    const { provider_id, judge } = record
    try {
      return await (provider_id === null ? reconcile(api, record, maySubmit) : look(api, record, provider_id))
    } catch (error) {
      if (!(error instanceof BatchFailure)) throw error
      return isTransient(error.failure) ? 'open' : refused(judge, error.failure)
    }
  }

  /** Asks the provider for a recorded submission that may have been sent, before the submission is sent again. */
  async function reconcile(api: BatchApi, record: SubmissionRecord, maySubmit: boolean): Promise<Move> {
    const found = await api.find(await submissionOf(record), AbortSignal.timeout(CALL_MS))
    if (found === null && maySubmit) return submit(api, record)
    if (found === null) {
      await queue.withdraw(record.id, 'cancelled before it was sent', now())
      return 'closed'
    }
    await queue.markSubmitted(record.id, found)
    return 'open'
  }

  async function submissionOf({ id, recorded_at }: SubmissionRecord): Promise<Submission> {
    const requests = await queue.lines(id)
    const custom_ids = requests.map((request) => request.id)
    return { id, recorded_at: new Date(recorded_at), custom_ids, lines: requests.map(({ line }) => line) }
  }

  async function submit(api: BatchApi, record: SubmissionRecord): Promise<Move> {
    const submission = await submissionOf(record)
    try {
      await markOrCancel(api, record, await api.submit(submission, AbortSignal.timeout(SUBMIT_MS)))
      return 'open'
    } catch (error) {
      if (!(error instanceof BatchFailure)) throw error
      const { failure } = error
      // After a broken connection `reconcile` finds out whether the provider has the submission.
      if (isTransient(failure) && failure.code !== 'rate_limited') return 'open'
      await queue.withdraw(record.id, failure.message, now())
      return refused(record.judge, failure)
    }
  }

  /** Stores the provider’s id of a submission; a process that lost its job while it sent may have sent the submission again, which is cancelled. */
  async function markOrCancel(api: BatchApi, { id, batch }: SubmissionRecord, providerId: string): Promise<void> {
    try {
      await queue.markSubmitted(id, providerId)
    } catch (error) {
      const open = await queue.listOpen(batch)
      const other = open.find((record) => record.id === id)?.provider_id ?? providerId
      if (other !== providerId) await api.cancel(providerId, AbortSignal.timeout(CALL_MS))
      throw error
    }
  }

  async function look(api: BatchApi, record: SubmissionRecord, providerId: string): Promise<Move> {
    const state = await api.poll(providerId, AbortSignal.timeout(CALL_MS))
    if (state.state === 'in_progress') return 'open'
    if (state.state === 'ended') {
      await download(api, record, state.files)
      await queue.close(record.id, state.detail, now())
      return 'closed'
    }
    await queue.withdraw(record.id, state.detail, now(), providerId)
    const reason = `${record.judge}: the provider refused the batch ${providerId}: ${state.detail}`
    return { reason, resumes_at: null }
  }

  /** Stores results before further results are read; a reading that breaks off begins anew later. */
  async function download(api: BatchApi, { id, judge }: SubmissionRecord, files: readonly string[]): Promise<void> {
    const price = deps.judges.get(judge)?.info.price ?? null
    const ends: ProviderEnd[] = []
    const store = () => queue.storeEnds(id, ends.splice(0))
    try {
      for await (const { custom_id, reply } of api.results(files, AbortSignal.timeout(DOWNLOAD_MS))) {
        const cost = reply && costUsd(reply.usage, price)
        ends.push({ id: custom_id, reply, cost_usd: cost === null ? null : cost * api.price_factor })
        if (ends.length >= STORED_AT_ONCE) await store()
      }
    } finally {
      await store()
    }
  }

  function refused(judge: string, failure: Failure): Parking {
    const until = deps.clock.now().getTime() + Math.max(60, failure.retry_after_s ?? 0) * 1000
    return { reason: reasonOf(judge, failure), resumes_at: failure.code === 'rate_limited' ? new Date(until) : null }
  }

  return { step, drain }
}
