import { expect, test } from 'vitest'
import { createFleet } from '../e2e/worker-process.ts'
import { runNode } from '../run-to-end.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

const veridict = (...args: string[]) => runNode(['src/cli.ts', ...args])

test('on SQLite there is no worker, and it says what to do', async () => {
  const { code, err } = await veridict('worker')
  expect(code).toBe(1)
  expect(err).toContain('set VERIDICT_DATABASE_URL')
  expect(err).toContain('works on its batches itself')
})

test('its help says how to start one', async () => {
  const { code, out } = await veridict('worker', '--help')
  expect(code).toBe(0)
  for (const word of ['VERIDICT_DATABASE_URL', 'VERIDICT_WORKER_PORT', 'SIGTERM', 'most_in_flight', 'Examples'])
    expect(out).toContain(word)
  expect((await veridict('serve', '--help')).out).toContain('--no-worker')
})

describePostgres('a worker', (tools) => {
  test('answers a supervisor on the port that it was given', async () => {
    const worker = await createFleet(tools().server.url, {}).worker({ VERIDICT_WORKER_PORT: '0' })
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(worker.output.join(''))?.[0]
    const ask = async (path: string) => {
      const response = await fetch(`${origin}${path}`)
      return [response.status, await response.text()] as const
    }
    expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}'])
    expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}'])
    const [status, text] = await ask('/metrics')
    expect(status).toBe(200)
    expect(text).toContain('veridict_judge_attempts_total')
    expect((await ask('/v1/batches'))[0]).toBe(404)
    expect(await worker.stop()).toBe(0)
    expect(worker.output.join('')).toContain('"msg":"stopped"')
  }, 60_000)
})
