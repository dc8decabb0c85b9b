import type { ProviderEnd, SubmissionRecord } from '../db/submissions.ts'
import { costUsd } from '../domain/money.ts'
import { isTransient } from '../grading/ask.ts'
import { type BatchApi, BatchFailure, type Submission } from '../judges/judge.ts'
import type { Failure } from '../schemas/grade.ts'
import type { Job } from './jobs.ts'
import { type BatchDeps, type Parking, reasonOf } from './run-chunk.ts'

/** Below the limit of any provider: a submission stands in memory while it is sent. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_REQUESTS = 10_000
const CALL_MS = 120_000
const SUBMIT_MS = 15 * 60_000
const DOWNLOAD_MS = 30 * 60_000
const STORED_AT_ONCE = 200

/** The questions of a batch that a judge’s provider answers. */
export type Poll = Pick<Job, 'batch' | 'judge'>

/** The state of a submission after its step, or the reason for which its batch rests. */
type Move = 'open' | 'closed' | Parking

/** Moves the questions of a batch to a judge’s provider, and the answers back. Every step can be broken off and begun again. */
export function createProviderPump(deps: Pick<BatchDeps, 'stores' | 'judges' | 'clock' | 'newId'>) {
  const queue = deps.stores.provider
  const now = () => deps.clock.now().toISOString()
  const openOf = async ({ batch, judge }: Poll) =>
    (await queue.listOpen(batch)).filter((record) => record.judge === judge)

  /** Polls submissions, stores answers and, with `maySubmit`, sends queued questions. Lists the moves: none where nothing lies with the provider. */
  async function step(poll: Poll, maySubmit: boolean): Promise<readonly Move[]> {
    const api = deps.judges.get(poll.judge)?.batch
    if (api === undefined)
      return [parked(`${poll.judge} has no batch endpoint any more: configure it as before, then resume`, null)]
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
    return parked(`${record.judge}: the provider refused the batch ${providerId}: ${state.detail}`, null)
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
    return parked(reasonOf(judge, failure), failure.code === 'rate_limited' ? new Date(until) : null)
  }

  return { step, drain }
}

const parked = (reason: string, resumes_at: Date | null): Parking => ({ reason, resumes_at })
