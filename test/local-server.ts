import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts an HTTP server on a free port of loopback. */
export async function startServer(answer?: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts an HTTP server that stops at the end of the test; answers its origin. */
export async function serve(answer?: RequestListener): Promise<string> {
  const { origin, stop } = await startServer(answer)
  onTestFinished(stop)
  return origin
}

/** Finds a free port, by opening and closing a server on it. */
export async function freePort(): Promise<string> {
  const { origin, stop } = await startServer()
  await stop()
  return new URL(origin).port
}

/** Posts a text as it is, or another value as JSON. */
export const postJson = (url: string, body: unknown, more: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  })
