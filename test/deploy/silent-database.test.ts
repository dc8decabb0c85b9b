import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../e2e/service-process.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

/** A way to the database that falls silent: connections stay open, and nothing comes any more. */
async function openWay(port: number) {
  const sockets = new Set<Socket>()
  let silent = false
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (bytes) => silent || to.write(bytes))
    from.on('close', () => to.destroy())
    from.on('error', () => undefined)
  }
  const server = createServer((client) => {
    if (silent) return void sockets.add(client.on('error', () => undefined))
    const database = connect(port, '127.0.0.1')
    join(client, database)
    join(database, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent() {
      silent = true
    },
  }
}

function start(args: readonly string[], env: NodeJS.ProcessEnv, says: string) {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes(says)) resolve()
      })
    void exited.then(() => reject(new Error(output)))
  })
  ready.catch(() => undefined)
  return { child, ready, exited, output: () => output }
}

describePostgres('a stop with a database that has fallen silent', (tools) => {
  test('ends by itself, within what the manifests allow', { timeout: 90_000 }, async () => {
    const way = await openWay(tools().server.port)
    const url = new URL(tools().server.url)
    url.port = `${way.port}`
    const file = join(tempFolder(), 'veridict.json')
    // The timeout of a statement does not end the stop.
    writeFileSync(file, JSON.stringify({ postgres: { statement_timeout_ms: 600_000 } }))
    const env = {
      VERIDICT_DATABASE_URL: url.href,
      VERIDICT_CONFIG: file,
      VERIDICT_HOST: '127.0.0.1',
      VERIDICT_PORT: '0',
    }
    const all = [
      start(['src/server.ts'], { ...env, VERIDICT_WORKER: 'off' }, 'audit pages'),
      start(['src/cli.ts', 'worker'], env, 'working on batches'),
    ]
    await Promise.all(all.map(({ ready }) => ready))
    way.fallSilent()
    await delay(1500)
    for (const { child } of all) child.kill('SIGTERM')
    expect(await Promise.all(all.map(({ exited }) => exited))).toEqual([0, 0])
    for (const { output } of all) expect(output()).toContain('the database did not answer')
  })
})
