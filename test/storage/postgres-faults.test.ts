import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { connectPostgres } from '../../src/db/open/postgres.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { ask } from './contract-reserve.ts'
import { readSpent } from './contract-spending.ts'
import { begin, finishOk, planAttempt } from './make-attempt.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'
import { openWire } from './postgres-wire.ts'

const TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'veridict'"

type Say = (text: string) => Promise<unknown>

/** Opens a database whose units of work run plain statements. */
function openTest(url: string, schema: string, settings = SETTINGS) {
  const db = connectPostgres(url, settings, schema)
  const write = <T>(work: (say: Say) => Promise<T>) => db.write((unit) => work((text) => unit.query(text)))
  return { write, close: () => db.close() }
}

describePostgres('PostgreSQL that fails', (tools) => {
  const openTable = async () => {
    const { server, newSchema } = tools()
    const schema = newSchema()
    await server.query(`CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".t (x integer PRIMARY KEY, n integer)`)
    const all = async () =>
      (await server.query(`SELECT x, n FROM "${schema}".t ORDER BY x`)) as { x: number; n: number }[]
    return { unit: openTest(server.url, schema), all, server, schema }
  }

  test('transactions that wait for each other crosswise are run again, and each counts once', async () => {
    const { unit, all } = await openTable()
    await unit.write((say) => say('INSERT INTO t VALUES (1, 0), (2, 0)'))
    const add = (first: number, second: number) =>
      unit.write(async (say) => {
        await say(`UPDATE t SET n = n + 1 WHERE x = ${first}`)
        await delay(20)
        await say(`UPDATE t SET n = n + 1 WHERE x = ${second}`)
      })
    await Promise.all([add(1, 2), add(2, 1), add(1, 2), add(2, 1)])
    expect(await all()).toEqual([
      { x: 1, n: 4 },
      { x: 2, n: 4 },
    ])
    await unit.close()
  })

  const GIVE_UP = "DO $$ BEGIN RAISE EXCEPTION 'for another’s sake' USING ERRCODE = '40001'; END $$"

  test.each([
    [3, null],
    [99, 'storage_busy'],
  ] as const)('what the server gives up for another’s sake %i times', async (most, code) => {
    const { unit, all } = await openTable()
    let given = 0
    const work = unit.write(async (say) => {
      await say('INSERT INTO t VALUES (1, 0)')
      given += 1
      if (given <= most) await say(GIVE_UP)
    })
    if (code === null) await work
    else await expect(work).rejects.toMatchObject({ code })
    expect(await all()).toEqual(code === null ? [{ x: 1, n: 0 }] : [])
    await unit.close()
  })

  test.each(['before the server has it', 'after the server has it'])(
    'a commit that is not answered, lost %s, is asked after: the work is done once',
    async (when) => {
      const { all, server, schema } = await openTable()
      const wire = await openWire(server.port)
      const unit = openTest(server.url.replace(`:${server.port}/`, `:${wire.port}/`), schema)
      let runs = 0
      wire.cutNext(when.startsWith('before') ? 'request' : 'answer')
      const answer = await unit.write(async (say) => {
        runs += 1
        await say('INSERT INTO t VALUES (1, 0)')
        return runs
      })
      expect(await all()).toEqual([{ x: 1, n: 0 }])
      expect([answer, runs]).toEqual(when.startsWith('before') ? [2, 2] : [1, 1])
      await unit.close()
      wire.close()
    },
  )

  test('a connection that is lost in the middle: the work is done once, or it is an error and nothing is there', async () => {
    const { unit, all, server } = await openTable()
    let terminated = 0
    const insert = (x: number, most: number) =>
      unit.write(async (say) => {
        await say(`INSERT INTO t VALUES (${x}, 0)`)
        if (terminated < most) {
          terminated += 1
          await server.query(TERMINATE)
        }
        await say(`UPDATE t SET n = n + 1 WHERE x = ${x}`)
      })
    await insert(1, 1)
    expect(await all()).toEqual([{ x: 1, n: 1 }])
    await expect(insert(2, 99)).rejects.toMatchObject({ name: 'StorageError', code: 'storage_busy' })
    expect(await all()).toEqual([{ x: 1, n: 1 }])
    await insert(3, 0)
    expect((await all()).map(({ x }) => x)).toEqual([1, 3])
    await unit.close()
  })

  test('whatever is cut, an answer is true and a refusal may be asked again: nothing is counted twice', async () => {
    const { server, open } = tools()
    const stores = await open()
    await openBatch(stores, 'bat_1', 1)
    const cutting = { on: true }
    const cut = (async () => {
      while (cutting.on) {
        await server.query(TERMINATE)
        await delay(15)
      }
    })()
    const ends = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, at) => {
        await delay(at * 5)
        await begin(stores, planAttempt(`att_${at}`, { key: digestBytes(`${at}`), batch: 'bat_1', reserved_usd: 1 }))
      }),
    )
    cutting.on = false
    await cut
    const there = new Set((await stores.attempts.listForGrade('grd_a')).map(({ id }) => id))
    for (const [at, end] of ends.entries()) {
      if (end.status === 'fulfilled') expect(there).toContain(`att_${at}`)
      else expect(end.reason).toMatchObject({ name: 'StorageError', code: 'storage_busy' })
    }
    expect(await readSpent(stores, { batch: 'bat_1' })).toBe(there.size)
    expect(await readBatch(stores, 'bat_1')).toMatchObject({ calls: { made: there.size } })
    await stores.close()
  })

  test.each(['stop', 'kill'] as const)('a server that goes (%s) and comes back', async (how) => {
    const { server, open } = tools()
    const stores = await open()
    await stores.grades.put(makeRecord({ key: 'before' }))
    await server[how]()
    const refused = [
      () => stores.settings.check(),
      () => stores.grades.list({ limit: 1 }),
      () => begin(stores, planAttempt('att_1')),
    ]
    for (const ask of refused) await expect(ask()).rejects.toMatchObject({ name: 'StorageError', code: 'storage_busy' })
    await server.start()
    await stores.settings.check()
    expect(await stores.grades.findByKey(digestBytes('before'))).not.toBeNull()
    await begin(stores, planAttempt('att_1'))
    await stores.attempts.finish(finishOk('att_1'))
    expect(await stores.attempts.markLost('')).toBe(0)
    await stores.close()
  })

  test('a statement that takes too long, and a transaction that is left alone, are given up', async () => {
    const { server, newSchema } = tools()
    const impatient = { ...SETTINGS, statement_timeout_ms: 100, idle_transaction_timeout_ms: 100 }
    const unit = openTest(server.url, newSchema(), impatient)
    await expect(unit.write((say) => say('SELECT pg_sleep(5)'))).rejects.toMatchObject({ code: 'storage_busy' })
    const idle = unit.write(async (say) => {
      await delay(400)
      await say('SELECT 1')
    })
    await expect(idle).rejects.toMatchObject({ code: 'storage_busy' })
    await unit.close()
  })

  test('an export waits for a statement as long as it takes', async () => {
    const { server, newSchema } = tools()
    const db = connectPostgres(server.url, { ...SETTINGS, statement_timeout_ms: 1 }, newSchema())
    const rows: unknown[] = []
    await db.snapshot(async (read) => {
      for await (const row of read('SELECT pg_sleep(6)::text AS slept')) rows.push(row)
    })
    expect(rows).toEqual([{ slept: '' }])
    await db.close()
  })

  describe('who may not come in', () => {
    const URLS: readonly [string, (url: string) => string, string][] = [
      ['a wrong password', (url) => url.replace(/:[^:@]+@/, ':secret-word@'), 'storage_error'],
      ['an unknown user', (url) => url.replace('veridict:', 'nobody-known:'), 'storage_error'],
      ['no such database', (url) => `${url}_none`, 'storage_error'],
      ['TLS that the server has not', (url) => `${url}?sslmode=verify-full`, 'storage_error'],
      ['a port where nobody listens', (url) => url.replace(/:\d+\//, ':1/'), 'storage_busy'],
    ]
    test.each(URLS)('%s', async (_name, change, code) => {
      const url = change(tools().server.url)
      const error = await tools()
        .open(undefined, { url })
        .then(
          () => null,
          (reason: unknown) => reason as Error,
        )
      expect(error).toMatchObject({ name: 'StorageError', code })
      expect(error?.message).not.toMatch(/secret-word|p@ss|p%40ss/)
    })
  })

  test('no call is lost before the server has run for half a minute: its process may hold a reply', async () => {
    const schema = tools().newSchema()
    const [stores, other] = [await tools().open(schema), await tools().open(schema)]
    await ask(stores, 'att_1')
    await tools().server.stop()
    await tools().server.start()
    const anHour = 3_600_000
    expect(await ask(other, 'att_2', anHour)).toEqual({ kind: 'wait', for: 'same' })
    expect(await other.attempts.markLost(new Date().toISOString())).toBe(0)
    await Promise.all([stores.close(), other.close()])
  })

  test('grades of two processes for one key are all stored, and one of them answers', async () => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const both = [await open(schema), await open(schema)]
    const records = Array.from({ length: 20 }, () => makeRecord({ key: 'k' }))
    await Promise.all(records.map((record, at) => both[at % 2]?.grades.put(record)))
    const ids = records.map(({ grade }) => grade.id)
    expect((await both[0]?.grades.list({ limit: 99 }))?.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    expect(ids).toContain((await both[1]?.grades.findByKey(digestBytes('k')))?.id)
    for (const stores of both) await stores.close()
  })

  test('two processes never go over a cap together', async () => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const both = [await open(schema), await open(schema)]
    const caps = { ...NO_CAPS, day_usd: 1 }
    const begins = both.flatMap((stores, which) =>
      Array.from({ length: 80 }, (_, at) =>
        begin(
          stores,
          planAttempt(`att_${which}_${at}`, { key: digestBytes(`${which} ${at}`), reserved_usd: 0.01 }),
          caps,
        ),
      ),
    )
    expect((await Promise.all(begins)).filter((end) => end === null)).toHaveLength(100)
    for (const stores of both) await stores.close()
  })
})
