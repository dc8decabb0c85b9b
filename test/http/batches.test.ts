import { describe, expect, test, vi } from 'vitest'
import type { Batch } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER, IGNORED } from '../grading/harness.ts'
import { startApp, type TestApp, useApp } from '../start-app.ts'
import { answeringJudge, finish, makeItems, postLines, startBatch, toLines, untilBatch } from './make-batch.ts'

let app: TestApp

describe('a batch that goes well', () => {
  test('NDJSON and JSON give the same results, in item order, and the counts add up', async () => {
    app = await startApp({ judges: [answeringJudge((run) => (run % 2 === 0 ? GOOD_ANSWER : IGNORED))] })
    const items = makeItems(7)
    const lines = await postLines(app, items, '?name=night')
    expect(lines.statusCode).toBe(202)
    const first = lines.json<Batch>()
    expect(lines.headers['location']).toBe(`/v1/batches/${first.id}`)
    expect(first).toMatchObject({ name: 'night', kind: 'grade', mode: 'direct', counts: { total: 7 } })
    const { batch, results } = await finish(app, first.id)
    expect(batch).toMatchObject({ status: 'done', counts: { graded: 7 }, labels: { aligned: 4, ignored: 3 } })
    expect(batch.finished_at).not.toBeNull()
    expect(results.map((one) => [one.index, one.item_id, one.label])).toEqual(
      items.map((_, index) => [index, `trial-${index}`, index % 2 === 0 ? 'aligned' : 'ignored']),
    )
    const json = await app.post('/v1/batches', { items, name: 'day' })
    const again = await finish(app, json.json<Batch>().id)
    expect(again.batch).toMatchObject({ cached: 7, calls: { made: 0 }, cost_usd: 0 })
    expect(again.results.map((one) => one.grade_id)).toEqual(results.map((one) => one.grade_id))
  })

  test('options in the query fill what items leave out; the item’s own word counts', async () => {
    app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
    const [own, ...others] = makeItems(3, { judge: undefined })
    const { id } = await startBatch(app, [{ ...own, judge: 'lexical' }, ...others], '?judge=scripted&samples=2')
    const { results } = await finish(app, id)
    const grades = await Promise.all(results.map(async (one) => (await app.get(`/v1/grades/${one.grade_id}`)).json()))
    expect(grades.map((grade) => [grade.receipt.judge, grade.votes.length])).toEqual([
      ['lexical', 2],
      ['scripted', 2],
      ['scripted', 2],
    ])
  })

  test('a question that stands twice in a batch is asked once', async () => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge] })
    const items = [0, 0, 1, 0, 1].map((run, index) => ({ ...makeItems(run + 1)[run], item_id: `copy-${index}` }))
    const { batch, results } = await finish(app, (await startBatch(app, items)).id)
    expect(judge.calls.toSorted()).toEqual([0, 1])
    expect(batch.cached).toBe(3)
    expect(new Set(results.map((one) => one.grade_id)).size).toBe(2)
  })
})

describe('whole or not at all', () => {
  const judge = answeringJudge(() => GOOD_ANSWER)
  const strict = useApp({ judges: [judge], config: { batches: { most_items: 5, poll_seconds: 1 } } }, 'once')
  const UNKNOWN = { id: `sha256:${'0'.repeat(64)}` }
  const refused = async (payload: object[] | string) => {
    const response = await postLines(strict, payload)
    expect((await strict.get('/v1/batches')).json()).toEqual({ items: [], next_cursor: null })
    expect(judge.calls).toEqual([])
    return response.json()
  }
  const faulty = (change: object) => makeItems(4).map((item, index) => (index === 2 ? { ...item, ...change } : item))

  test.each([
    ['a trajectory that cannot be read', faulty({ trajectory: {} }), '/items/2/trajectory', 'invalid_request'],
    ['one that nobody uploaded', faulty({ trajectory: UNKNOWN }), '/items/2/trajectory/id', 'unknown_trajectory'],
    ['a judge that does not exist', faulty({ judge: 'nobody' }), '/items/2/judge', 'unknown_judge'],
    ['a rubric that does not exist', faulty({ rubric: 'none@9' }), '/items/2/rubric', 'unknown_rubric'],
    ['an unknown property', faulty({ samplez: 2 }), '/items/2/samplez', 'invalid_request'],
    ['a missing ground truth', faulty({ ground_truth: undefined }), '/items/2/ground_truth', 'invalid_request'],
    ['a name twice', faulty({ item_id: 'trial-0' }), '/items/2/item_id', 'invalid_request'],
    ['no items', '\n \n', '/items', 'invalid_request'],
    ['a line that is no JSON', `${toLines(makeItems(1))}\n{"item_id": oops}\n`, '/items/1', 'invalid_json'],
    ['more than are taken', makeItems(6), '/items/5', 'too_many_items'],
  ])('%s', async (_, payload, path, code) => {
    const problem = await refused(payload)
    expect(problem).toMatchObject({ code })
    expect(problem.errors[0].path).toBe(path)
  })

  test('a broken line is named by its number in the body', async () => {
    const problem = await refused(`${toLines(makeItems(1))}\n\n{"item_id": oops}\n`)
    expect(problem.detail).toContain('line 4')
  })

  test('a cap needs a price, and the provider’s way needs a judge that has one', async () => {
    const base = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [{ ...base, info: { ...base.info, price: null } }] })
    const capped = await postLines(app, makeItems(1), '?max_cost_usd=1')
    expect(capped.json()).toMatchObject({ status: 400, errors: [{ path: '/max_cost_usd' }] })
    const provider = await postLines(app, makeItems(1), '?mode=provider')
    expect(provider.json()).toMatchObject({ status: 400, errors: [{ path: '/mode' }] })
  })
})

describe('when judges fail', () => {
  test('told to go on while it runs well, it stays parked by what fails later', async () => {
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const judge = answeringJudge(async (run) => {
      if (run > 4) return { fail: 'quota_exhausted' }
      asked.resolve()
      await go.promise
      return GOOD_ANSWER
    })
    app = await startApp({ judges: [judge], config: { concurrency: { initial: 1, min: 1, max: 1 } } })
    const { id } = await startBatch(app, makeItems(9))
    await asked.promise
    expect((await app.post(`/v1/batches/${id}/resume`)).statusCode).toBe(202)
    go.resolve()
    await vi.waitUntil(() => judge.calls.length > 5, { timeout: 15_000 })
    await untilBatch(app, id, ({ status }) => status === 'parked')
    // The call that got the slot of the failing call may have begun meanwhile.
    expect([0, 1, 2, 3, 4, 5, 6]).toEqual(expect.arrayContaining(judge.calls))
    expect((await app.get(`/v1/batches/${id}`)).json()).toMatchObject({ status: 'parked', counts: { graded: 5 } })
  })

  test('a judge that asks for a pause is named with its end, and the batch goes on', async () => {
    const judge = answeringJudge((_run, call) =>
      call === 1 ? { fail: 'rate_limited', retry_after_s: 2 } : GOOD_ANSWER,
    )
    app = await startApp({ judges: [judge] })
    const { id } = await startBatch(app, makeItems(1))
    const paused = await untilBatch(app, id, ({ parked_reason }) => parked_reason !== null)
    expect(paused.parked_reason).toMatch(/^scripted: rate_limited, waiting until 2\d{3}-/)
    expect(paused).toMatchObject({ status: 'running', waiting_for: 'judge', resumes_at: null })
    const { batch } = await finish(app, id)
    expect(batch).toMatchObject({ status: 'done', parked_reason: null, counts: { graded: 1 } })
  })

  test('cache only: what is not stored ends without a call', async () => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge] })
    await finish(app, (await startBatch(app, makeItems(1))).id)
    const { batch, results } = await finish(app, (await startBatch(app, makeItems(3), '?cache=only')).id)
    expect(batch).toMatchObject({ cached: 1, counts: { graded: 1, failed: 2 }, failures: { cancelled: 2 } })
    expect(results[1]?.failure?.message).toBe(
      'no grade is stored for this request: leave the cache mode `only` out (-c only) to grade it',
    )
    expect(judge.calls).toEqual([0])
  })
})

describe('money', () => {
  test('a cap is never broken, and what is over it ends budget_exceeded', async () => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge] })
    const whole = await finish(app, (await startBatch(app, makeItems(1))).id)
    const each = whole.batch.cost_usd ?? 0
    expect(each).toBeGreaterThan(0)
    const items = makeItems(40).slice(1)
    const cap = each * 15
    const { batch, results } = await finish(app, (await startBatch(app, items, `?max_cost_usd=${cap}`)).id)
    expect(batch.cost_usd ?? 0).toBeLessThanOrEqual(cap)
    expect(batch.counts.graded).toBeGreaterThanOrEqual(10)
    expect(batch.failures).toEqual({ budget_exceeded: batch.counts.failed })
    expect(batch.counts.failed).toBeGreaterThan(0)
    expect(results.find((one) => one.status === 'failed')?.failure?.message).toMatch(
      /^the batch’s cap is .*: give a higher max_cost_usd \(--max-cost-usd\)$/,
    )
  })

  test('a dry run says what it would take and does nothing', async () => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge] })
    await finish(app, (await startBatch(app, makeItems(1))).id)
    const response = await postLines(app, [...makeItems(3), { ...makeItems(3)[2], item_id: 'again' }], '?dry_run=true')
    expect(response.json()).toMatchObject({ items: 4, cached: 2, to_grade: 2, calls: { expected: 2 } })
    expect(judge.calls).toEqual([0])
    expect((await app.get('/v1/batches')).json().items).toHaveLength(1)
  })
})

test.each([
  ['a name twice', [...makeItems(1), ...makeItems(1)], '/items/1/item_id'],
  ['no items', [], '/items'],
])('a dry run refuses what the run would refuse: %s', async (_, items, path) => {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const [dry, run] = [await postLines(app, items, '?dry_run=true'), await postLines(app, items)]
  expect(dry.json()).toEqual(run.json())
  expect(dry.json()).toMatchObject({ status: 400, errors: [{ path }] })
})

describe('stopping', () => {
  test('cancel: what is in flight ends, the rest is cancelled, and the counts add up', async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const judge = answeringJudge(async () => {
      asked.resolve()
      await gate.promise
      return GOOD_ANSWER
    })
    app = await startApp({ judges: [judge], config: { concurrency: { initial: 2, min: 1, max: 2 } } })
    const { id } = await startBatch(app, makeItems(10))
    await asked.promise
    const cancelling = await app.post(`/v1/batches/${id}/cancel`)
    expect(cancelling.statusCode).toBe(202)
    expect(cancelling.json()).toMatchObject({ status: 'cancelling' })
    gate.resolve()
    const { batch, results } = await finish(app, id)
    expect(batch.status).toBe('cancelled')
    expect(batch.counts.graded).toBe(judge.calls.length)
    expect(batch.counts.cancelled).toBe(10 - judge.calls.length)
    expect(results).toHaveLength(10)
    const twice = await app.post(`/v1/batches/${id}/cancel`)
    expect(twice.json()).toMatchObject({ status: 409, code: 'batch_ended' })
  })
})

test('lists are filtered by key and status, newest first, and paged', async () => {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const ids: string[] = []
  for (const key of ['a', 'b', 'a']) {
    const { id } = await startBatch(app, makeItems(1), `?key=${key}`)
    await finish(app, id)
    ids.unshift(id)
  }
  const list = async (query: string) =>
    await app.read<{ items: Batch[]; next_cursor: string | null }>(`/v1/batches${query}`)
  expect((await list('')).items.map((one) => one.id)).toEqual(ids)
  expect((await list('?key=a')).items.map((one) => one.id)).toEqual([ids[0], ids[2]])
  expect((await list('?status=running')).items).toEqual([])
  const page = await list('?limit=2&status=done')
  expect((await list(`?limit=2&status=done&cursor=${page.next_cursor}`)).items.map((one) => one.id)).toEqual([ids[2]])
  const missing = await app.get('/v1/batches/bat_none')
  expect(missing.statusCode).toBe(404)
})
