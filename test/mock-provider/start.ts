import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { LLMock } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'
import { serve } from '../local-server.ts'

/** Answer of the provider to one call. */
export type Scripted =
  | { readonly text: string; readonly finishReason?: 'length' }
  | { readonly status: number; readonly code?: string; readonly type?: string; readonly retryAfter?: number }
  /** Answers that only the stand-in plays: a raw body, a hang, a broken connection, a truncated body. */
  | { readonly json: unknown; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly raw: string; readonly status?: number }
  | 'hang'
  | 'disconnect'
  | 'break_off'

export interface MockProvider {
  readonly origin: string
  /** Bodies of the requests, in the order of arrival. */
  readonly requests: { path: string; body: Record<string, unknown>; headers: NodeJS.Dict<string | string[]> }[]
}

/**
 * Starts a provider on loopback. `@copilotkit/aimock` plays the APIs that it supports (OpenAI Chat and Responses, Anthropic Messages,
 * errors, Retry-After); a thin server before it records the requests and plays the other answers. Each call takes the next script, and the
 * last script repeats. The provider stops at the end of the test.
 */
export async function startMockProvider(scripts: readonly Scripted[]): Promise<MockProvider> {
  const requests: MockProvider['requests'] = []
  let turn = 0
  let current: Scripted = scripts[0] ?? { status: 500 }
  const mock = new LLMock({ port: 0, logLevel: 'silent' })
  mock.on({}, () => toFixture(current))
  await mock.start()
  onTestFinished(() => mock.stop())
  const origin = await serve((request, response) => {
    void text(request).then(async (body) => {
      requests.push({
        path: request.url ?? '',
        body: JSON.parse(body) as Record<string, unknown>,
        headers: request.headers,
      })
      const script = scripts[Math.min(turn++, scripts.length - 1)] ?? { status: 500 }
      if (script === 'hang') return
      if (script === 'disconnect') return void request.socket.destroy()
      if (script === 'break_off') {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
        response.write('{"id":"x",')
        return void setImmediate(() => request.socket.destroy())
      }
      if ('raw' in script)
        return void response.writeHead(script.status ?? 200, { 'content-type': 'application/json' }).end(script.raw)
      if ('json' in script) {
        response.writeHead(script.status ?? 200, { 'content-type': 'application/json', ...script.headers })
        return void response.end(JSON.stringify(script.json))
      }
      current = script
      await forward(mock.url, request, body, response)
    })
  })
  return { origin, requests }
}

function toFixture(script: Scripted) {
  if (typeof script !== 'string' && 'text' in script) {
    return {
      content: script.text,
      model: 'mock-resolved-1',
      usage: { prompt_tokens: 120, completion_tokens: 30, input_tokens: 120, output_tokens: 30 },
      ...(script.finishReason && { finishReason: script.finishReason }),
    }
  }
  if (typeof script !== 'string' && 'status' in script && !('json' in script) && !('raw' in script)) {
    const { status = 500, code, type, retryAfter } = script
    return {
      error: { message: 'scripted failure', ...(code && { code }), ...(type && { type }) },
      status,
      ...(retryAfter !== undefined && { retryAfter }),
    }
  }
  throw new Error('only the stand-in plays this script')
}

async function forward(
  origin: string,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'content-length', 'connection', 'transfer-encoding'].includes(name)
        ? [[name, value]]
        : [],
    ),
  )
  const answer = await fetch(`${origin}${request.url}`, { method: 'POST', headers, body })
  const kept = ['content-type', 'retry-after', 'x-request-id', 'request-id'].flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  response.writeHead(answer.status, Object.fromEntries(kept))
  response.end(await answer.text())
}
