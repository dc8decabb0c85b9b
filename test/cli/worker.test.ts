import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createFleet } from '../e2e/worker-process.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

const run = promisify(execFile)
const veridict = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, ['src/cli.ts', ...args], { env: { PATH: process.env['PATH'], ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  )

test('on SQLite there is no worker, and it says what to do', async () => {
  const { code, stderr } = await veridict(['worker'])
  expect(code).toBe(1)
  expect(stderr).toContain('set VERIDICT_DATABASE_URL')
  expect(stderr).toContain('works on its batches itself')
})

test('its help says how to start one', async () => {
  const { code, stdout } = await veridict(['worker', '--help'])
  expect(code).toBe(0)
  for (const word of ['VERIDICT_DATABASE_URL', 'VERIDICT_WORKER_PORT', 'SIGTERM', 'lease_seconds', 'Examples'])
    expect(stdout).toContain(word)
  expect((await veridict(['serve', '--help'])).stdout).toContain('--no-worker')
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
