import PQueue from 'p-queue'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Parking, runChunk, type Trouble } from '../../src/batches/run-chunk.ts'
import { createBatchWork } from '../../src/batches/work.ts'
import type { NewBatch } from '../../src/db/batches.ts'
import { ReplyRefused, StorageError } from '../../src/db/errors.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import type { GradingJob, ItemOutcome } from '../../src/grading/grade.ts'
import { Lane } from '../../src/grading/lane.ts'
import type { JudgeInfo } from '../../src/judges/judge.ts'
import type { Failure } from '../../src/schemas/grade.ts'
import { RequestError } from '../../src/schemas/problem.ts'
import { makeBatch, makeItem } from '../storage/make-batch.ts'
import { fakeClock, scriptedJudge } from './harness.ts'

type Fail = Pick<Failure, 'code'> & Partial<Failure>
type Outcome = Fail | 'refused' | Error
type Grade = (index: number, run: number, job: GradingJob) => Outcome | Promise<Outcome>

const REFUSED = new RequestError('not_cached', 'not stored')

const CHUNK = { batch: 'bat_1', chunk: 0, judge: 'scripted' }

/** Prepares the chunk of a batch whose items, one for each word, are graded by the test. */
async function prepare(
  grade: Grade,
  { words = ['a'], batch = {}, info = {}, restsUntil = 0, most = 16 } = {} as Partial<{
    words: readonly string[]
    batch: Partial<NewBatch>
    info: Partial<JudgeInfo>
    restsUntil: number
    most: number
  }>,
) {
  const stores = openSqliteStores({ path: ':memory:' })
  onTestFinished(() => stores.close())
  const clock = fakeClock()
  const runs: number[] = []
  const parked: Parking[] = []
  const errors: unknown[] = []
  const leaving = new AbortController()
  const request = { ...makeItem(0).request, judge: 'scripted' }
  await stores.batches.draft(makeBatch('bat_1', batch))
  await stores.batches.add(
    'bat_1',
    words.map((word, index) => makeItem(index, { word, request })),
  )
  await stores.batches.open('bat_1')
  const plan = await stores.batches.plan('bat_1')
  if (plan === null) throw new Error('the batch is not stored')
  const lane = new Lane({ initial: 4, min: 1, max: 4 })
  const places = new PQueue({ concurrency: most })
  lane.restsUntil = clock.now().getTime() + restsUntil
  const judge = scriptedJudge([], info)
  const gradeItem = async (_: unknown, job: GradingJob): Promise<ItemOutcome> => {
    const index = job.item?.index ?? -1
    runs.push(index)
    const outcome = await grade(index, runs.filter((one) => one === index).length, job)
    if (outcome === 'refused') throw REFUSED
    if (outcome instanceof Error) throw outcome
    const failure = { message: 'no', retryable: true, retry_after_s: null, ...outcome }
    // The failure ends the item with a grade where the item does not run again.
    if (job.isPassing(failure)) return { kind: 'passed_over', failure }
    throw REFUSED
  }
  const service = { gradeItem, findAnswers: async () => [], release: () => undefined }
  const deps = {
    ...{ stores, clock, service, laneOf: () => lane },
    judges: new Map([['scripted', judge]]),
    queueOf: () => places,
    jobs: { add: async () => undefined },
    onTrouble: ({ error }: Trouble) => void errors.push(error),
    onStatus: () => undefined,
  } as unknown as Parameters<typeof runChunk>[0]
  const counts = async () => (await stores.batches.get('bat_1'))?.counts
  return { deps, plan, stores, runs, parked, errors, clock, leaving, counts, start: clock.now().getTime() }
}

/** Runs the chunk. */
async function start(...given: Parameters<typeof prepare>) {
  const prepared = await prepare(...given)
  const { deps, plan, leaving, parked } = prepared
  const park = async (parking: Parking) => {
    parked.push(parking)
    leaving.abort()
  }
  return { ...prepared, done: runChunk(deps, { plan, chunk: CHUNK, signal: leaving.signal, park }) }
}

describe('the items of one trajectory', () => {
  test.each([
    ['wait for the first, whose trajectory the provider then has', {}, [0, 3], [0, 3, 1, 2]],
    ['run at once by a judge without a model', { info: { kind: 'lexical' } }, [0, 1, 2, 3], [0, 1, 2, 3]],
    ['run at once through a provider’s batch', { batch: { mode: 'provider' } }, [0, 1, 2, 3], [0, 1, 2, 3]],
    ['run at once in a recheck', { batch: { kind: 'recheck' } }, [0, 1, 2, 3], [0, 1, 2, 3]],
  ] as const)('%s', async (_, given, first, all) => {
    const gate = Promise.withResolvers<void>()
    const grade: Grade = async () => {
      await gate.promise
      return 'refused' as const
    }
    const { done, runs } = await start(grade, { ...given, words: ['a', 'a', 'a', 'b'] })
    await vi.waitFor(() => expect(runs).toEqual(first))
    gate.resolve()
    await done
    expect(runs).toEqual(all)
  })
})

test('no more items are in work at once than a process takes', async () => {
  const gates = ['a', 'b', 'c'].map(() => Promise.withResolvers<Outcome>())
  const { done, runs } = await start((index) => gates[index]?.promise ?? 'refused', { words: ['a', 'b', 'c'], most: 2 })
  await vi.waitFor(() => expect(runs).toEqual([0, 1]))
  gates[1]?.resolve('refused')
  await vi.waitFor(() => expect(runs).toEqual([0, 1, 2]))
  for (const { resolve } of gates) resolve('refused')
  await done
})

describe('a failure that may pass', () => {
  test('runs the item again, later each time, and ends it at the eighth run', async () => {
    const { done, runs, clock, counts } = await start(() => ({ code: 'judge_unreachable' }))
    await done
    expect(runs).toHaveLength(8)
    expect(clock.slept).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000])
    expect(await counts()).toMatchObject({ pending: 0, failed: 1 })
  })

  test('waits as long as the judge asks for', async () => {
    const limited = { code: 'rate_limited', retry_after_s: 7 } as const
    const { done, clock } = await start((_, run) => (run <= 3 ? limited : 'refused'))
    await done
    expect(clock.slept).toEqual([7000, 7000, 7000])
  })

  test('ends the item at once in a provider’s batch, whose rounds were the retries', async () => {
    const { done, runs } = await start(() => ({ code: 'timeout' }), { batch: { mode: 'provider' } })
    await done
    expect(runs).toEqual([0])
  })

  test.each([
    [2, { open: 0, lack: undefined }],
    [3, { open: 1, lack: { code: 'budget_exceeded' } }],
  ])(
    'of the budget waits for money that other calls reserved, and leaves its chunk at the third (%i)',
    async (most, end) => {
      const { done, clock, parked } = await start((_, run) => (run <= most ? { code: 'budget_exceeded' } : 'refused'))
      expect(await done).toMatchObject(end)
      expect([clock.slept, parked]).toEqual([[1000, 1000], []])
    },
  )

  test('of the budget leaves its place to other items', async () => {
    const { done, runs } = await start(
      (index, run) => (index === 1 || runs.includes(1) || run > 50 ? 'refused' : { code: 'budget_exceeded' }),
      { words: ['a', 'b'], most: 1 },
    )
    await done
    expect(runs.slice(0, 3)).toEqual([0, 1, 0])
  })

  test('of the budget leaves the item to the next round of a provider’s batch', async () => {
    const { done, runs, counts } = await start(() => ({ code: 'budget_exceeded' }), { batch: { mode: 'provider' } })
    await done
    expect([runs, await counts()]).toMatchObject([[0], { pending: 1 }])
  })
})

describe('the batch is parked', () => {
  test.each<[string, Fail, number, number | null]>([
    ['without a quota, for an operator', { code: 'quota_exhausted' }, 0, null],
    ['with a wrong key, for an operator', { code: 'authentication' }, 0, null],
    ['while its judge rests', { code: 'timeout' }, 30_000, 30_000],
    ['as long as its judge asks for, above a minute', { code: 'rate_limited', retry_after_s: 90 }, 0, 90_000],
  ])('%s, and no item ends', async (_, failure, restsUntil, rest) => {
    const { done, parked, counts, start: at, clock } = await start(() => failure, { words: ['a', 'b'], restsUntil })
    await done
    const resumes_at = rest === null ? null : new Date(at + rest)
    expect(parked[0]).toEqual({ reason: `scripted: ${failure.code}: no`, resumes_at })
    expect([await counts(), clock.slept]).toMatchObject([{ pending: 2 }, []])
  })
})

test('a judge that refuses for its rate again and again ends no item', async () => {
  const limited = { code: 'rate_limited', retry_after_s: 1 } as const
  const { done, runs, parked } = await start((_, run) => (run <= 100 ? limited : 'refused'))
  await done
  expect([runs.length, parked]).toEqual([101, []])
})

test('an unexpected error ends its item alone, as internal', async () => {
  const bug = new TypeError('bug')
  const grade: Grade = (index) => (index === 0 ? bug : 'refused')
  const { done, errors, counts } = await start(grade, { words: ['a', 'b'] })
  await done
  expect([errors, await counts()]).toMatchObject([[bug], { pending: 0, failed: 2 }])
})

test('a refusal of the database breaks the chunk off, once its other items have ended', async () => {
  const gate = Promise.withResolvers<void>()
  const grade: Grade = async (index) => {
    if (index === 0) return new StorageError('storage_full', 'full')
    await gate.promise
    return 'refused'
  }
  const { done, counts } = await start(grade, { words: ['a', 'b'] })
  gate.resolve()
  await expect(done).rejects.toMatchObject({ code: 'storage_full' })
  expect(await counts()).toMatchObject({ pending: 1, failed: 1 })
})

describe('a database that refuses', () => {
  const full = new StorageError('storage_full', 'the disk is full')
  const refused = new StorageError('storage_error', 'no')

  test.each([
    [
      'three times for a full disk: rests until it tries again by itself',
      full,
      3,
      10_000,
      /refused 3 times.*full.*room/,
    ],
    ['three times for another reason: rests until it is resumed', refused, 3, null, /refused 3 times.*no.*resume/],
    [
      'a reply that was paid for: rests at once until it is resumed',
      new ReplyRefused(full),
      1,
      null,
      /paid for.*full.*resume/,
    ],
  ])('%s', async (_, error, times, rest, reason) => {
    const { deps, runs, stores, start: at } = await prepare(() => error)
    const { doJob } = createBatchWork(deps)
    for (let n = 0; n < 5; n++) await doJob(CHUNK, new AbortController().signal)
    const resumes_at = rest === null ? null : new Date(at + rest).toISOString()
    const parked_reason = expect.stringMatching(reason)
    expect(await stores.batches.get('bat_1')).toMatchObject({ status: 'parked', parked_reason, resumes_at })
    expect(runs).toHaveLength(times)
  })

  test('now and then, with a job done in between: rests nothing', async () => {
    const { deps, stores } = await prepare((_, run) => (run % 3 === 0 ? { code: 'cancelled' } : refused))
    const { doJob } = createBatchWork(deps)
    for (let n = 0; n < 8; n++) await doJob(CHUNK, new AbortController().signal)
    expect(await stores.batches.plan('bat_1')).toMatchObject({ status: 'running' })
  })

  test('the rest of its batch, too: begins nothing, tells the reason, and rests once the database takes the rest', async () => {
    const { deps, runs, stores } = await prepare(() => new ReplyRefused(full))
    const { park } = stores.batches
    stores.batches.park = () => Promise.reject(full)
    const work = createBatchWork(deps)
    for (let n = 0; n < 5; n++) await work.doJob(CHUNK, new AbortController().signal)
    expect([runs, work.restOf('bat_1')?.reason]).toEqual([[0], expect.stringContaining('paid for')])
    stores.batches.park = park
    expect(await work.doJob(CHUNK, new AbortController().signal)).toBeNull()
    expect(await stores.batches.plan('bat_1')).toMatchObject({ status: 'parked' })
    expect([runs, work.restOf('bat_1')]).toEqual([[0], null])
  })
})

test('a run that is to end begins no item and waits for no retry', async () => {
  const { done, runs, leaving, counts } = await start(
    (_, __, job) => {
      leaving.abort()
      expect(job.isPassing({ code: 'cancelled', message: '', retryable: true, retry_after_s: null })).toBe(true)
      return { code: 'cancelled' }
    },
    { words: ['a', 'a'] },
  )
  await done
  expect([runs, await counts()]).toMatchObject([[0], { pending: 2 }])
})
