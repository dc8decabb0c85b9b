import { isTransient } from '../asking/retry.ts'
import { costUsd } from '../domain/money/price.ts'
import type { BatchApi, BatchResult } from '../ports/batch-api.ts'
import type { Clock, Judge } from '../ports/ports.ts'
import type { ProviderBatchRecord, ProviderEnd, ProviderQueue } from '../ports/provider-ports.ts'
import type { Failure } from '../schemas/grade.ts'

/** Moves the questions of a batch to the provider, and the answers back. Every step can be broken off and begun again. */
export interface ProviderPump {
  /** Submits queued questions, polls submissions, and stores answers. Sends nothing once `isOurs` says no. */
  step(batch: string, isOurs?: () => boolean): Promise<PumpStep>
  /** Cancels the submissions at the provider, and stores earlier answers; true once no submission is open. */
  drain(batch: string): Promise<boolean>
}

type PumpStep =
  /** `none`: nothing is with the provider; `returned`: items can go on; `lacks_judge`: a process with the judge has to go on. */
  | { readonly kind: 'none' | 'waiting' | 'returned' | 'lacks_judge' }
  | { readonly kind: 'parked'; readonly reason: string; readonly resumes_at: Date | null }

interface PumpDeps {
  readonly queue: ProviderQueue
  readonly judges: ReadonlyMap<string, Judge>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly poll_ms: number
}

/** Below the limit of any provider: a submission stands in memory while it is sent. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_REQUESTS = 10_000
const CALL_MS = 120_000
const SUBMIT_MS = 15 * 60_000
const DOWNLOAD_MS = 30 * 60_000
const STORED_AT_ONCE = 200

type Moved = 'open' | 'closed' | 'lacks_judge' | Extract<PumpStep, { kind: 'parked' }>

export function createProviderPump(deps: PumpDeps): ProviderPump {
  const due = new Map<string, number>()
  const cancelled = new Set<string>()
  const tried = new Map<string, number>()
  /** Submissions that this process is sending. */
  const sending = new Set<string>()
  /** By batch: whether this process still holds its lease. */
  const leases = new Map<string, () => boolean>()
  /** Whether another process has the batch by now, and may have sent the same. */
  const isLost = ({ batch }: ProviderBatchRecord): boolean => leases.get(batch)?.() === false
  const now = () => deps.clock.now()
  const later = (id: string): Moved => {
    due.set(id, now().getTime() + deps.poll_ms)
    return 'open'
  }

  async function step(batch: string, isOurs: () => boolean = () => true): Promise<PumpStep> {
    leases.set(batch, isOurs)
    const moved: Moved[] = []
    for (const record of await deps.queue.listOpen(batch)) moved.push(await move(record))
    for (const judge of await deps.queue.queuedJudges(batch)) moved.push(...(await submitAll(batch, judge)))
    const parked = moved.find((one) => typeof one === 'object')
    if (parked !== undefined) return parked
    if (moved.includes('closed')) return { kind: 'returned' }
    if (moved.includes('open')) return { kind: 'waiting' }
    return { kind: moved.length > 0 ? 'lacks_judge' : 'none' }
  }

  async function drain(batch: string): Promise<boolean> {
    let open = 0
    for (const record of await deps.queue.listOpen(batch)) {
      await cancel(record)
      const moved = await move(record, false)
      if (moved !== 'closed') open++
      if (typeof moved === 'object' || moved === 'lacks_judge') later(record.id)
    }
    await deps.queue.dropQueued(batch)
    return open === 0
  }

  async function cancel(record: ProviderBatchRecord): Promise<void> {
    if (record.provider_id === null || cancelled.has(record.id) || (tried.get(record.id) ?? 0) > now().getTime()) return
    tried.set(record.id, now().getTime() + deps.poll_ms)
    const api = apiOf(record)
    const answer = api === null ? null : await api.cancel(record.provider_id, AbortSignal.timeout(CALL_MS))
    if (answer?.ok !== true) return
    cancelled.add(record.id)
    due.delete(record.id)
  }

  /** Moves one submission a step further. */
  async function move(record: ProviderBatchRecord, maySubmit = true): Promise<Moved> {
    if (record.is_being_sent || sending.has(record.id) || (due.get(record.id) ?? 0) > now().getTime()) return 'open'
    const api = apiOf(record)
    if (api === null) return withoutApi(record.judge)
    return record.provider_id === null ? reconcile(api, record, maySubmit) : poll(api, record, record.provider_id)
  }

  /** Asks the provider for a recorded submission that may have been sent, before the submission is sent again. */
  async function reconcile(api: BatchApi, record: ProviderBatchRecord, maySubmit: boolean): Promise<Moved> {
    const lines = await deps.queue.lines(record.id)
    const mark = { ...markOf(record), custom_ids: lines.map((one) => one.id) }
    const found = await api.find(mark, AbortSignal.timeout(CALL_MS))
    if (!found.ok) return isTransient(found.failure) ? later(record.id) : parked(record.judge, found.failure)
    if (found.provider_id === null && maySubmit) return submit(api, record)
    if (found.provider_id === null) {
      await deps.queue.withdraw(record.id, 'cancelled before it was sent', now().toISOString())
      return 'closed'
    }
    await deps.queue.markSubmitted(record.id, found.provider_id)
    return 'open'
  }

  async function submitAll(batch: string, judge: string): Promise<Moved[]> {
    const api = deps.judges.get(judge)?.batch
    if (api === undefined) return [withoutApi(judge)]
    const limits = {
      most_requests: Math.min(MOST_REQUESTS, api.most_requests),
      most_bytes: Math.min(MOST_BYTES, api.most_bytes),
    }
    const moved: Moved[] = []
    for (;;) {
      const at = now().toISOString()
      const record = await deps.queue.record({ id: deps.newId('sub'), batch, judge, at }, limits)
      if (record === null) return moved
      moved.push(await submit(api, record))
      if (typeof moved.at(-1) === 'object') return moved
    }
  }

  /** Sends a submission; the mark of the sending keeps other processes from asking the provider for it meanwhile. */
  async function submit(api: BatchApi, record: ProviderBatchRecord): Promise<Moved> {
    sending.add(record.id)
    try {
      await deps.queue.sending(record.id, true)
      return await send(api, record)
    } finally {
      // A mark that stays ends with this process.
      await deps.queue.sending(record.id, false).catch(() => undefined)
      sending.delete(record.id)
    }
  }

  async function send(api: BatchApi, record: ProviderBatchRecord): Promise<Moved> {
    const lines = await deps.queue.lines(record.id)
    const submission = {
      ...markOf(record),
      custom_ids: lines.map((one) => one.id),
      lines: lines.map((one) => one.line),
    }
    if (isLost(record)) return 'open'
    const sent = await api.submit(submission, AbortSignal.timeout(SUBMIT_MS))
    if (sent.ok) {
      await deps.queue.markSubmitted(record.id, sent.provider_id)
      return later(record.id)
    }
    // After a broken connection `reconcile` finds out whether the provider has the submission.
    if ((isTransient(sent.failure) && sent.failure.code !== 'rate_limited') || isLost(record)) return later(record.id)
    await deps.queue.withdraw(record.id, sent.failure.message, now().toISOString())
    return parked(record.judge, sent.failure)
  }

  async function poll(api: BatchApi, record: ProviderBatchRecord, providerId: string): Promise<Moved> {
    const state = await api.poll(providerId, AbortSignal.timeout(CALL_MS))
    if (!state.ok) return isTransient(state.failure) ? later(record.id) : parked(record.judge, state.failure)
    if (state.state === 'in_progress') return later(record.id)
    const at = now().toISOString()
    if (state.state === 'failed') {
      await deps.queue.withdraw(record.id, state.detail, at, providerId)
      const reason = `${record.judge}: the provider refused the batch ${providerId}: ${state.detail}`
      return { kind: 'parked', reason, resumes_at: null }
    }
    if (!(await download(api, record, providerId))) return later(record.id)
    await deps.queue.close(record.id, state.detail, at)
    due.delete(record.id)
    return 'closed'
  }

  /** Stores results before further results are read; false where the reading broke off, to begin anew later. */
  async function download(api: BatchApi, record: ProviderBatchRecord, providerId: string): Promise<boolean> {
    let ends: ProviderEnd[] = []
    const store = async () => {
      if (ends.length > 0) await deps.queue.storeEnds(record.id, ends, now().toISOString())
      ends = []
    }
    for await (const result of api.results(providerId, AbortSignal.timeout(DOWNLOAD_MS))) {
      if (result.ok) ends.push(endOf(record.judge, api, result))
      else if (result.failure.retryable) {
        await store()
        return false
      }
      if (ends.length >= STORED_AT_ONCE) await store()
    }
    await store()
    return true
  }

  function endOf(judge: string, api: BatchApi, result: BatchResult): ProviderEnd {
    if (result.end !== 'answered' || result.reply === null) return { id: result.custom_id, end: 'void' }
    const cost = costUsd(result.reply.usage, deps.judges.get(judge)?.info.price ?? null)
    const cost_usd = cost === null ? null : cost * api.price_factor
    return { id: result.custom_id, end: 'answered', reply: result.reply, cost_usd }
  }

  const apiOf = ({ judge }: ProviderBatchRecord): BatchApi | null => deps.judges.get(judge)?.batch ?? null

  const withoutApi = (judge: string): Moved =>
    deps.judges.has(judge)
      ? { kind: 'parked', reason: `${judge} has no batch endpoint any more: ${AS_BEFORE}`, resumes_at: null }
      : 'lacks_judge'

  function parked(judge: string, failure: Failure): Moved {
    const wait = failure.code === 'rate_limited' ? Math.max(60, failure.retry_after_s ?? 0) * 1000 : null
    return {
      kind: 'parked',
      reason: `${judge}: ${failure.code}: ${failure.message}`,
      resumes_at: wait === null ? null : new Date(now().getTime() + wait),
    }
  }

  return { step, drain }
}

const markOf = (record: ProviderBatchRecord) => ({ id: record.id, recorded_at: new Date(record.recorded_at) })

const AS_BEFORE = 'configure it as before, then resume'
