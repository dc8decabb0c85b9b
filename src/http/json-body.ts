import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSyntaxError } from './json-syntax.ts'
import { HttpProblem } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body’s bytes, in hex; empty where there is no JSON body. */
    bodyDigest: string
  }
}

/** A body as it arrived: hashed while it streamed, not decoded, not parsed. */
export class RawBody {
  readonly digest: string
  private readonly chunks: readonly Buffer[]

  constructor(digest: string, chunks: readonly Buffer[]) {
    this.digest = digest
    this.chunks = chunks
  }

  get bytes(): Buffer {
    const [only] = this.chunks
    return this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks)
  }
}

class TooLarge {}

interface BodyLimits {
  readonly body_bytes: number
  readonly depth: number
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Whether the request was answered by the digest of its bytes alone. */
export type AnswerRaw = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>

/** JSON bodies reach routes in two steps: raw, so that a hit never parses; then parsed, depth first checked, before validation. */
export function installJsonBody(app: FastifyInstance, limits: BodyLimits, answerRaw: AnswerRaw): void {
  app.decorateRequest('bodyDigest', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    if (Number(request.headers['content-length'] ?? 0) > limits.body_bytes) return done(null, new TooLarge())
    const hash = createHash('sha256')
    let chunks: Buffer[] = []
    let length = 0
    payload.on('data', (chunk: Buffer) => {
      // The answer goes out at once; what is still on its way is let through unread, so that the client can read the answer.
      if (length > limits.body_bytes) return
      length += chunk.length
      if (length > limits.body_bytes) {
        chunks = []
        return done(null, new TooLarge())
      }
      hash.update(chunk)
      chunks.push(chunk)
    })
    payload.on('error', () => {
      if (length <= limits.body_bytes) done(aborted(), undefined)
    })
    payload.on('end', () => {
      if (length <= limits.body_bytes) done(null, new RawBody(hash.digest('hex'), chunks))
    })
  })
  // Read by its route, line by line: it may be larger than memory.
  app.addContentTypeParser('application/x-ndjson', (_request, payload, done) => done(null, payload))
  app.addHook('preValidation', (request, reply, done) => {
    if (!(request.body instanceof RawBody) || request.is404) return done()
    request.bodyDigest = request.body.digest
    answerRaw(request, reply).then((answered) => answered || done(), done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    done(readBody(request, limits))
  })
}

const aborted = (): HttpProblem => new HttpProblem(400, 'invalid_request', 'the body broke off')

function readBody(request: FastifyRequest, limits: BodyLimits): Error | undefined {
  if (request.method !== 'POST' || request.is404) return undefined
  if (request.body === undefined && request.routeOptions.schema?.body === undefined) return undefined
  if (request.body === undefined) {
    request.body = null
    return invalidJson('the request has no body')
  }
  if (request.body instanceof TooLarge)
    return new HttpProblem(413, 'body_too_large', `the body is larger than ${limits.body_bytes} bytes`)
  if (!(request.body instanceof RawBody)) return undefined
  try {
    request.body = parseJson(request.body.bytes, limits.depth)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Throws an HttpProblem that never repeats the body: it can hold anything. */
export function parseJson(bytes: Buffer, depth: number): unknown {
  const deep = findTooDeep(bytes, depth)
  if (deep !== -1) {
    const message = `nested deeper than ${depth} levels at byte ${deep}`
    throw new HttpProblem(400, 'too_deep', message, { errors: [{ path: '', message }] })
  }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidJson('the body is not valid UTF-8')
  }
  try {
    return JSON.parse(text) as unknown
  } catch {
    const at = findSyntaxError(text)
    if (at === -1) throw invalidJson('the body is not valid JSON')
    const byte = Buffer.byteLength(text.slice(0, at)) + (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0)
    throw invalidJson(`the body ${at === text.length ? 'ends' : 'stops being JSON'} at byte ${byte}`)
  }
}

const invalidJson = (detail: string): HttpProblem =>
  new HttpProblem(400, 'invalid_json', detail, { errors: [{ path: '', message: detail }] })

/** Byte offset of the first bracket beyond the depth, or -1. One pass before any recursion; strings are jumped over. */
function findTooDeep(bytes: Buffer, most: number): number {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) {
      at = endOfString(bytes, at)
      if (at === -1) return -1
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > most) return at
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return -1
}

/** The closing quote of the string that opens at `open`; -1 where there is none. Native search for the quote, then count the backslashes. */
function endOfString(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(0x22, open + 1); at !== -1; at = bytes.indexOf(0x22, at + 1)) {
    let slashes = 0
    while (bytes[at - 1 - slashes] === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}
