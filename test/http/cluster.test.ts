import { expect, onTestFinished, test } from 'vitest'
import type { Judge } from '../../src/ports/judge.ts'
import { GOOD_ANSWER, REQUEST, replyOf, scriptedJudge } from '../grading/harness.ts'
import { startApp } from '../start-app.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

describePostgres('several services on one PostgreSQL', (tools) => {
  /** Starts two services with a judge each that waits until the test opens the gate; the calls of both are counted together. */
  async function startTwo() {
    const { server } = tools()
    const name = `services_${Date.now()}`
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
    const start = async () => {
      const app = await startApp({ env: { VERIDICT_DATABASE_URL: url }, judges: [judge()] })
      onTestFinished(() => app.stop())
      return app
    }
    return { a: await start(), b: await start(), calls: () => calls, open: () => gate.resolve() }
  }

  const KEYED = { 'idempotency-key': 'once' }

  test('an Idempotency-Key counts for both: one answer, and 409 for whoever asks meanwhile', async () => {
    const { a, b, calls, open } = await startTwo()
    const first = a.post('/v1/grades', REQUEST, KEYED)
    await expect.poll(calls, { timeout: 10_000 }).toBe(1)
    const meanwhile = await b.post('/v1/grades', REQUEST, KEYED)
    expect(meanwhile.statusCode).toBe(409)
    expect(meanwhile.json()).toMatchObject({ code: 'idempotency_key_in_use' })
    expect(meanwhile.headers['retry-after']).toBe('1')
    // Another key is another request, and shares the call.
    const other = b.post('/v1/grades', REQUEST, { 'idempotency-key': 'twice' })
    open()
    const answered = await first
    expect(answered.statusCode).toBe(201)
    const { label, receipt } = (await other).json()
    expect([label, receipt.attempts[0].id]).toEqual([answered.json().label, answered.json().receipt.attempts[0].id])
    const again = await b.post('/v1/grades', REQUEST, KEYED)
    expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([201, answered.body, 'true'])
    const changed = await b.post('/v1/grades', { ...REQUEST, samples: 3 }, KEYED)
    expect([changed.statusCode, changed.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(calls()).toBe(1)
  })
})
