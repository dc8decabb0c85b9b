import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createMemoryQueue } from '../../src/batches/shared/memory-queue.ts'
import { SLICE_ITEMS, type SliceQueue, type SliceWork } from '../../src/ports/slice-ports.ts'
import { createJobQueue } from '../../src/queue/job-queue.ts'
import { judgeOf, queueName } from '../../src/queue/queue-names.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

let made = 0

/** Slices of a batch that no other test has. */
function makeWork(slices: number, judge: string | null = `judge ${made}`): SliceWork[] {
  made += 1
  return Array.from({ length: slices }, (_, at) => ({
    project: 'default',
    batch: `bat_${made}`,
    from: at * SLICE_ITEMS,
    judge,
  }))
}
const judgeOfWork = (work: readonly SliceWork[]): string | null => work[0]?.judge ?? null
const fromOf = (work: readonly SliceWork[]): number[] => work.map(({ from }) => from).sort((one, other) => one - other)

/** What both kinds of queue promise. */
function describeQueue(open: () => SliceQueue): void {
  test('work is planned once, however often it is planned, and fetched once', async () => {
    const queue = open()
    const work = makeWork(5)
    const judge = judgeOfWork(work)
    await Promise.all([queue.plan(work), queue.plan(work)])
    await queue.plan(work)
    const [some, more] = await Promise.all([queue.fetch(judge, 3), queue.fetch(judge, 10)])
    expect(fromOf([...some, ...more])).toEqual(fromOf(work))
    // It is neither waiting nor to be planned again while somebody has it.
    await queue.plan(work)
    expect(await queue.fetch(judge, 10)).toEqual([])
    await queue.complete([...some, ...more])
    expect(await queue.fetch(judge, 10)).toEqual([])
    // What has ended may come again.
    await queue.plan(work.slice(0, 1))
    expect(fromOf(await queue.fetch(judge, 10))).toEqual([0])
  })

  test('carries what it was given, and gives the beginnings of all batches first', async () => {
    const queue = open()
    const [first = [], second = []] = [makeWork(3, 'shared'), makeWork(3, 'shared')]
    const traced = first.map((one) => ({ ...one, traceparent: '00-trace' }))
    await queue.plan(traced)
    await queue.plan(second)
    const fetched = await queue.fetch('shared', 2)
    expect(fromOf(fetched)).toEqual([0, 0])
    expect(fetched.find(({ batch }) => batch === first[0]?.batch)).toMatchObject({ ...traced[0] })
    await queue.complete([...fetched, ...(await queue.fetch('shared', 10))])
  })

  test('what is of projects that are left out is left to others', async () => {
    const queue = open()
    const work = makeWork(3, 'left')
    await queue.plan(work.map((one, at) => ({ ...one, project: at === 0 ? 'left-out' : 'default' })))
    expect(fromOf(await queue.fetch('left', 10, ['left-out', 'nobody']))).toEqual([16, 32])
    expect(fromOf(await queue.fetch('left', 10, []))).toEqual([0])
  })

  test('given back it is fetched again, and who had it before can end it no more', async () => {
    const queue = open()
    const work = makeWork(1)
    const judge = judgeOfWork(work)
    await queue.plan(work)
    const [old] = await queue.fetch(judge, 1)
    if (old === undefined) throw new Error('nothing was fetched')
    await queue.giveBack([old])
    const [now] = await queue.fetch(judge, 1)
    expect(now).toMatchObject(work[0] ?? {})
    expect(now?.attempt).not.toBe(old.attempt)
    await queue.complete([old])
    await queue.giveBack([old])
    expect(await queue.fetch(judge, 1)).toEqual([])
    expect((await queue.survey(work, 1000)).missing).toEqual([])
    await queue.complete(now === undefined ? [] : [now])
    expect((await queue.survey(work, 1000)).missing).toEqual(work)
  })

  test('a survey tells what is missing, and what was fetched long ago', async () => {
    const queue = open()
    const work = makeWork(4)
    await queue.plan(work.slice(0, 3))
    const [fetched] = await queue.fetch(judgeOfWork(work), 1)
    expect(await queue.survey(work, 60)).toEqual({ missing: work.slice(3), old: [] })
    await delay(30)
    const { missing, old } = await queue.survey(work, 0)
    expect(missing).toEqual(work.slice(3))
    expect(old).toEqual([fetched])
    // Whoever finds its holder gone gives it back in his place.
    await queue.giveBack(old)
    expect(fromOf(await queue.fetch(judgeOfWork(work), 10))).toEqual([0, 16, 32])
  })

  test('batches of providers are apart from judges', async () => {
    const queue = open()
    const whole = makeWork(1, null)
    await queue.plan(whole)
    expect(await queue.fetch('null', 1)).toEqual([])
    const fetched = await queue.fetch(null, 1)
    expect(fetched).toMatchObject(whole)
    await queue.complete(fetched)
  })
}

describe('work of one process', () => {
  const queue = createMemoryQueue()
  describeQueue(() => queue)
})

describePostgres('work over pg-boss', (tools) => {
  const troubles: unknown[] = []
  const openQueue = (url = tools().server.url) => {
    const queue = createJobQueue({
      url,
      connect_timeout_ms: 2000,
      statement_timeout_ms: 5000,
      silence_s: 10,
      onError: (error) => troubles.push(error),
    })
    onTestFinished(() => queue.close())
    return queue
  }
  describeQueue(() => openQueue())

  test('ten processes may begin at once, and no two fetch the same', async () => {
    await tools().server.query('DROP SCHEMA veridict_job_queue CASCADE')
    const work = makeWork(100)
    const queues = Array.from({ length: 10 }, () => openQueue())
    await Promise.all(queues.map((queue) => queue.plan(work)))
    const fetched = await Promise.all(queues.map((queue) => queue.fetch(judgeOfWork(work), 20)))
    expect(fromOf(fetched.flat())).toEqual(fromOf(work))
  }, 60_000)

  test('tells of judges whose work has waited for long while nobody did any', async () => {
    const queue = openQueue()
    const [left, done] = [makeWork(1), makeWork(2)]
    await queue.plan([...left, ...done])
    await tools().server.query(
      "UPDATE veridict_job_queue.job SET created_on = now() - interval '1 hour', start_after = now() - interval '1 hour'",
    )
    const [one] = await queue.fetch(judgeOfWork(done), 1)
    const judges = await queue.forsaken()
    expect(judges).toContain(judgeOfWork(left))
    expect(judges).not.toContain(judgeOfWork(done))
    if (one !== undefined) await queue.complete([one])
    expect(await queue.forsaken()).not.toContain(judgeOfWork(done))
  })

  test('takes few connections, and none that could be seen as the service’s own', async () => {
    const queue = openQueue()
    await Promise.all(Array.from({ length: 20 }, () => queue.fetch('any', 1)))
    const [row] = await tools().server.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'veridict-jobs'",
    )
    expect(row?.['n']).toBeLessThanOrEqual(2)
  })

  test('rejects while the server is away, and goes on when it is there again', async () => {
    const queue = openQueue()
    const work = makeWork(2)
    await queue.plan(work)
    await tools().server.stop()
    await expect(queue.fetch(judgeOfWork(work), 1)).rejects.toThrow()
    await tools().server.start()
    expect(fromOf(await queue.fetch(judgeOfWork(work), 10))).toEqual([0, 16])
  }, 60_000)

  test('a user who may not make schemas works in one that he was given', async () => {
    const { query, url } = tools().server
    await query("CREATE ROLE plain LOGIN PASSWORD 'plain'")
    await query('CREATE DATABASE given')
    const given = new URL(url)
    given.pathname = '/given'
    const admin = new pg.Client({ connectionString: given.href })
    await admin.connect()
    await admin.query('CREATE SCHEMA veridict_job_queue AUTHORIZATION plain')
    await admin.end()
    given.username = 'plain'
    given.password = 'plain'
    const queue = openQueue(given.href)
    const work = makeWork(1)
    await queue.plan(work)
    expect(fromOf(await queue.fetch(judgeOfWork(work), 10))).toEqual([0])
  })

  test('an emptied queue is made again with what is planned', async () => {
    const queue = openQueue()
    const work = makeWork(2)
    await queue.plan(work)
    await tools().server.query('TRUNCATE veridict_job_queue.job, veridict_job_queue.queue CASCADE')
    const { missing } = await queue.survey(work, 10)
    await queue.plan(missing)
    expect(fromOf(await queue.fetch(judgeOfWork(work), 10))).toEqual([0, 16])
  })
})

describe('names of queues', () => {
  test.each(['lexical', 'gpt-5.1_mini', 'Ein Urteil: 99 %', '__proto__', 'a_5f_b', '判'])('%s', (judge) => {
    expect(queueName(judge)).toMatch(/^[\w.\-/]+$/)
    expect(judgeOf(queueName(judge))).toBe(judge)
  })
  test('a batch of a provider has none', () => expect(judgeOf(queueName(null))).toBeNull())
})
