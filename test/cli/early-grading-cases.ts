import { afterEach, expect, test } from 'vitest'
import type { ReadItem } from '../../src/cli/client/client.ts'
import { localCalls } from '../../src/cli/client/local-client.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { createInFlight } from '../../src/http/guard/in-flight.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, makeItems } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'

const LIMITS = { max_steps: 100, max_part_chars: 100_000 }
/** Stopped after each test. */
export const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.stop()
})

/** The calls that a command makes of the service in its process. */
export async function startLocal(
  judge = answeringJudge(() => GOOD_ANSWER),
  env: NodeJS.ProcessEnv = {},
  adopts_batches = true,
) {
  const app = await startApp({ judges: [judge], env, adopts_batches })
  open.push(app)
  if (app.context.config.postgres !== null) await app.context.start()
  const inFlight = createInFlight()
  const { createBatch, events, results, readBatch, findBatches } = localCalls(app.context, app.context.main, inFlight)
  if (!createBatch || !events || !results || !readBatch || !findBatches) throw new Error('a call is missing')
  const ended = async (id: string) => {
    for await (const batch of events(id, never)) if (batch.status === 'done') return batch
    throw new Error('it never ended')
  }
  return { app, judge, inFlight, createBatch, results, findBatches, ended }
}

export const never = new AbortController().signal
export const noop = () => {}

export const itemsOf = (count: number): ReadItem[] =>
  (makeItems(count) as BatchItem[]).map((item) => {
    const read = readTrajectory(item.trajectory, LIMITS)
    return { item, trajectory: read.ok ? read.value : null }
  })

/** Hands on the items; before the one at `stop` it does what it is told. */
export async function* pausing(
  items: readonly ReadItem[],
  stop: number,
  before: () => unknown,
): AsyncGenerator<ReadItem> {
  for (const [index, item] of items.entries()) {
    if (index === stop) await before()
    yield item
  }
}

/** Chunks of 64 are stored together. */
export const MANY = 130

/** What holds for the batch of a command on every database. `newDatabase` answers what names an empty one. */
export function testEarlyGrading(newDatabase: () => Promise<NodeJS.ProcessEnv>): void {
  test('is graded while its trials are read, and is one batch with all of them in the end', async () => {
    const { judge, createBatch, ended, results, findBatches } = await startLocal(undefined, await newDatabase())
    let early = 0
    const reading = pausing(itemsOf(MANY), 129, async () => {
      await expect.poll(() => judge.calls.length).toBeGreaterThan(20)
      early = judge.calls.length
      expect((await findBatches({})).items).toEqual([])
    })
    const batch = await createBatch({}, reading, never)
    expect(early).toBeGreaterThan(20)
    expect(batch.counts.total).toBe(MANY)
    expect(await ended(batch.id)).toMatchObject({ status: 'done', counts: { total: MANY, graded: MANY } })
    expect(new Set(judge.calls).size).toBe(MANY)
    expect(judge.calls.length).toBe(MANY)
    const names: string[] = []
    for await (const { item_id } of results(batch.id)) names.push(item_id)
    expect(names).toEqual(itemsOf(MANY).map(({ item }) => item.item_id))
  })

  test('that is refused at its end leaves no batch behind, and what was graded of it costs nothing again', async () => {
    const { app, judge, createBatch, findBatches, ended } = await startLocal(undefined, await newDatabase())
    const good = itemsOf(MANY)
    const wrong = pausing([...good, ...itemsOf(1)], MANY, () =>
      expect.poll(() => judge.calls.length).toBeGreaterThan(20),
    )
    await expect(createBatch({}, wrong, never)).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
    expect((await findBatches({})).items).toEqual([])
    const paid = judge.calls.length
    const { items } = (await app.get('/v1/grades?limit=200')).json<{ items: unknown[] }>()
    expect(items.length).toBe(paid)
    const batch = await createBatch(
      {},
      pausing(good, -1, () => {}),
      never,
    )
    expect((await ended(batch.id)).cached).toBe(paid)
    expect(judge.calls.length).toBe(MANY)
  })

  test('waits for all of its trials where it has a cap: the cap is that of one batch', async () => {
    const { judge, createBatch, ended } = await startLocal(undefined, await newDatabase())
    let early = 0
    const reading = pausing(itemsOf(MANY), 129, async () => {
      await new Promise((resolve) => setTimeout(resolve, 200))
      early = judge.calls.length
    })
    const batch = await createBatch({ max_cost_usd: 100 }, reading, never)
    expect(early).toBe(0)
    expect(await ended(batch.id)).toMatchObject({ counts: { graded: MANY } })
  })

  test('that rests as a draft rests as a batch, and says until when', async () => {
    const judge = answeringJudge(() => ({ fail: 'judge_unreachable' }))
    const { app, createBatch } = await startLocal(judge, await newDatabase())
    const reading = pausing(itemsOf(MANY), 129, async () => {
      await expect.poll(() => app.context.laneOf('scripted').state().kind, { timeout: 20_000 }).toBe('out')
      await new Promise((resolve) => setTimeout(resolve, 300))
    })
    const { id } = await createBatch({}, reading, never)
    const state = async () => app.context.main.batches.get(id)
    await expect.poll(async () => (await state())?.status, { timeout: 5_000 }).toBe('parked')
    expect(await state()).toMatchObject({ parked_reason: expect.stringContaining('judge_unreachable') })
    expect((await state())?.resumes_at).not.toBeNull()
  }, 30_000)

  test('that is interrupted answers at once; what is in flight ends before the batch is forgotten', async () => {
    let answer = () => {}
    const held = new Promise<typeof GOOD_ANSWER>((resolve) => {
      answer = () => resolve(GOOD_ANSWER)
    })
    const { app, judge, inFlight, createBatch, findBatches } = await startLocal(
      answeringJudge(() => held),
      await newDatabase(),
    )
    const stop = new AbortController()
    const reading = pausing(itemsOf(MANY), 129, async () => {
      await expect.poll(() => judge.calls.length).toBeGreaterThan(0)
      stop.abort(new Error('interrupted'))
      throw stop.signal.reason
    })
    await expect(createBatch({}, reading, stop.signal)).rejects.toThrow('interrupted')
    const settled = inFlight.settled()
    expect(await Promise.race([settled, 'in flight'])).toBe('in flight')
    answer()
    await settled
    expect((await findBatches({})).items).toEqual([])
    const { items } = (await app.get('/v1/grades?limit=200')).json<{ items: unknown[] }>()
    expect(items.length).toBe(judge.calls.length)
  })
}
