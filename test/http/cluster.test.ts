import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Judge } from '../../src/ports/judge.ts'
import { GOOD_ANSWER, REQUEST, replyOf, scriptedJudge } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

describePostgres('several services on one PostgreSQL', (tools) => {
  let databases = 0

  /** Each with a judge of its own that waits until it is let go; the calls of both are counted together. */
  async function startTwo() {
    const { server } = tools()
    databases += 1
    const name = `services_${databases}`
    await server.query(`CREATE DATABASE ${name}`)
    const url = server.url.replace(/[^/]+$/, name)
    const gate = Promise.withResolvers<void>()
    let calls = 0
    const judge = (): Judge => ({
      info: scriptedJudge([]).info,
      ask: async () => {
        calls += 1
        await gate.promise
        return replyOf(GOOD_ANSWER)
      },
    })
    const start = () => startApp({ env: { VERIDICT_DATABASE_URL: url }, judges: [judge()] })
    const [a, b] = [await start(), await start()]
    const query = async (text: string) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(text)
      await client.end()
    }
    return { a, b, query, calls: () => calls, open: () => gate.resolve() }
  }

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await delay(10)
  }

  const KEYED = { 'idempotency-key': 'once' }

  test('an Idempotency-Key counts for both: one answer, and 409 for whoever asks meanwhile', async () => {
    const { a, b, calls, open } = await startTwo()
    const first = a.post('/v1/grades', REQUEST, KEYED)
    await until(() => calls() === 1)
    const meanwhile = await b.post('/v1/grades', REQUEST, KEYED)
    expect(meanwhile.statusCode).toBe(409)
    expect(meanwhile.json()).toMatchObject({ code: 'idempotency_key_in_use' })
    expect(meanwhile.headers['retry-after']).toBe('1')
    // Another key is another request, and shares the call.
    const other = b.post('/v1/grades', REQUEST, { 'idempotency-key': 'twice' })
    open()
    const answered = await first
    expect(answered.statusCode).toBe(201)
    expect((await other).json()).toMatchObject({ id: answered.json().id })
    const again = await b.post('/v1/grades', REQUEST, KEYED)
    expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([201, answered.body, 'true'])
    const changed = await b.post('/v1/grades', { ...REQUEST, samples: 3 }, KEYED)
    expect([changed.statusCode, changed.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(calls()).toBe(1)
    for (const app of [a, b]) await app.stop()
  })

  test('a lease that cannot be kept is 503 storage_busy, and nothing was asked', async () => {
    const { a, b, query, calls, open } = await startTwo()
    await query(`
      CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.until := clock_timestamp() - interval '1 s'; RETURN NEW; END $$;
      CREATE TRIGGER spoilt BEFORE INSERT OR UPDATE ON veridict.leases FOR EACH ROW EXECUTE FUNCTION spoil()`)
    const refused = await a.post('/v1/grades', REQUEST)
    expect(refused.statusCode).toBe(503)
    expect(refused.json()).toMatchObject({ code: 'storage_busy' })
    expect(refused.headers['retry-after']).toBe('5')
    expect(calls()).toBe(0)
    await query('DROP TRIGGER spoilt ON veridict.leases')
    open()
    expect((await b.post('/v1/grades', REQUEST)).statusCode).toBe(201)
    for (const app of [a, b]) await app.stop()
  })
})
