import { existsSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import { serve } from '../local-server.ts'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Platform {
  readonly url: string
  readonly asked: readonly Asked[]
}

/** Answer of the platform: JSON, or a text. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly location?: string
}

/**
 * Starts a platform on loopback that records its requests; null leaves a request without an answer. The platform stops at the end of the
 * test, which fails where `answer` threw.
 */
export async function startPlatform(answer: (asked: Asked) => Answer | null): Promise<Platform> {
  const asked: Asked[] = []
  const faults: unknown[] = []
  const answered = (request: Asked): Answer | null => {
    try {
      return answer(request)
    } catch (error) {
      faults.push(error)
      return { status: 400, body: String(error) }
    }
  }
  onTestFinished(() => {
    if (faults.length > 0) throw faults[0]
  })
  const url = await serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const call: Asked = {
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://localhost'),
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      }
      asked.push(call)
      const reply = answered(call)
      if (reply === null) return
      const { status, body, location } = reply
      const isText = typeof body === 'string'
      const type = { 'content-type': isText ? 'text/plain' : 'application/json' }
      response.writeHead(status, { ...type, ...(location !== undefined && { location }) })
      response.end(isText ? body : JSON.stringify(body))
    })
  })
  return { url, asked }
}

/** Tells whether the packages of an integration are installed; warns with the install command where they are missing. */
export function isInstalled(integration: string): boolean {
  const hasPackages = existsSync(`integrations/${integration}/node_modules`)
  if (!hasPackages) console.warn(`skipped: npm ci --prefix integrations/${integration} installs what this test runs`)
  return hasPackages
}
