import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { CREDENTIALS, findSignatureFault } from './s3-signature.ts'

/** What goes wrong with one request. */
export type Fault =
  | { readonly status: number; readonly code: string; readonly message?: string }
  /** The connection is cut: before the answer, or in the middle of its body. */
  | 'cut'
  | 'cut body'
  /** Taken in, and never answered. */
  | 'silence'
  | 'wrong bytes'
  | 'too short'
  /** A body without an end. */
  | 'endless'
  | { readonly redirect: string }
  /** It says that it has stored something, and has not. */
  | 'forgets'
  /** A web server that says 200 to everything. */
  | 'no store'

/** The closest stand-in for an S3-compatible store over loopback HTTP: objects by path, signatures checked, errors in XML. */
export interface S3Server {
  readonly endpoint: string
  /** By `bucket/key`. */
  readonly objects: Map<string, Buffer>
  /** `METHOD /path` of all requests, in order. */
  readonly requests: string[]
  /** For the next requests, one each; `null` lets one through. */
  readonly faults: (Fault | null)[]
  /** For all others. */
  always: Fault | null
  /** How many requests were in at the same time, at most. */
  readonly busiest: () => number
  stop(): Promise<void>
}

export async function startS3(bucket = 'veridict-test'): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  const faults: (Fault | null)[] = []
  let [inside, busiest] = [0, 0]
  const server = createServer(async (request, response) => {
    inside += 1
    busiest = Math.max(busiest, inside)
    response.once('close', () => {
      inside -= 1
    })
    try {
      await answer(request, response)
    } catch {
      request.socket.destroy()
    }
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
    requests.push(`${request.method} ${path}`)
    const fault = faults.length > 0 ? (faults.shift() ?? null) : s3.always
    if (fault !== null && spoil(fault, request, response)) return
    const wrong = findSignatureFault(request, body)
    if (wrong !== null) return refuse(response, 403, wrong)
    const name = path.slice(1)
    if (!name.startsWith(`${bucket}/`)) return refuse(response, 404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      if (fault !== 'forgets') objects.set(name, body)
      response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`)
      response.end()
    } else if (request.method === 'GET') send(response, objects.get(name), fault)
    else refuse(response, 405, 'MethodNotAllowed')
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests,
    faults,
    always: null,
    busiest: () => busiest,
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return s3
}

/** Whether the fault was the whole answer. */
function spoil(fault: Fault, request: IncomingMessage, response: ServerResponse): boolean {
  if (fault === 'silence') return true
  if (fault === 'cut') {
    request.socket.destroy()
    return true
  }
  if (fault === 'no store') response.end('<html></html>')
  if (typeof fault === 'string') return fault === 'no store'
  if ('redirect' in fault) {
    response.writeHead(307, { location: fault.redirect + (request.url ?? '') })
    response.end()
  } else refuse(response, fault.status, fault.code, fault.message)
  return true
}

function send(response: ServerResponse, stored: Buffer | undefined, fault: Fault | null): void {
  if (stored === undefined) refuse(response, 404, 'NoSuchKey')
  else if (fault === 'wrong bytes') response.end(Buffer.from(stored).fill(0x2a, 0, 8))
  else if (fault === 'too short') response.end(stored.subarray(0, stored.length - 1))
  else if (fault === 'endless') {
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', pour)
    pour()
  } else if (fault === 'cut body') {
    response.writeHead(200, { 'content-length': stored.length })
    response.write(stored.subarray(0, stored.length >> 1), () => response.destroy())
  } else response.end(stored)
}

/** As AWS does, it repeats what it was given. */
function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message = `no: ${CREDENTIALS.accessKeyId}`,
): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message>` +
      `<AWSAccessKeyId>${CREDENTIALS.accessKeyId}</AWSAccessKeyId><RequestId>R1</RequestId></Error>`,
  )
}
