import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { ReadItem } from '../../src/cli/client/client.ts'
import { startEmbedded } from '../../src/cli/client/embedded.ts'
import { localCalls } from '../../src/cli/client/local-client.ts'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { createInFlight } from '../../src/http/guard/in-flight.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, makeItems } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { testShell, trial } from './test-shell.ts'

const LIMITS = { max_steps: 100, max_part_chars: 100_000 }
const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.stop()
})

/** The calls that a command makes of the service in its process. */
async function start(judge = answeringJudge(() => GOOD_ANSWER), database = ':memory:', adopts_batches = true) {
  const app = await startApp({ judges: [judge], env: { VERIDICT_DATABASE: database }, adopts_batches })
  open.push(app)
  const inFlight = createInFlight()
  const { createBatch, events, results, readBatch, findBatches } = localCalls(app.context, app.context.main, inFlight)
  if (!createBatch || !events || !results || !readBatch || !findBatches) throw new Error('a call is missing')
  const ended = async (id: string) => {
    for await (const batch of events(id, never)) if (batch.status === 'done') return batch
    throw new Error('it never ended')
  }
  return { app, judge, inFlight, createBatch, results, findBatches, ended }
}

const never = new AbortController().signal
const noop = () => {}

const itemsOf = (count: number): ReadItem[] =>
  (makeItems(count) as BatchItem[]).map((item) => {
    const read = readTrajectory(item.trajectory, LIMITS)
    return { item, trajectory: read.ok ? read.value : null }
  })

/** Hands on the items; before the one at `stop` it does what it is told. */
async function* pausing(items: readonly ReadItem[], stop: number, before: () => unknown): AsyncGenerator<ReadItem> {
  for (const [index, item] of items.entries()) {
    if (index === stop) await before()
    yield item
  }
}

/** Chunks of 64 are stored together. */
const MANY = 130

describe('a batch of the command', () => {
  test('is graded while its trials are read, and is one batch with all of them in the end', async () => {
    const { judge, createBatch, ended, results, findBatches } = await start()
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

  test.each([{ samples: 26 }, { name: 'n'.repeat(301) }])(
    'with options that no service takes is refused: %#',
    async (options) => {
      const { judge, createBatch } = await start()
      await expect(createBatch(options, pausing(itemsOf(2), 9, noop), never)).rejects.toMatchObject({ status: 400 })
      expect(judge.calls).toEqual([])
    },
  )

  test('that is refused at its end leaves no batch behind, and what was graded of it costs nothing again', async () => {
    const { app, judge, createBatch, findBatches, ended } = await start()
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

  test('names the trial whose request does not fit', async () => {
    const { createBatch } = await start()
    const [first, second] = itemsOf(2)
    if (first === undefined || second === undefined) throw new Error('no items')
    const long = { ...second, item: { ...second.item, item_id: 'x'.repeat(301) } }
    await expect(
      createBatch(
        {},
        pausing([first, long], -1, () => {}),
        never,
      ),
    ).rejects.toMatchObject({
      status: 400,
      message: 'line 2 does not fit its schema',
      errors: [{ path: '/items/1/item_id' }],
    })
  })

  test('takes no text that could not be told from another once it is stored', async () => {
    const { createBatch } = await start()
    const [one] = itemsOf(1)
    if (one === undefined) throw new Error('no item')
    const ground_truth = { ...one.item.ground_truth, instruction: `\ud800${'x'.repeat(300)}` }
    const odd = { ...one, item: { ...one.item, ground_truth } }
    await expect(createBatch({}, pausing([odd], -1, noop), never)).rejects.toMatchObject({
      errors: [{ path: '/items/0/ground_truth/instruction', message: 'the text holds a lone surrogate' }],
    })
  })

  test('waits for all of its trials where it has a cap: the cap is that of one batch', async () => {
    const { judge, createBatch, ended } = await start()
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
    const { app, createBatch } = await start(judge)
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
    const { app, judge, inFlight, createBatch, findBatches } = await start(answeringJudge(() => held))
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

  test.each([false, true])(
    'that is stopped is left to a service on the same database only by a service: %s',
    async (isService) => {
      const database = tempDatabase()
      let release = () => {}
      const held = new Promise<typeof GOOD_ANSWER>((resolve) => {
        release = () => resolve(GOOD_ANSWER)
      })
      const { app, judge, createBatch } = await start(
        answeringJudge(() => held),
        database,
        isService,
      )
      const { id } = await createBatch({}, pausing(itemsOf(MANY), -1, noop), never)
      await expect.poll(() => judge.calls.length).toBeGreaterThan(0)
      open.splice(open.indexOf(app), 1)
      const stopped = app.stop()
      release()
      await stopped
      const service = await start(
        answeringJudge(() => GOOD_ANSWER),
        database,
      )
      await service.app.context.start()
      if (isService) return expect(await service.ended(id)).toMatchObject({ counts: { graded: MANY } })
      expect(await service.app.context.main.batches.get(id)).toMatchObject({
        status: 'parked',
        parked_reason: 'the command that ran it was stopped',
        resumes_at: null,
      })
      expect(service.judge.calls).toEqual([])
      await service.app.context.main.batches.resume(id)
      expect(await service.ended(id)).toMatchObject({ counts: { graded: MANY } })
    },
  )

  test('that rests until a time when its command is stopped stays parked for good', async () => {
    const database = tempDatabase()
    const { app, createBatch } = await start(
      answeringJudge(() => ({ fail: 'judge_unreachable' })),
      database,
      false,
    )
    const { id } = await createBatch({}, pausing(itemsOf(MANY), -1, noop), never)
    await expect
      .poll(async () => (await app.context.main.batches.get(id))?.resumes_at ?? null, { timeout: 20_000 })
      .not.toBeNull()
    open.splice(open.indexOf(app), 1)
    await app.stop()
    const service = await start(
      answeringJudge(() => GOOD_ANSWER),
      database,
    )
    expect(await service.app.context.main.batches.get(id)).toMatchObject({
      status: 'parked',
      parked_reason: 'the command that ran it was stopped',
      resumes_at: null,
    })
  }, 30_000)

  test('is not taken for abandoned by a process that starts meanwhile, also while its judge is out', async () => {
    const database = tempDatabase()
    const failure = { fail: 'quota_exhausted' } as const
    let isOut = true
    const judge = answeringJudge(() => (isOut ? failure : GOOD_ANSWER))
    const { app, createBatch, ended } = await start(judge, database)
    const reading = pausing(itemsOf(MANY), 129, async () => {
      await expect.poll(() => judge.calls.length).toBeGreaterThan(0)
      const run = promisify(execFile)
      await run(process.execPath, ['src/cli.ts', 'status'], { env: { ...process.env, VERIDICT_DATABASE: database } })
      isOut = false
    })
    const batch = await createBatch({}, reading, never)
    expect(batch.counts.total).toBe(MANY)
    app.context.laneOf('scripted').resume()
    await app.context.main.batches.resume(batch.id)
    expect(await ended(batch.id)).toMatchObject({ counts: { graded: MANY } })
  })
})

describe('a command that ends before there is a batch says what was graded, and what it cost', () => {
  /** 128 trials that are graded, then whatever `end` does; $0.0038 a trial. */
  async function run(end: (shell: ReturnType<typeof testShell>) => AsyncIterable<ReturnType<typeof trial>>) {
    const judge = answeringJudge(() => GOOD_ANSWER)
    const shell = testShell({
      args: ['batch', 'jobs'],
      startEmbedded: (env, use) => startEmbedded({ ...env, VERIDICT_DATABASE: ':memory:' }, use, [judge]),
      async *trials() {
        for (const [index, { item }] of itemsOf(128).entries())
          yield { ...trial(`trial-${index}`), request: { ...item, judge: 'scripted' } } as ReturnType<typeof trial>
        await expect.poll(() => judge.calls.length, { timeout: 20_000 }).toBe(128)
        yield* end(shell)
      },
    })
    await batchCommand(shell).parseAsync(['jobs'], { from: 'user' })
    return shell
  }

  test('where the last trial cannot be taken', async () => {
    const shell = await run(async function* () {
      yield { ...trial('bad'), request: { ...itemsOf(1)[0]?.item, judge: 'nope' } } as ReturnType<typeof trial>
    })
    expect(shell.code()).toBe(1)
    expect(shell.errors()).toMatch(/^veridict: there is no such judge: nope\n/)
    expect(shell.errors()).toContain(
      '\n  No batch was made; 128 trials are graded and kept (cost $0.49); what is kept costs nothing again\n',
    )
  })

  test('where it is interrupted', async () => {
    const shell = await run(async function* (stopped) {
      stopped.signals.emit('SIGINT')
      yield trial('unread')
      throw new Error('the reading was ended')
    })
    expect(shell.code()).toBe(130)
    expect(shell.errors()).toContain('there is no batch yet; 128 trials are graded and kept (cost $0.49); what')
  })
})
