import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { userOf } from './scene.ts'
import { type ServiceProcess, spawnService, tempFolder } from './service-process.ts'
import { makeTrials } from './trials.ts'

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

const MIB = 1024 * 1024
const STREAMS = ['events', 'results', 'results?wait=true']
/** Of each stream; the kernel takes some MiB of each stream from the service. */
const READERS = 15
const ITEMS = 1500
const ITEM_BYTES = 16_000

test.runIf(hasProc)(
  'clients that never read the streams of a batch: others are answered, and the memory of the service stays bounded',
  async () => {
    const { service, origin } = await start()
    const metadata = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`note_${at}`, 'x'.repeat(ITEM_BYTES / 8)]),
    )
    const user = userOf(origin)
    const { id } = await user.post(makeTrials(ITEMS, 'lexical').map((trial) => ({ ...trial, metadata })))
    const residentMib = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1024
    const before = residentMib()
    const paths = Array.from({ length: READERS }, () => STREAMS).flat()
    const request = (path: string) => `GET /v1/batches/${id}/${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
    const sockets = await Promise.all(paths.map((path) => open(origin, request(path))))
    await user.until(id, ({ status }) => status === 'done')
    let last = 0
    // The streams stand still.
    for (let now = residentMib(); Math.abs(now - last) > 1; now = residentMib()) {
      last = now
      expect((await post(origin, KNOWN)).status).toBeLessThan(300)
      await delay(1500)
    }
    const grown = last - before
    process.stdout.write(
      `slow clients: ${sockets.length} streams of up to ${Math.round((ITEMS * ITEM_BYTES) / MIB)} MiB; the service grew by ${Math.round(grown)} MiB\n`,
    )
    expect(grown).toBeLessThan(300)
    for (const socket of sockets) socket.destroy()
    expect(await service.stop()).toBe(0)
  },
)
