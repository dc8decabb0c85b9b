import { describe, expect, test } from 'vitest'
import type { Job } from '../../src/batches/jobs.ts'
import {
  type BatchApi,
  BatchFailure,
  type BatchResult,
  type Judge,
  type JudgeRequest,
  type Submission,
} from '../../src/judges/judge.ts'
import { GOOD_ANSWER, replyOf, type Script } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { answeringJudge, finish, makeItems, runOf, startBatch, untilBatch } from './make-batch.ts'

let app: TestApp

const POLL = { batches: { most_items: 1000, poll_seconds: 0.02 } }

interface Provider extends Judge {
  readonly submitted: Submission[]
  readonly batch: BatchApi
}

interface Options {
  readonly answer?: (run: number, call: number) => Script | 'expired'
  /** Drops the answer to the first submission, which has reached the provider. */
  readonly losesFirstSubmit?: boolean
  readonly most_requests?: number
  readonly ends?: () => boolean
}

/** A provider’s batch endpoint in memory, with its results in the reverse order. */
function providerJudge({ answer = () => GOOD_ANSWER, ...options }: Options = {}): Provider {
  const requests = new Map<string, number>()
  const calls = new Map<number, number>()
  const submitted: Submission[] = []
  const cancelled = new Set<string>()
  const resultOf = (id: string): BatchResult => {
    const run = requests.get(id) ?? -1
    const call = (calls.get(run) ?? 0) + 1
    calls.set(run, call)
    const script = answer(run, call)
    return { custom_id: id, reply: script === 'expired' ? null : replyOf(script) }
  }
  const base = answeringJudge(() => {
    throw new Error('single calls are not expected')
  })
  return {
    ...base,
    submitted,
    batch: {
      most_requests: options.most_requests ?? 1000,
      most_bytes: 1_000_000,
      price_factor: 0.5,
      encode(id: string, request: JudgeRequest) {
        requests.set(id, runOf(request))
        return JSON.stringify({ custom_id: id, question: request.question, repairs: request.repairs })
      },
      async submit(submission) {
        submitted.push(submission)
        if (options.losesFirstSubmit === true && submitted.length === 1) {
          const lost = { code: 'judge_unreachable', message: 'lost', retryable: true, retry_after_s: null } as const
          throw new BatchFailure(lost)
        }
        return `prov-${submission.id}`
      },
      async find({ id }) {
        return submitted.some((one) => one.id === id) ? `prov-${id}` : null
      },
      async poll(id) {
        const ended = cancelled.has(id) || (options.ends?.() ?? true)
        return ended ? { state: 'ended', detail: '', files: [id] } : { state: 'in_progress', detail: '' }
      },
      async *results([id]) {
        const submission = submitted.find((one) => `prov-${one.id}` === id)
        for (const custom_id of (submission?.custom_ids ?? []).toReversed()) yield resultOf(custom_id)
      },
      async cancel(id) {
        cancelled.add(id)
      },
    },
  }
}

const start = (judge: Provider, env: NodeJS.ProcessEnv = {}) => startApp({ judges: [judge], config: POLL, env })

test('every question goes in one submission, at half the price, and the results come back in item order', async () => {
  const judge = providerJudge()
  app = await start(judge)
  const { batch, results } = await finish(app, (await startBatch(app, makeItems(5), '?mode=provider&samples=2')).id)
  expect(batch).toMatchObject({ status: 'done', counts: { graded: 5 }, calls: { made: 10, unknown: 0 } })
  expect(batch.cost_usd).toBeCloseTo(10 * 0.5 * (100 * 1e-6 + 10 * 2e-6), 10)
  expect(results.map((one) => one.index)).toEqual([0, 1, 2, 3, 4])
  expect(judge.submitted).toHaveLength(1)
  expect(new Set(judge.submitted[0]?.custom_ids).size).toBe(10)
})

test('expired and failed requests are asked again, and no more than they may be', async () => {
  const judge = providerJudge({
    answer(run, call) {
      if (run === 0) return call === 1 ? 'expired' : GOOD_ANSWER
      if (run === 1) return 'expired'
      return call === 1 ? { fail: 'judge_unreachable' } : GOOD_ANSWER
    },
  })
  app = await start(judge)
  const { batch, results } = await finish(app, (await startBatch(app, makeItems(3), '?mode=provider')).id)
  expect(results.map((one) => one.status)).toEqual(['graded', 'failed', 'graded'])
  expect(batch.failures).toEqual({ timeout: 1 })
  expect(judge.submitted.map((one) => one.lines.length)).toEqual([3, 3, 1, 1])
})

test('a submission whose answer was lost is found, not sent again', async () => {
  const judge = providerJudge({ losesFirstSubmit: true })
  app = await start(judge)
  const { batch } = await finish(app, (await startBatch(app, makeItems(3), '?mode=provider')).id)
  expect(batch).toMatchObject({ counts: { graded: 3 }, calls: { made: 3 } })
  expect(judge.submitted).toHaveLength(1)
})

test('a submission that the provider refuses is not sent again in the same step, and its batch is parked', async () => {
  const judge = providerJudge({ most_requests: 1 })
  const { batch: api, submitted } = judge
  const submit: BatchApi['submit'] = async (submission, signal) => {
    const sent = await api.submit(submission, signal)
    if (submitted.length > 5) return sent
    throw new BatchFailure({ code: 'refused', message: 'no room', retryable: false, retry_after_s: null })
  }
  app = await start({ ...judge, batch: { ...api, submit } })
  const { id } = await startBatch(app, makeItems(3), '?mode=provider')
  const batch = await untilBatch(app, id, ({ status }) => status !== 'running')
  expect(batch).toMatchObject({ status: 'parked', parked_reason: 'scripted: refused: no room', counts: { running: 3 } })
  expect(submitted).toHaveLength(1)
})

test('a submission that another process has sent meanwhile is cancelled at the provider, and the first one counts', async () => {
  const { batch: api, ...rest } = providerJudge()
  const cancelled: string[] = []
  const batch: BatchApi = {
    ...api,
    async submit(submission, signal) {
      // This process stands still here, loses its job, and another process sends the submission.
      await app.context.stores.provider.markSubmitted(submission.id, `prov-${submission.id}`)
      await api.submit(submission, signal)
      return 'second'
    },
    async cancel(id) {
      cancelled.push(id)
    },
  }
  app = await start({ ...rest, batch })
  const { id } = await startBatch(app, makeItems(3), '?mode=provider')
  await expect.poll(() => cancelled, { timeout: 15_000 }).toEqual(['second'])
  // The job would look again in ten seconds. Polls of an earlier version have no member `chunk`.
  const poll = { batch: id, judge: 'scripted' } as Job
  const look = () => app.context.batches.work.doJob(poll, new AbortController().signal)
  await expect.poll(look, { timeout: 15_000 }).toBeNull()
  expect(await app.context.stores.batches.plan(id)).toMatchObject({ status: 'done' })
  const ended = await finish(app, id)
  expect(ended.batch).toMatchObject({ status: 'done', counts: { graded: 3 }, calls: { made: 3 } })
  expect(cancelled).toEqual(['second'])
})

test('a round at the provider says how much lies there, until when, and how long it lasted before', async () => {
  let ends = false
  const judge = providerJudge({ ends: () => ends })
  app = await start(judge)
  const waitForRound = async (id: string) => (await untilBatch(app, id, ({ round }) => round !== undefined)).round
  const first = await startBatch(app, makeItems(2), '?mode=provider')
  const round = await waitForRound(first.id)
  expect(round).toMatchObject({ number: 1, questions: 2, usual_seconds: null })
  expect(Date.parse(round?.ends_by ?? '') - Date.parse(round?.begun_at ?? '')).toBe(24 * 3_600_000)
  ends = true
  expect((await finish(app, first.id)).batch.round).toBeUndefined()
  ends = false
  const second = await startBatch(app, makeItems(5).slice(2), '?mode=provider')
  expect((await waitForRound(second.id))?.usual_seconds).toBeGreaterThan(0)
  ends = true
  await finish(app, second.id)
})

test('the replies of one judge are taken in where the other judge of the batch is missing', async () => {
  let ends = false
  const judge = providerJudge({ ends: () => ends })
  const absent = providerJudge({ ends: () => ends })
  const identity = { ...absent.info.identity, model: 'absent' }
  const other = { ...absent, info: { ...absent.info, name: 'absent', identity } }
  const env = { VERIDICT_DATABASE: tempDatabase() }
  const before = await startApp({ judges: [judge, other], config: POLL, env })
  const items = [...makeItems(3), { ...makeItems(4)[3], judge: 'absent' }]
  const { id } = await startBatch(before, items, '?mode=provider')
  await expect.poll(() => [judge.submitted.length, absent.submitted.length]).toEqual([1, 1])
  await before.stop()
  ends = true
  app = await start(judge, env)
  await app.context.start()
  const waits = await untilBatch(app, id, ({ counts, parked_reason }) => counts.graded === 3 && parked_reason !== null)
  const parked_reason = 'waiting: no worker for absent'
  expect(waits).toMatchObject({ status: 'running', parked_reason, counts: { graded: 3, failed: 0 } })
  await app.stop()
  app = await startApp({ judges: [judge, other], config: POLL, env })
  await app.context.start()
  expect((await finish(app, id)).batch).toMatchObject({ status: 'done', counts: { graded: 4 } })
  expect([judge.submitted.length, absent.submitted.length]).toEqual([1, 1])
})

test('cancel: what the provider has is cancelled there, and what it answered is kept for later', async () => {
  let ends = false
  const judge = providerJudge({ ends: () => ends })
  app = await start(judge)
  const { id } = await startBatch(app, makeItems(3), '?mode=provider')
  while (judge.submitted.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await app.post(`/v1/batches/${id}/cancel`)
  const { batch } = await finish(app, id)
  expect(batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 3 }, calls: { made: 3 } })
  ends = true
  const again = await finish(app, (await startBatch(app, makeItems(3), '?mode=provider')).id)
  expect(again.batch).toMatchObject({ counts: { graded: 3 }, calls: { made: 0 } })
  expect(judge.submitted).toHaveLength(1)
})

test('cancel: a batch whose open submission has no judge any more says so', async () => {
  const judge = providerJudge({ ends: () => false })
  const env = { VERIDICT_DATABASE: tempDatabase() }
  const before = await start(judge, env)
  const { id } = await startBatch(before, makeItems(2), '?mode=provider')
  await expect.poll(() => judge.submitted).toHaveLength(1)
  await before.stop()
  app = await startApp({ judges: [], config: POLL, env })
  await app.context.start()
  await app.post(`/v1/batches/${id}/cancel`)
  expect(await app.read(`/v1/batches/${id}`)).toMatchObject({
    status: 'cancelling',
    parked_reason: 'waiting: no worker for scripted',
  })
  await app.stop()
  app = await start(judge, env)
  await app.context.start()
  expect((await finish(app, id)).batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 2 } })
})

describe('money', () => {
  test('a cap holds for questions that wait, too; what comes back makes room', async () => {
    const judge = providerJudge()
    app = await start(judge)
    const free = await finish(app, (await startBatch(app, makeItems(1), '?mode=provider')).id)
    const each = free.batch.cost_usd ?? 0
    const items = makeItems(30).slice(1)
    const cap = 0.02
    const { batch } = await finish(app, (await startBatch(app, items, `?mode=provider&max_cost_usd=${cap}`)).id)
    expect(batch.status).toBe('done')
    expect(batch.counts.graded + (batch.failures['budget_exceeded'] ?? 0)).toBe(29)
    expect(batch.cost_usd ?? 0).toBeLessThanOrEqual(cap)
    expect(batch.counts.graded).toBeGreaterThan(5)
    expect(each).toBeGreaterThan(0)
    expect(judge.submitted.length).toBeGreaterThan(2)
  })
})
