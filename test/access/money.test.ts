import { describe, expect, test } from 'vitest'
import { createKey, SCOPES } from '../../src/access/keys.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems } from '../http/make-batch.ts'
import { bearer, GUARDED, startApp, type TestApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'

let app: TestApp

/** The application as the holder of a key asks it. */
const as = (app: TestApp, token: string): TestApp => ({
  ...app,
  get: (url) => app.get(url, bearer(token)),
  read: async (url) => (await app.get(url, bearer(token))).json(),
  post: (url, body, headers = {}) => app.post(url, body, { ...headers, ...bearer(token) }),
})

/** Makes a key with every scope and so many dollars a day. */
async function holderOf(app: TestApp, max_cost_usd_per_day?: number): Promise<TestApp & { readonly token: string }> {
  const plan = { name: 'somebody', scopes: SCOPES, ...(max_cost_usd_per_day !== undefined && { max_cost_usd_per_day }) }
  const { token } = await createKey(app.context.stores.access, plan, new Date())
  return { ...as(app, token), token }
}

/** Measures, once, the cost of a question and the most that its call reserves, in dollars: more or less, as frame marks are random. */
let price: Promise<{ each: number; bound: number }> | undefined
const priceOf = () => (price ??= measurePrice())

async function measurePrice(): Promise<{ each: number; bound: number }> {
  const probe = await startApp({ env: GUARDED, judges: [answeringJudge(() => GOOD_ANSWER)] })
  const [rich, poor] = [await holderOf(probe), await holderOf(probe, 0)]
  const grade = (await rich.post('/v1/grades', requestOf(0))).json<Grade>()
  const refused = await poor.post('/v1/grades', requestOf(1))
  await probe.stop()
  const bound = Number(/up to \$([\d.e-]+)/.exec(refused.json().detail)?.[1])
  return { each: grade.receipt.cost_usd ?? 0, bound }
}

function requestOf(run: number): object {
  const { item_id: _, ...request } = makeItems(run + 1)[run] as { item_id: string }
  return request
}

const begin = async (holder: TestApp, items: readonly object[]): Promise<string> => {
  const response = await holder.post('/v1/batches', { items })
  expect(response.statusCode, response.body).toBe(202)
  return response.json<Batch>().id
}

describe('a key with a limit of dollars a day', () => {
  test('is refused single grades over it, and told which limit it was; other keys of the project are not', async () => {
    const { each, bound } = await priceOf()
    expect(each).toBeGreaterThan(0)
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ env: GUARDED, judges: [judge] })
    const poor = await holderOf(app, each * 2 + bound * 0.8)
    const rich = await holderOf(app)
    for (const run of [0, 1]) expect((await poor.post('/v1/grades', requestOf(run))).statusCode).toBe(201)
    const refused = await poor.post('/v1/grades', requestOf(2))
    expect(refused.json()).toMatchObject({ status: 503, code: 'budget_exceeded', retryable: false })
    expect(refused.json().detail).toContain('the limit of this key')
    expect(judge.calls).toEqual([0, 1])
    // The refusal is a failed grade like any other: stored, with no call, and never an answer from the cache.
    const failed = await poor.read<Grade>(`/v1/grades/${refused.json().grade_id}`)
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'budget_exceeded' }, receipt: { attempts: [] } })
    // What is stored costs nothing, whoever has paid for it.
    expect((await poor.post('/v1/grades', requestOf(0))).statusCode).toBe(200)
    expect((await rich.post('/v1/grades', requestOf(2))).statusCode).toBe(201)
    expect((await poor.post('/v1/grades', requestOf(2))).statusCode).toBe(200)
  })

  test('ends its batches’ items over it, all of its batches together, also after a restart', async () => {
    const { each } = await priceOf()
    const cap = each * 15
    const env = { VERIDICT_DATABASE: tempDatabase() }
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const first = answeringJudge(async (run) => {
      if (run === 3) asked.resolve()
      if (run >= 3) await gate.promise
      return GOOD_ANSWER
    })
    const concurrency = { initial: 1, min: 1, max: 1 }
    const before = await startApp({ env: { ...GUARDED, ...env }, judges: [first], config: { concurrency } })
    const poor = await holderOf(before, cap)
    const id = await begin(poor, makeItems(40))
    await asked.promise
    const stopped = before.stop()
    gate.resolve()
    await stopped
    expect(first.calls.length).toBeLessThan(40)

    const second = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ env: { ...GUARDED, ...env }, judges: [second] })
    await app.context.start()
    const again = as(app, poor.token)
    const { batch, results } = await finish(again, id)
    expect(batch.status).toBe('done')
    expect(batch.cost_usd ?? 0).toBeLessThanOrEqual(cap)
    expect(batch.counts.graded).toBeGreaterThanOrEqual(10)
    expect(batch.failures).toEqual({ budget_exceeded: 40 - batch.counts.graded })
    expect(results.find((one) => one.status === 'failed')?.failure?.message).toContain('the limit of this key')
    expect(first.calls.length + second.calls.length).toBe(batch.counts.graded)
    expect((await again.post('/v1/grades', requestOf(50))).json()).toMatchObject({ code: 'budget_exceeded' })

    // Another key of the project has its own money: what failed is graded for it.
    const rich = await holderOf(app)
    const regrade = await rich.post('/v1/regrades', { query: { batch: id, status: 'failed' }, cache: 'refresh' })
    expect(regrade.statusCode, regrade.body).toBe(202)
    const ended = await finish(rich, regrade.json<Batch>().id)
    expect(ended.batch).toMatchObject({ counts: { total: 40 - batch.counts.graded, failed: 0 } })
  })

  test('pays for re-grades, too', async () => {
    const { each } = await priceOf()
    app = await startApp({ env: GUARDED, judges: [answeringJudge(() => GOOD_ANSWER)] })
    const rich = await holderOf(app)
    const { batch } = await finish(rich, await begin(rich, makeItems(10)))
    const poor = await holderOf(app, each / 100)
    const regrade = await poor.post('/v1/regrades', { query: { batch: batch.id }, cache: 'refresh' })
    const ended = await finish(poor, regrade.json<Batch>().id)
    expect(ended.batch.failures).toEqual({ budget_exceeded: 10 })
  })
})

test('the day’s cap of the configuration holds over all keys', async () => {
  const { each } = await priceOf()
  const config = { budget: { max_cost_usd_per_day: each * 3 } }
  app = await startApp({ env: GUARDED, judges: [answeringJudge(() => GOOD_ANSWER)], config })
  const first = await holderOf(app)
  const { batch } = await finish(first, await begin(first, makeItems(20)))
  expect(batch.counts.graded).toBeGreaterThan(0)
  expect(batch.failures).toEqual({ budget_exceeded: 20 - batch.counts.graded })
  const second = await holderOf(app)
  expect((await second.post('/v1/grades', requestOf(30))).json().detail).toContain('the cap of the day')
})
