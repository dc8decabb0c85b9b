import type { IncomingHttpHeaders } from 'node:http'
import { serve } from '../local-server.ts'
import { SECRET } from './any-judge.ts'

export interface Played {
  readonly status?: number
  readonly body: unknown
  /** Raw text of the response, in place of the body. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** Starts a provider on loopback that gives every question the same answer, and the metadata server of Google, which returns a token. */
export async function play(answer: Played | 'hang'): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const origin = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const path = request.url ?? ''
    if (path.startsWith('/computeMetadata/')) {
      response.writeHead(200, { 'content-type': 'application/json', 'metadata-flavor': 'Google' })
      return void response.end(JSON.stringify({ access_token: SECRET, expires_in: 3600, token_type: 'Bearer' }))
    }
    asked.push({ path, headers: request.headers, body: JSON.parse(text) as Record<string, unknown> })
    if (answer === 'hang') return
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
    response.end(answer.text ?? JSON.stringify(answer.body))
  })
  return { origin, asked }
}
