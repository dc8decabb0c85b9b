import { text } from 'node:stream/consumers'
import { serve } from '../local-server.ts'
import { type AnswerPath, answerBody, truncated } from './batch-answers.ts'

/** Answer of the provider to one call: a text of its model, an error, a body as it is, a hang, a broken connection, a truncated body. */
export type Scripted =
  | { readonly text: string; readonly finishReason?: 'length' }
  | { readonly status: number; readonly code?: string; readonly type?: string; readonly retryAfter?: number }
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
 * Starts a provider on loopback: the APIs of OpenAI and Anthropic, complete by the types of the SDKs. Each call takes the next script, and
 * the last script repeats; or a function scripts the answer by the body. The provider stops at the end of the test.
 */
export async function startMockProvider(
  scripts: readonly Scripted[] | ((body: string) => Promise<Scripted>),
): Promise<MockProvider> {
  const requests: MockProvider['requests'] = []
  const scriptOf = (body: string) =>
    typeof scripts === 'function'
      ? scripts(body)
      : (scripts[Math.min(requests.length, scripts.length) - 1] ?? { status: 500 })
  const origin = await serve(async (request, response) => {
    // A caller that was killed while it sent: nothing has reached the provider.
    const body = await text(request).catch(() => response.destroy())
    if (typeof body !== 'string') return
    const path = request.url ?? ''
    requests.push({ path, body: JSON.parse(body) as Record<string, unknown>, headers: request.headers })
    const id = `${requests.length}`
    const script = await scriptOf(body)
    if (script === 'hang') return
    if (script === 'disconnect') return void request.socket.destroy()
    if (script === 'break_off') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
      return void response.write('{"id":"x",', () => response.destroy())
    }
    const { status = 200, headers, body: answer } = replyOf(script, path, id)
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `req_${id}`, ...headers })
    response.end(answer)
  })
  return { origin, requests }
}

interface Reply {
  readonly status?: number | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body: string
}

function replyOf(script: Exclude<Scripted, string>, path: string, id: string): Reply {
  if ('raw' in script) return { status: script.status, body: script.raw }
  if ('json' in script) return { ...script, body: JSON.stringify(script.json) }
  if ('text' in script) {
    const answer = answerBody(new URL(path, 'http://localhost').pathname as AnswerPath, id, script.text)
    return { body: JSON.stringify(script.finishReason === 'length' ? truncated(answer) : answer) }
  }
  const { status, code, type, retryAfter } = script
  const error = { message: 'scripted failure', ...(code && { code }), ...(type && { type }) }
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { status, headers, body: JSON.stringify({ type: 'error', error }) }
}
