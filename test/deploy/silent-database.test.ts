import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { spawnProgram, tempFolder } from '../e2e/service-process.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { openWire } from '../storage/postgres-wire.ts'

describePostgres('a stop with a database that has fallen silent', (tools) => {
  test('ends by itself, within what the manifests allow', { timeout: 90_000 }, async () => {
    const wire = await openWire(tools().server.port)
    onTestFinished(wire.close)
    const url = new URL(tools().server.url)
    url.port = `${wire.port}`
    // The timeout of a statement does not end the stop.
    const config = { postgres: { statement_timeout_ms: 600_000 } }
    const env = { VERIDICT_DATABASE_URL: url.href, VERIDICT_HOST: '127.0.0.1', VERIDICT_PORT: '0' }
    const start = (program: readonly string[], more: NodeJS.ProcessEnv, says: string) =>
      spawnProgram(program, { file: join(tempFolder(), 'veridict.json'), config }, { ...env, ...more }, (printed) =>
        printed.includes(says) ? true : undefined,
      )
    const all = [
      start(['src/server.ts'], { VERIDICT_WORKER: 'off' }, 'audit pages'),
      start(['src/cli.ts', 'worker'], {}, 'working on batches'),
    ]
    await Promise.all(all.map(({ ready }) => ready))
    wire.fallSilent()
    await delay(1500)
    for (const { child } of all) child.kill('SIGTERM')
    expect(await Promise.all(all.map(({ exited }) => exited))).toEqual([0, 0])
    const [service, worker] = all.map(({ output }) => output.join(''))
    // A service that runs no batches has nothing to give back to the database.
    expect(service).toContain('"stopped"')
    expect(worker).toMatch(/the database did not answer|still in flight at the deadline/)
  })
})
