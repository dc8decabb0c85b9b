import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startEmbedded } from '../../src/cli/client/embedded.ts'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge } from '../http/make-batch.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { itemsOf, MANY, never, noop, open, pausing, startLocal, testEarlyGrading } from './early-grading-cases.ts'
import { testShell, trial } from './test-shell.ts'

describe('a batch of the command', () => {
  testEarlyGrading(async () => ({}))

  test.each([{ samples: 26 }, { name: 'n'.repeat(301) }])(
    'with options that no service takes is refused: %#',
    async (options) => {
      const { judge, createBatch } = await startLocal()
      await expect(createBatch(options, pausing(itemsOf(2), 9, noop), never)).rejects.toMatchObject({ status: 400 })
      expect(judge.calls).toEqual([])
    },
  )

  test('names the trial whose request does not fit', async () => {
    const { createBatch } = await startLocal()
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
    const { createBatch } = await startLocal()
    const [one] = itemsOf(1)
    if (one === undefined) throw new Error('no item')
    const ground_truth = { ...one.item.ground_truth, instruction: `\ud800${'x'.repeat(300)}` }
    const odd = { ...one, item: { ...one.item, ground_truth } }
    await expect(createBatch({}, pausing([odd], -1, noop), never)).rejects.toMatchObject({
      errors: [{ path: '/items/0/ground_truth/instruction', message: 'the text holds a lone surrogate' }],
    })
  })

  test.each([false, true])(
    'that is stopped is left to a service on the same database only by a service: %s',
    async (isService) => {
      const database = tempDatabase()
      let release = () => {}
      const held = new Promise<typeof GOOD_ANSWER>((resolve) => {
        release = () => resolve(GOOD_ANSWER)
      })
      const { app, judge, createBatch } = await startLocal(
        answeringJudge(() => held),
        { VERIDICT_DATABASE: database },
        isService,
      )
      const { id } = await createBatch({}, pausing(itemsOf(MANY), -1, noop), never)
      await expect.poll(() => judge.calls.length).toBeGreaterThan(0)
      open.splice(open.indexOf(app), 1)
      const stopped = app.stop()
      release()
      await stopped
      const service = await startLocal(
        answeringJudge(() => GOOD_ANSWER),
        { VERIDICT_DATABASE: database },
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
    const { app, createBatch } = await startLocal(
      answeringJudge(() => ({ fail: 'judge_unreachable' })),
      { VERIDICT_DATABASE: database },
      false,
    )
    const { id } = await createBatch({}, pausing(itemsOf(MANY), -1, noop), never)
    await expect
      .poll(async () => (await app.context.main.batches.get(id))?.resumes_at ?? null, { timeout: 20_000 })
      .not.toBeNull()
    open.splice(open.indexOf(app), 1)
    await app.stop()
    const service = await startLocal(
      answeringJudge(() => GOOD_ANSWER),
      { VERIDICT_DATABASE: database },
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
    const { app, createBatch, ended } = await startLocal(judge, { VERIDICT_DATABASE: database })
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
