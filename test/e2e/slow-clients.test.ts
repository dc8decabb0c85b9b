import { existsSync, readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { type ServiceProcess, spawnService, tempFolder } from './service-process.ts'

/** Clients that are slow, idle or gone, against the real process: others are answered, and nothing of them stays. */
const MANY = 300
const KNOWN = JSON.stringify({ trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH, judge: 'lexical' })
const BODY_HEAD = (length: number) =>
  `POST /v1/grades HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

const hasProc = process.platform === 'linux'
const handles = (service: ServiceProcess): number => readdirSync(`/proc/${service.child.pid}/fd`).length

async function start(limits: object = {}) {
  const database = join(tempFolder(), 'slow.sqlite')
  const service = spawnService({ database, config: limits })
  const origin = await service.ready
  await until(() => existsSync(`${database}.run`))
  return { service, origin }
}

async function open(origin: string, bytes: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(bytes)
  return socket
}

const post = (origin: string, body: string) => postJson(`${origin}/v1/grades`, body)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20)
}

test.runIf(hasProc).each([
  ['nothing sent', ''],
  ['half a header', 'POST /v1/grades HTTP/1.1\r\nhost: loc'],
  ['half a body', `${BODY_HEAD(10_000)}{"trajectory":`],
])('many connections with %s: hits are answered, and when they go their handles go', async (_name, bytes) => {
  const { service, origin } = await start()
  expect((await post(origin, KNOWN)).status).toBe(201)
  const before = handles(service)
  const sockets = await Promise.all(Array.from({ length: MANY }, () => open(origin, bytes)))
  // Counted sooner, the handles would be few because none was accepted yet.
  await until(() => handles(service) >= before + MANY)
  for (let round = 0; round < 20; round++) {
    const [health, hit] = await Promise.all([fetch(`${origin}/healthz`), post(origin, KNOWN)])
    expect([health.status, hit.status]).toEqual([200, 200])
    await Promise.all([health.text(), hit.text()])
  }
  for (const socket of sockets) socket.destroy()
  // Our own client keeps a few connections.
  await until(() => handles(service) <= before + 4)
  expect(await service.stop()).toBe(0)
})

test.runIf(hasProc).each([
  ['no HTTP', 'HELLO\r\n\r\n'],
  ['no end of its headers', `GET / HTTP/1.1\r\nx-long: ${'x'.repeat(40_000)}\r\n`],
])('a client that sends %s and never closes is let go', async (_name, bytes) => {
  const { service, origin } = await start()
  // The service has opened its database and taken the run lock.
  expect((await post(origin, KNOWN)).status).toBe(201)
  const before = handles(service)
  const sockets = await Promise.all(Array.from({ length: 50 }, () => open(origin, bytes)))
  // Answered means accepted: counted sooner, the handles would be few because none was there yet.
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
  await until(() => handles(service) <= before + 2)
  await service.kill()
})
