import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { serve } from '../local-server.ts'

/** One request and its answer on their way between the service and the provider. */
export interface Exchange {
  readonly method: string
  readonly path: string
}

/** Where an exchange is held up: not yet at the provider; answered, and nobody knows; half of the answer has come. */
export type Phase = 'before' | 'after' | 'half'

/** Stands before the provider and waits for `hold` in every phase of every exchange. Ends with the test. */
export async function startProxy(target: string, hold: (exchange: Exchange, phase: Phase) => Promise<void>) {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request)
    const exchange: Exchange = { method: request.method ?? '', path: request.url ?? '' }
    await hold(exchange, 'before')
    // Whoever asked is gone, and his request with him: it never got here.
    if (request.socket.destroyed) return
    const answer = await fetch(`${target}${exchange.path}`, {
      method: exchange.method,
      headers: headersOf(request),
      ...(exchange.method !== 'GET' && { body: new Uint8Array(body) }),
    })
    const text = await answer.text()
    await hold(exchange, 'after')
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    const half = Math.floor(text.length / 2)
    response.write(text.slice(0, half))
    await hold(exchange, 'half')
    response.end(text.slice(half))
  }
  const origin = await serve((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  return { origin }
}

const OF_THE_HOP = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OF_THE_HOP.includes(name) ? [[name, value]] : [],
    ),
  )
