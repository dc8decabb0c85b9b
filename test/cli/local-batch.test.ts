import { afterEach, describe, expect, test } from 'vitest'
import { followBatch } from '../../src/client/persist.ts'
import type { ReadItem } from '../../src/client/veridict.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { local } from '../../src/library/library.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, makeItems } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { tempDatabase } from '../storage/temp-folder.ts'

const LIMITS = { max_steps: 100, max_part_chars: 100_000 }
/** Stopped after each test. */
const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.stop()
})

/** The calls that a command makes of the service in its process. */
async function startLocal(
  judge = answeringJudge(() => GOOD_ANSWER),
  env: NodeJS.ProcessEnv = {},
  adopts_batches = true,
) {
  const app = await startApp({ judges: [judge], env, adopts_batches })
  open.push(app)
  if (app.context.config.postgres !== null) await app.context.start()
  const { createBatch, batch: readBatch } = local(app.context)
  const ended = async (id: string) => {
    for await (const batch of followBatch((one) => readBatch(one), id)) if (batch.status === 'done') return batch
    throw new Error('it never ended')
  }
  return { app, judge, createBatch, ended }
}

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
  test.each([{ samples: 26 }, { name: 'n'.repeat(301) }])(
    'with options that no service takes is refused: %#',
    async (options) => {
      const { judge, createBatch } = await startLocal()
      await expect(createBatch(pausing(itemsOf(2), 9, noop), options)).rejects.toMatchObject({ status: 400 })
      expect(judge.calls).toEqual([])
    },
  )

  const ODD = `\ud800${'x'.repeat(300)}`
  test.each([
    [
      'a name that is too long',
      () => ({ item_id: 'x'.repeat(301) }),
      { detail: 'line 2 does not fit its schema', errors: [{ path: '/items/1/item_id' }] },
    ],
    [
      'a text that could not be told from another once it is stored',
      ({ ground_truth }: BatchItem) => ({ ground_truth: { ...ground_truth, instruction: ODD } }),
      { errors: [{ path: '/items/1/ground_truth/instruction', message: 'the text holds a lone surrogate' }] },
    ],
  ])('names the trial with %s', async (_name, change, refusal) => {
    const { createBatch } = await startLocal()
    const [first, second] = itemsOf(2) as [ReadItem, ReadItem]
    const wrong = { ...second, item: { ...second.item, ...change(second.item) } }
    await expect(createBatch(pausing([first, wrong], -1, noop))).rejects.toMatchObject({ status: 400, ...refusal })
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
      const { id } = await createBatch(pausing(itemsOf(MANY), -1, noop))
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
      expect(await service.app.context.batches.get(id)).toMatchObject({
        status: 'parked',
        parked_reason: 'the command that ran it was stopped',
        resumes_at: null,
      })
      expect(service.judge.calls).toEqual([])
      await service.app.context.batches.resume(id)
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
    const { id } = await createBatch(pausing(itemsOf(MANY), -1, noop))
    await expect
      .poll(async () => (await app.context.batches.get(id))?.resumes_at ?? null, { timeout: 20_000 })
      .not.toBeNull()
    open.splice(open.indexOf(app), 1)
    await app.stop()
    const service = await startLocal(
      answeringJudge(() => GOOD_ANSWER),
      { VERIDICT_DATABASE: database },
    )
    expect(await service.app.context.batches.get(id)).toMatchObject({
      status: 'parked',
      parked_reason: 'the command that ran it was stopped',
      resumes_at: null,
    })
  }, 30_000)
})
