import { Agent, request } from 'node:http'
import type { Answer } from './checks.ts'
import type { Sent } from './requests.ts'

const PATIENCE_MS = 20_000
const MOST_BYTES = 20_000_000

/** Sends as it is, with nothing made good on the way. */
export function createSender(origin: string): { send(sent: Sent): Promise<Answer>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const { hostname, port } = new URL(origin)
  const send = ({ method, target, headers, body }: Sent) =>
    new Promise<Answer>((resolve) => {
      const length = body === null ? {} : { 'content-length': body.length }
      const call = request({ agent, hostname, port, method, path: target, headers: { ...headers, ...length } })
      const none = (hung: boolean, text: string) => resolve({ status: hung ? 0 : 599, type: '', text, hung })
      const timer = setTimeout(() => {
        none(true, '')
        call.destroy()
      }, PATIENCE_MS)
      call.on('error', (error) => none(false, `the connection broke: ${error.message}`))
      call.on('close', () => clearTimeout(timer))
      call.on('response', (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size <= MOST_BYTES) chunks.push(chunk)
          else call.destroy()
        })
        response.on('end', () => {
          const type = response.headers['content-type']?.split(';')[0] ?? ''
          resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString(), hung: false })
        })
      })
      call.end(body ?? undefined)
    })
  return { send, close: () => agent.destroy() }
}
