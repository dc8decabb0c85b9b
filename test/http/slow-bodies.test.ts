import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { watchSlowBodies } from '../../src/http/guard/slow-bodies.ts'

let server: Server
afterEach(() => void server.close())

test('a connection that carries many requests is watched once, and not at all between them', async () => {
  const slow = watchSlowBodies(60_000, () => undefined)
  const watched: number[] = []
  server = createServer((message, response) => {
    slow.watch(message, 1)
    watched.push(slow.count())
    message.resume().once('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = server.address() as AddressInfo
  for (let round = 0; round < 20; round++)
    await new Promise((resolve, reject) => {
      const sent = request({ port, agent, method: 'POST' }, (response) => response.resume().once('end', resolve))
      sent.once('error', reject).end('x'.repeat(200_000))
    })
  expect(Math.max(...watched)).toBe(1)
  expect(slow.count()).toBe(0)
  agent.destroy()
  slow.close()
})
