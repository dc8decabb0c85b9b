import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { openVeridict } from '../../src/index.ts'
import { collect } from '../collect.ts'
import { GOOD_ANSWER, GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { answeringJudge } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'

export interface RunningService extends TestApp {
  readonly origin: string
}

/** Starts the whole service on a port of loopback. The service stops at the end of the test. */
export async function runService(options: Parameters<typeof startApp>[0] = {}): Promise<RunningService> {
  const app = await startApp(options)
  const origin = await app.listen()
  return { ...app, origin }
}

/** Makes a batch of one item, its result and its grade as every service answers them. */
export async function makeAnswers() {
  await using veridict = await openVeridict({ env: {} })
  const { id } = await veridict.createBatch([{ trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH }])
  const [result] = await collect(veridict.results(id, { wait: true }))
  const grade = await veridict.readGrade(result?.grade_id ?? '')
  return { batch: await veridict.batch(id), result, grade }
}

export interface Wire {
  readonly origin: string
  /** Count of connections since the start. */
  readonly connections: number
  /** Receives the count of bytes that the service has sent over all connections, before the wire passes them on. */
  onBytes: (all: number) => void
  /** Breaks every connection. */
  cut(): void
}

/** Makes a TCP proxy of a service whose connections the test can break. The proxy stops at the end of the test. */
export async function layWire(origin: string): Promise<Wire> {
  const { port } = new URL(origin)
  const open = new Set<Socket>()
  let sent = 0
  let connections = 0
  const server = createServer((near) => {
    connections++
    const far = connect({ host: '127.0.0.1', port: Number(port) })
    for (const [socket, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        peer.destroy()
      })
      socket.on('end', () => peer.end())
    }
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => {
      sent += bytes.length
      wire.onBytes(sent)
      near.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wire: Wire = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    onBytes: () => undefined,
    cut() {
      for (const socket of open) socket.destroy()
    },
  }
  onTestFinished(() => {
    wire.cut()
    server.close()
  })
  return wire
}

/** Makes a judge that refuses every fifth run and answers the runs from `free` on only after the test releases it. */
export function judgeOnHold(free: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const judge = answeringJudge(async (run) => {
    if (run >= free) await promise
    return run % 5 === 4 ? { fail: 'refused' } : GOOD_ANSWER
  })
  return { judge, release: resolve }
}
