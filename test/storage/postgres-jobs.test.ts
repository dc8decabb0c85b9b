import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { createBossJobs } from '../../src/batches/boss.ts'
import { describePostgres } from './postgres-tools.ts'

const CHUNK = { batch: 'bat_refused', chunk: 0, judge: 'openai' }

describePostgres('jobs of several processes', (tools) => {
  const openJobs = () => createBossJobs({ url: tools().server.url, chunksAtOnce: () => 1, onError: () => undefined })

  test('a unit of work of which the server gives up one of several statements runs again', async () => {
    const stores = await tools().open(undefined, { max_connections: 1 })
    let runs = 0
    await stores.db.write(async (sql) => {
      const given = runs++ === 0 ? "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$" : 'SELECT 2'
      await Promise.all([sql.query(given), sql.query('SELECT 1')])
    })
    expect(runs).toBe(2)
    await stores.close()
  })

  test('a refusal of the server ends with the refusal: the next chunk has its queue', async () => {
    const { server } = tools()
    const jobs = openJobs()
    await server.stop()
    await expect(jobs.add([CHUNK])).rejects.toThrow()
    await server.start()
    await jobs.add([CHUNK])
    await server.query('ALTER TABLE veridict_jobs.queue RENAME TO absent')
    const other = { ...CHUNK, judge: 'another' }
    await expect(jobs.add([other])).rejects.toThrow()
    await server.query('ALTER TABLE veridict_jobs.absent RENAME TO queue')
    await jobs.add([other])
    const names = await server.query('SELECT name FROM veridict_jobs.job WHERE singleton_key = $1 ORDER BY name', [
      'bat_refused:0',
    ])
    expect(names).toEqual([{ name: 'judge.another' }, { name: 'judge.openai' }])
    await jobs.stop()
  })

  test('a unit of work that fails at another connection leaves nothing for the next unit of its connection', async () => {
    const stores = await tools().open(undefined, { max_connections: 1 })
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const writing = stores.db.write(async (sql) => {
      await sql.query("INSERT INTO judges (name) VALUES ('refused')")
      throw refused
    })
    await Promise.all([expect(writing).rejects.toBe(refused), stores.judges.announce(['openai'])])
    expect((await stores.db.read.query('SELECT name FROM judges')).rows).toEqual([{ name: 'openai' }])
    await stores.close()
  })

  test('a worker that stops gives back its chunks, begun or not', async () => {
    const { server } = tools()
    const jobs = openJobs()
    await jobs.add([0, 1, 2, 3].map((chunk) => ({ batch: 'bat_1', chunk, judge: 'stops' })))
    expect(await jobs.busy()).toContain('bat_1')
    const begun = Promise.withResolvers<void>()
    await jobs.start(['stops'], (_, signal) => {
      begun.resolve()
      return once(signal, 'abort').then(() => null)
    })
    await begun.promise
    await jobs.stop()
    const states = await server.query(
      "SELECT state::text, count(*)::integer AS n FROM veridict_jobs.job WHERE name = 'judge.stops' GROUP BY state ORDER BY state",
    )
    expect(states).toEqual([
      { state: 'created', n: 3 },
      { state: 'retry', n: 1 },
    ])
  })

  test('a chunk that is added while it waits runs once, and once more where it is added while it runs', async () => {
    const { server } = tools()
    const first = openJobs()
    const chunk = { batch: 'bat_again', chunk: 0, judge: 'again' }
    await first.add([chunk])
    await first.stop()
    // A queue of an earlier version.
    await server.query("UPDATE veridict_jobs.queue SET policy = 'exclusive' WHERE name = 'judge.again'")
    await server.query("UPDATE veridict_jobs.job SET policy = 'exclusive' WHERE name = 'judge.again'")
    const jobs = openJobs()
    const gates: (() => void)[] = []
    await jobs.start(['again'], async () => {
      await new Promise<void>((resolve) => gates.push(resolve))
      return null
    })
    await vi.waitFor(() => expect(gates).toHaveLength(1), 10_000)
    // The chunk may have read its batch as parked, which was resumed meanwhile.
    for (let n = 0; n < 3; n++) await jobs.add([chunk])
    for (const n of [0, 1]) {
      await vi.waitFor(() => expect(gates).toHaveLength(n + 1), 10_000)
      gates[n]?.()
    }
    await vi.waitFor(async () => expect([...(await jobs.busy())]).not.toContain(chunk.batch), 10_000)
    expect(gates).toHaveLength(2)
    await jobs.stop()
  })

  test('a poll of an earlier version is done, is stored once, and waits for its next look in its own row', async () => {
    const { server } = tools()
    const jobs = openJobs()
    const poll = { batch: 'bat_1', judge: 'polls', chunk: null }
    const found = (selected: string) =>
      server.query(`SELECT ${selected} FROM veridict_jobs.job WHERE name = 'provider.polls'`)
    await jobs.add([poll])
    await server.query(
      "UPDATE veridict_jobs.job SET data = data - 'chunk', singleton_key = 'bat_1' WHERE name = 'provider.polls'",
    )
    await jobs.add([poll])
    const looks: unknown[] = []
    await jobs.start(['polls'], async (job) => (looks.push(job) < 3 ? 1 : null))
    await vi.waitFor(async () => expect(await found('state::text')).toEqual([{ state: 'completed' }]), 10_000)
    // Looks are no failures: a crash is tried again after any number of them.
    expect(await found('retry_limit - retry_count AS tries')).toEqual([{ tries: 999 }])
    expect(looks).toEqual(Array(3).fill({ batch: 'bat_1', judge: 'polls' }))
    await jobs.stop()
  })

  test('ended jobs are deleted after ten minutes', async () => {
    const { server } = tools()
    const jobs = openJobs()
    const ended = Promise.withResolvers<void>()
    await jobs.start(['ends'], async () => {
      ended.resolve()
      return null
    })
    await jobs.add([{ ...CHUNK, judge: 'ends' }])
    await ended.promise
    const left = async () => server.query("SELECT state::text FROM veridict_jobs.job WHERE name = 'judge.ends'")
    await vi.waitFor(async () => expect(await left()).toEqual([{ state: 'completed' }]), 10_000)
    await server.query(
      `UPDATE veridict_jobs.job SET completed_on = now() - interval '10 minutes' WHERE name = 'judge.ends';
       UPDATE veridict_jobs.queue SET maintain_on = now() - interval '1 minute' WHERE name = 'judge.ends'`,
    )
    await vi.waitFor(async () => expect(await left()).toEqual([]), 15_000)
    await jobs.stop()
  })
})
